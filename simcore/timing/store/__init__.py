"""Platforms on disk: every fit that is valid for one device at one clock, as readable JSON beside its corpus."""
