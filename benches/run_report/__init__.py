"""What ``kernbench run`` says: the machine's run of a program, beside PerfSim's estimate of the same."""
