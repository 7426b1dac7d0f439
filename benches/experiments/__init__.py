"""Experiments: a base set-up, variants of it, and claims about their results, read from a file and judged."""
