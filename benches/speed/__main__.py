"""``python -m benches.speed [NAME...]``: measures how fast kernbench is, prints tables and writes ``out/bench.json``.

An aim that is missed is printed as such; it fails nothing, since a busy machine is not a fault of the model.
"""

from __future__ import annotations

import argparse
import importlib
import json
from pathlib import Path

from benches.speed.figures import surroundings

BENCHES = {
    "walk": "PerfSim's walk beside C",
    "machine": "the machine beside raw SimPy",
    "simpy_ground": "the ground's operations beside SimPy's",
    "loading": "programs from files: streams, columns, memory",
    "fabric": "flits over links, alone and contended",
    "fair_share": "max-min fair shares of 10,000 flows",
    "probe": "lone transfers over a system",
    "on_memory": "a program on real memory",
}
"""Module under ``benches.speed`` -> what it measures. Its ``main()`` prints, and returns what JSON holds."""

OUT = Path("out/bench.json")
SCHEMA = "kernbench.bench/1"


def main(arguments: list[str] | None = None) -> None:
    """Runs the named benches, or all."""
    parser = argparse.ArgumentParser(prog="python -m benches.speed", description="Measure how fast kernbench is.")
    listed = ", ".join(f"{name} ({what})" for name, what in BENCHES.items())
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which: {listed}; all if none is named")
    parser.add_argument("--out", type=Path, default=OUT, help=f"where the figures go (default: {OUT})")
    chosen = parser.parse_args(arguments)
    unknown = [name for name in chosen.names if name not in BENCHES]
    if unknown:
        parser.error(f"no such bench: {', '.join(unknown)} (there are: {', '.join(BENCHES)})")
    results = {}
    for name in chosen.names or BENCHES:
        results[name] = importlib.import_module(f"benches.speed.{name}").main()
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    record = {"schema": SCHEMA, "surroundings": surroundings(), "results": results}
    chosen.out.write_text(json.dumps(record, indent=1) + "\n")
    print(f"written to {chosen.out}")


if __name__ == "__main__":
    main()
