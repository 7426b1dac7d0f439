"""Slack and lives of a block's events -> the fields of its explanation."""

from __future__ import annotations

from benches.exact_ns import exact_ns
from benches.schedule_report.model import LifeRecord, SlackSummary, WaitRecord
from simcore.explain.life import lives_of
from simcore.explain.relations import Relations
from simcore.explain.slack import Slack
from simcore.program.columns import Columns
from simcore.schedule import Cause, Schedule


def slack_summary(schedule: Schedule, slack: Slack) -> SlackSummary:
    """How many events have no slack, and the least of the others."""
    some = slack.slack[slack.slack > 0]
    return SlackSummary(
        zero=len(schedule) - len(some),
        smallest_nonzero_ns=exact_ns(int(some.min()), schedule.ticks_per_ns) if len(some) else None,
    )


def life_records(
    columns: Columns, schedule: Schedule, relations: Relations, slack: Slack, names: list[str]
) -> list[LifeRecord]:
    """The life of every event, in program order; ``names`` are the events' names."""
    lives, unit = lives_of(columns, schedule, relations), schedule.ticks_per_ns
    causes = [cause.name for cause in Cause]
    waits = [
        WaitRecord(causes[cause], names[on], exact_ns(length, unit))
        for cause, on, length in zip(
            lives.wait_cause.tolist(), lives.wait_on.tolist(), lives.wait_length.tolist(), strict=True
        )
    ]
    first = lives.first.tolist()
    times = (lives.begin, lives.issue, lives.execution, lives.drain, slack.slack, slack.stretch)
    return [
        LifeRecord(
            name=name,
            begin_ns=exact_ns(begin, unit),
            waits=waits[first[k] : first[k + 1]],
            issue_ns=exact_ns(issue, unit),
            execution_ns=exact_ns(execution, unit),
            drain_ns=exact_ns(drain, unit),
            slack_ns=exact_ns(own, unit),
            stretch_ns=exact_ns(stretch, unit),
        )
        for k, (name, begin, issue, execution, drain, own, stretch) in enumerate(
            zip(names, *(t.tolist() for t in times), strict=True)
        )
    ]
