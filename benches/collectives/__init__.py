"""Collectives on a system, simulated and by analysis, in the figures of the field's benchmarks (ADR-0064)."""
