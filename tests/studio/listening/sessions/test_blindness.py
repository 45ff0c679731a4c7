"""Nothing but the speech itself tells the two sides of a trial apart."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from engines.types import Audio, Cost, Reference, Request, Take
from studio.listening.sessions.conduct import trial_of
from tests.studio.house import ENGINE, speechlike
from tests.studio.listening.sessions.attacker import Trials, spied
from tests.studio.listening.sessions.visit import ROOT, Visit, visiting

LEAKS = {
    "name": 1e4, "header": 8.0, "size": 44.0, "timing": 1.0, "bandwidth": 2_000.0, "loudness": 3.0,
    "first": 1e4, "last": 1e4, "lead": 9.0, "tail": 9.0, "onset": 0.1, "length": 0.5
}  # fmt: skip


@pytest.fixture(scope="module")
def visit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    with visiting(tmp_path_factory.mktemp("visit")) as found:
        yield found


def unlike(arm: int, line: int) -> Audio:
    """A take whose rate, band, level, length, and silence or noise before it tell its arm."""
    rate, seconds, gain, before_s = ((24_000, 2.2, 0.2, 0.1), (44_100, 2.9, 3.0, 0.6))[arm]
    speech = speechlike(seconds * rate / 24_000, seed=line)[: int(seconds * rate)] * np.float32(gain)
    noise = arm * 1e-4 * np.random.default_rng(line).standard_normal(int(before_s * rate))
    return Audio(np.concatenate([noise, speech]).astype(np.float32), rate)


def replace_takes(visit: Visit, id: str, lines: int) -> None:
    """Overwrite the takes of a session with takes that differ in everything an attacker can measure."""
    for arm in (0, 1):
        for line in range(lines):
            take = visit.studio.listening_sessions.take(id, arm, line)
            audio = unlike(arm, line)
            request = Request(text=take.order.text, reference=Reference(audio, "x"), seed=1, engine=ENGINE)
            cost = Cost(queued_s=0.0, ttfa_s=0.1, total_s=1.0, compute_s=1.0, audio_s=audio.duration_s)
            made = Take(request, audio, cost, take.checkpoint)
            visit.studio.history.add(take.session_id, replace(take.order), made, id=take.id)


@pytest.fixture(scope="module")
def trials(visit: Visit) -> Trials:
    """200 trials of two listeners."""
    session = visit.create(trials=100, lines=[f"Line number {at}." for at in range(40)])
    replace_takes(visit, session["id"], len(session["plan"]["lines"]))
    guests = [visit.guest(visit.invite(session["id"])) for _ in range(2)]
    sessions = visit.studio.listening_sessions
    found = spied(guests, lambda: [trial_of(vote).sides[0].arm for vote in sessions.votes(session["id"])])
    assert len(found.sent) == len(found.left_arm) == 200 and 80 <= sum(found.left_arm) <= 120
    return found


@pytest.mark.long
def test_an_attacker_guesses_no_better_than_chance(trials: Trials) -> None:
    share, channel = trials.guessed()
    assert share <= 0.68, channel  # 12 channels: by chance once in about 1,000 runs


@pytest.mark.long
@pytest.mark.parametrize("channel", LEAKS)
def test_the_attacker_finds_a_planted_leak(trials: Trials, channel: str) -> None:
    share, found = trials.guessed(channel, LEAKS[channel])
    assert (share >= 0.9, found) == (True, channel)


def test_a_listener_receives_no_name_of_an_arm(visit: Visit) -> None:
    session = visit.create(name="Sycamore against hornbeam", questions=[{"text": "Remarks?"}], trials=1)
    names = ["sycamore", "hornbeam", "31337", "27182", "anna", ENGINE + '"', "brass", *_ids(visit, session["id"])]
    guest = visit.guest(visit.invite(session["id"]))
    said = [guest.client.get(f"{guest.path}/state"), *_sounds(guest)]
    visit.clock.ahead_s += 60
    said.append(guest.send(choice="a"))
    said.append(guest.client.post(f"{guest.path}/answers", json={"answers": {}}))
    assert said[-1].json()["stage"] == "done"
    for answer in said:
        whole = repr((str(answer.url), answer.headers.raw, answer.content[:200], answer.content[-200:])).lower()
        assert [name for name in names if name in whole] == []


def _ids(visit: Visit, id: str) -> list[str]:
    return [take.id for take in visit.studio.history.list(f"listening-{id}")]


def _sounds(guest) -> list:
    return [guest.client.get(f"{guest.path}/{one['url']}") for one in guest.state["trial"]["sounds"]]


def test_a_listener_gets_only_the_sounds_of_the_current_trial(visit: Visit) -> None:
    path = visit.invite(visit.create()["id"])
    guest, other = visit.guest(path), visit.guest(path)
    addresses = [one["url"] for one in guest.state["trial"]["sounds"]]
    assert other.client.get(f"{path}/{addresses[0]}").status_code == 404
    guest.vote(choice="a")
    assert [guest.client.get(f"{path}/{address}").status_code for address in addresses] == [404, 404]


@pytest.mark.parametrize("path", ["%2e%2e/ui/icon.svg", "js/%00", "js", "nothing.js", "js/../../ui/icon.svg"])
def test_the_page_has_only_its_own_files(visit: Visit, path: str) -> None:
    assert visit.owner.get("/listen/assets/js/page.js").status_code == 200
    assert visit.owner.get(f"/listen/assets/{path}").status_code == 404


def test_a_wrong_method_or_a_slash_at_the_end_of_a_link_is_answered_with_advice(visit: Visit) -> None:
    assert visit.owner.put("/listen/x/state").status_code == 405
    assert visit.owner.get("/listen/x/", follow_redirects=False).headers["location"].endswith("/listen/x")
    assert visit.owner.head("/listen/x").status_code == 200


def test_a_listener_is_no_owner(visit: Visit) -> None:
    session = visit.create()
    guest = visit.guest(visit.invite(session["id"]))
    stranger = {"x-forwarded-for": "203.0.113.9"}
    for path in (ROOT, f"{ROOT}/{session['id']}", f"{ROOT}/{session['id']}/results", "/studio/jobs"):
        assert guest.client.get(path, headers=stranger).status_code in (401, 403), path
    assert visit.owner.get(f"{ROOT}/{session['id']}").status_code == 200
