"""What the reports of both models say about one block's schedule: the same records, sums and tables.

PerfSim's schedules count nanoseconds and the machine's picoseconds; here both become exact nanoseconds.
"""
