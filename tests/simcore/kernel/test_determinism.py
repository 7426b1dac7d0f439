"""The same machine gives the same bytes, whatever the hash seed and wherever its objects lie in memory."""

from __future__ import annotations

import os
import subprocess
import sys

STORY = """if True:
    from simcore.kernel import Channel, Countdown, Deadlock, Environment

    log = []
    env = Environment(log)
    channels = [Channel(env, f"channel{i}", 1 + i % 2) for i in range(5)]

    def worker(number):
        me = env.me
        for turn in range(6):
            first = channels[(number + turn) % 5].acquire(me, f"I{number}.{turn}")
            yield first
            yield env.timeout(1 + (7 * number + turn) % 4)
            if turn == 5:
                yield channels[(number + turn + 1) % 5].acquire(me, "never")
            first.channel.release(first)
        latch.arrive()

    latch = Countdown(env, 12, "all")
    for number in range(12):
        env.spawn(worker(number), f"worker{number}")
    try:
        env.run(latch)
    except Deadlock as error:
        print(error)
    for row in log:
        print(*row)
    print(env.now, [(c.busy_ticks, c.wait_ticks) for c in channels])
"""


def output(repository, seed):
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    command = [sys.executable, "-c", STORY]
    done = subprocess.run(command, cwd=repository, env=environment, capture_output=True, text=True, check=True)
    return done.stdout


def test_the_log_and_the_deadlock_report_do_not_depend_on_the_hash_seed(repository):
    outputs = {output(repository, seed) for seed in ("0", "1", "4242")}
    assert len(outputs) == 1
    text = outputs.pop()
    assert text.startswith("deadlock at ")
    assert "each waits for the next" in text
    assert len(text.splitlines()) > 120
