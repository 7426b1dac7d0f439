"""What ``kernbench perfsim`` says: the machine-readable result, and the same for people."""
