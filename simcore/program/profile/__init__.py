"""The reader of neuron-profile JSON: a run on hardware -> the program that ran, and what was measured."""

from simcore.program.profile.reader import read_profile

__all__ = ["read_profile"]
