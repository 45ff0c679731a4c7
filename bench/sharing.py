"""Measure how long a short line waits while two long texts are spoken: `python -m bench.sharing --engine s1`.

Speaks a short line alone, with two long texts of one session, and with two long texts of two sessions, in turns. Prints the
seconds from request to first audio and to the end of the short line.
"""

import argparse
import json
import sys
import threading

from bench.lines import shipped
from engines.scheduling.manager import Manager
from engines.scheduling.ticket import Ticket
from engines.types import Request, SchedulerEvent
from studio.engines import open_manager
from studio.settings import Settings

LONG = ("The bridge is out, and the long way round is all that is left of the road. " * 70)[:4990]
SHORT = "Who goes there?"
OTHERS = {"alone": (), "beside_one_session": ("ann", "ann"), "beside_two_sessions": ("ann", "ben")}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.sharing", description=__doc__)
    parser.add_argument("--engine", default="s1")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    manager = started(options.engine)
    figures = {
        name: [waited(manager, options.engine, sessions) for _ in range(options.rounds)]
        for name, sessions in OTHERS.items()
    }
    manager.close(1.0)
    sys.stdout.write(json.dumps(figures, indent=1) + "\n")


def started(engine: str) -> Manager:
    """Return a manager with one embedded engine, warmed up."""
    manager, warm = open_manager(Settings(engines=(engine,))), threading.Event()

    def watch(event: SchedulerEvent) -> None:
        if event.kind == "engine" and manager.status(engine).state == "ready":
            warm.set()

    manager.listen(watch)
    manager.start()
    warm.wait()
    return manager


def waited(manager: Manager, engine: str, sessions: tuple[str, ...]) -> dict[str, float]:
    """Return the seconds to first audio and to the end of a short line, while each session speaks a long text."""
    long = [submitted(manager, engine, LONG, session) for session in sessions]
    for ticket in long[: len(set(sessions))]:
        ticket.wait_unread(120.0)
    line = submitted(manager, engine, SHORT, "cid")
    line.wait(300.0)
    for ticket in long:
        ticket.cancel()
    for ticket in long:
        ticket.wait(60.0)
    found = line.result().cost
    return {"first_sound_s": round(found.ttfa_s, 2), "total_s": round(found.total_s, 2)}


def submitted(manager: Manager, engine: str, text: str, session: str) -> Ticket:
    """Submit a request, and read its audio as it arrives."""
    request = Request(text=text, reference=shipped("amber"), seed=1, engine=engine)
    ticket = manager.submit(request, session_id=session)
    threading.Thread(target=lambda: [ticket.read(1.0) for _ in iter(lambda: ticket.ended, True)], daemon=True).start()
    return ticket


if __name__ == "__main__":
    main()
