"""The host's side: PCIe endpoints, the CPUs that hand commands out, and the messages that start it all."""
