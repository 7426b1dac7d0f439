"""The Chrome trace of a run: a process per block, a thread per lane, a slice per instruction, an arrow per dependency.

The format is the Trace Event Format's JSON object; Perfetto and chrome://tracing read it. Its unit is the microsecond.
"""

from benches.run_report.trace.write import write_trace

__all__ = ["write_trace"]
