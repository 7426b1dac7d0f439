"""The running fabric of a system: its links, hops and memories as parts on one clock (ADR-0049)."""
