"""``kernbench run --timing platform:``: a program on a device platform, over many runs."""
