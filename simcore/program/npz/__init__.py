"""The columns format: a program's flat arrays in a ``.npz`` file that loads at the speed of memory (ADR-0013)."""

from simcore.program.npz.read import program_from_npz, read_npz
from simcore.program.npz.write import write_npz

__all__ = ["program_from_npz", "read_npz", "write_npz"]
