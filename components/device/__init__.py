"""The parts of an accelerator core as its profiles show it (ADR-0070 to ADR-0074)."""
