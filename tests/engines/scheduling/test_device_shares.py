"""Which engine steps next, and how long listeners of four engines wait because of one another."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from engines.scheduling.device_shares import PRIORITY_S, DeviceShares
from engines.scheduling.ticket import Ticket
from engines.types import Audio
from tests.engines.metronome import RATE, request

BOTH = ("tick", "tock")


def two_engines() -> DeviceShares:
    shares = DeviceShares()
    for name in BOTH:
        shares.add(name)
    return shares


def used_s(shares: DeviceShares, able: Sequence[str], urgent: Sequence[str], steps: int, step_s: float = 0.1) -> float:
    """Take steps; return the device time of `tick`."""
    used = 0.0
    for _ in range(steps):
        name = shares.choose(able, urgent)
        assert name is not None
        shares.charge(name, step_s)
        used += step_s * (name == "tick")
    return used


def test_an_engine_without_work_is_not_chosen() -> None:
    shares = two_engines()
    assert shares.choose(["tock"], ["tock"]) == "tock" and shares.choose([], []) is None
    assert shares.choose(["unloaded"], ["unloaded"]) is None


def test_an_engine_that_had_no_work_cannot_claim_the_time_later() -> None:
    shares = two_engines()
    used_s(shares, ["tock"], [], 1000)
    assert used_s(shares, BOTH, [], 20) == pytest.approx(1.0)


def test_an_engine_that_is_added_later_gets_no_more_than_the_others() -> None:
    shares = two_engines()
    shares.remove("tick")
    used_s(shares, ["tock"], [], 1000)
    shares.add("tick")
    assert used_s(shares, BOTH, [], 20) == pytest.approx(1.0)


def test_a_pause_does_not_take_away_what_an_engine_used() -> None:
    shares = two_engines()
    shares.choose(BOTH, [])
    shares.charge("tick", 5.0)
    shares.choose(["tock"], [])
    assert used_s(shares, BOTH, [], 50) == 0.0


def test_an_urgent_engine_steps_first_until_it_is_far_ahead() -> None:
    shares = two_engines()
    assert used_s(shares, BOTH, ["tick"], 8) > 0.7
    assert used_s(shares, BOTH, ["tick"], 1000) < 50.0 + PRIORITY_S + 0.2


def test_urgent_engines_share_the_device() -> None:
    assert used_s(two_engines(), BOTH, BOTH, 20) == pytest.approx(1.0)


def test_the_lead_of_a_request_is_the_audio_that_nobody_has_heard() -> None:
    ticket = Ticket("1", request("a"), "ann", arrived_at=10.0, deadline=99.0)
    assert ticket.lead_s(11.0) == 0.0
    ticket.add_audio(Audio(np.zeros(RATE, np.float32), RATE), at=12.0)
    assert ticket.lead_s(12.0) == 1.0 and ticket.lead_s(12.75) == 0.25 and ticket.lead_s(14.0) < 0


@pytest.mark.parametrize("live", [True, False])
def test_a_request_is_urgent_if_its_listener_has_little_audio_left(live: bool) -> None:
    ticket = Ticket("1", replace(request("a"), live=live), "ann", arrived_at=10.0, deadline=99.0)
    assert ticket.is_urgent(11.0) is live
    ticket.add_audio(Audio(np.zeros(RATE, np.float32), RATE), at=12.0)
    assert not ticket.is_urgent(12.0) and ticket.is_urgent(12.9) is live


# Four engines, with the steps that were measured on an H200.


@dataclass
class Speaker:
    """An engine with equal steps."""

    step_s: float
    silent_steps: int  # before the first audio
    first_audio_s: float
    step_audio_s: float


@dataclass
class Listener:
    """Someone who hears each line to its end before the next."""

    engine: str
    asks_at: float
    ticket: Ticket | None = None
    steps: int = 0
    waits_s: list[float] = field(default_factory=list)
    ran_dry: int = 0


SPEAKERS = {
    "f5": Speaker(0.028, 1, 6.0, 6.0),
    "s1": Speaker(0.004, 5, 0.1, 0.05),
    "orpheus": Speaker(0.0029, 28, 0.1, 0.0122),
    "spark": Speaker(0.003, 20, 0.1, 0.02),
}
LINE_S, LISTENERS = 6.0, 4


def listen(engines: Sequence[str], until_s: float) -> list[Listener]:
    """Let listeners ask at random times, and return them with their waits."""
    draw, now = random.Random(1), 0.0
    crowd = [Listener(engine, draw.uniform(0, LINE_S)) for engine in engines for _ in range(LISTENERS)]
    shares = DeviceShares()
    for engine in engines:
        shares.add(engine)
    while now < until_s:
        for each in crowd:
            if each.ticket is None and each.asks_at <= now:
                each.ticket, each.steps = Ticket("", request("a", each.engine), "", each.asks_at, 1e9), 0
        tickets = [each.ticket for each in crowd if each.ticket is not None]
        urgent = {ticket.request.engine for ticket in tickets if ticket.is_urgent(now)}
        name = shares.choose({ticket.request.engine for ticket in tickets}, urgent)
        if name is None:
            now = min(each.asks_at for each in crowd)
            continue
        shares.charge(name, SPEAKERS[name].step_s)
        now += SPEAKERS[name].step_s
        for each in crowd:
            if each.engine == name and each.ticket is not None:
                advance(each, each.ticket, now, draw)
    return crowd


def advance(listener: Listener, ticket: Ticket, now: float, draw: random.Random) -> None:
    """Take a step of a line; the listener asks for the next when the line has been heard."""
    speaker = SPEAKERS[listener.engine]
    listener.steps += 1
    if listener.steps < speaker.silent_steps:
        return
    listener.ran_dry += ticket.lead_s(now) < 0
    seconds = speaker.step_audio_s if ticket.has_audio else speaker.first_audio_s
    audio = Audio(np.zeros(round(seconds * RATE), np.float32), RATE)
    if ticket.add_audio(audio, now):
        listener.waits_s.append(ticket.first_audio_s or 0.0)
    if ticket.lead_s(now) + now - ticket.arrived_at >= LINE_S:
        listener.asks_at, listener.ticket = now + ticket.lead_s(now) + draw.uniform(0, 1), None


def p95(crowd: Sequence[Listener], engine: str) -> float:
    """Return the 95th percentile of the times to the first audio."""
    return float(np.percentile([wait for each in crowd if each.engine == engine for wait in each.waits_s], 95))


def test_four_engines_at_once_take_at_most_twice_as_long_to_the_first_audio() -> None:
    together = listen(list(SPEAKERS), 200.0)
    for engine in SPEAKERS:
        assert p95(together, engine) <= 2 * p95(listen([engine], 200.0), engine), engine
    assert sum(each.ran_dry for each in together) == 0
