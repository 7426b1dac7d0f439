"""BIR JSON, versions 1 and 2: the compiler's backend IR as it dumps it, read into and written from program records.

What is read, what is accepted and left aside, and how a record becomes BIR and back is ADR-0010.
"""

from simcore.program.bir.read import read_bir
from simcore.program.bir.write import write_bir

__all__ = ["read_bir", "write_bir"]
