"""What ``kernbench calibrate`` says: fits, stored platforms, and whether stored numbers follow from their rows."""
