"""What ``kernbench validate`` says: predictions of a timing beside what a profile measured on hardware."""
