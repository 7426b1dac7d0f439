"""Programs of real kernels, shipped in the project's own format with what was measured beside them."""
