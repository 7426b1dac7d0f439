"""What ``kernbench diff`` says: two results beside each other, what moved, and which causes make up the difference."""
