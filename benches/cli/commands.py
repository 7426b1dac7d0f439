"""The table of commands: what ``kernbench --help`` lists, and the module that is imported when one is called."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Command:
    """One command. ``module`` holds its Typer app under the name ``app``; ``help`` is its line in the overview."""

    name: str
    module: str
    help: str


COMMANDS = (
    Command("perfsim", "benches.cli.perfsim", "Estimate a program analytically and explain what bounds it."),
    Command("run", "benches.cli.run", "Run a program on the simulated machine."),
    Command("crosscheck", "benches.cli.crosscheck", "Compare both models, instruction by instruction."),
    Command("diff", "benches.cli.diff", "Compare two results: what moved, and why."),
    Command("whatif", "benches.cli.whatif", "Estimate again with changed costs, ring depths or couplings."),
    Command("experiment", "benches.cli.experiment", "Run the experiment of a decision record and judge its claims."),
    Command("topology", "benches.cli.topology", "Check, show or draw a system."),
    Command("probe", "benches.cli.probe", "Time lone transfers through a system, beside a formula."),
    Command("collective", "benches.cli.collective", "Run an all-reduce or its kin over a system."),
    Command("flows", "benches.cli.flows", "Simulate flows that share links, beside their fair shares."),
    Command("oracle", "benches.cli.oracle", "Show the cost table, or the phases of each instruction's cost."),
    Command("calibrate", "benches.cli.calibrate", "Fit timing models to measurements; check stored platforms."),
    Command("validate", "benches.cli.validate", "Hold predictions against what profiles measured on hardware."),
    Command("list", "benches.cli.list", "List benches, systems, experiments, kernels, parts and timings."),
    Command("convert", "benches.cli.convert", "Rewrite a program in another format."),
)
