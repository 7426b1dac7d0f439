"""What there is: benches, systems, experiments, kernels, parts and timings (``kernbench list``)."""
