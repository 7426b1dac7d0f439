"""The probe: lone transfers through a system, simulated and by formula, and what explains the difference (ADR-0049)."""
