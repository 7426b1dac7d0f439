"""What ``kernbench topology show`` says."""
