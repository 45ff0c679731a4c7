"""Votes are neither lost nor doubled: many listeners at once, a killed process, a lost database."""

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from studio.disk.database import FILE
from studio.listening.sessions.rows import SessionTables
from tests.studio.listening.sessions.visit import ROOT, Guest, Visit, answered, visiting

LISTENERS, TRIALS = 20, 3
WRITER = """
import sys
from pathlib import Path
from studio.listening.sessions.rows import SessionTables, VoteRow
votes = SessionTables(Path(sys.argv[1])).votes
for number in range(10_000):
    id = f"{sys.argv[2]}-{number}"
    cast = {"stage": "trials", "number": number, "trial": "{}", "took_s": 1, "voted_at": 1}
    votes.add(VoteRow(id=id, listening_id="s", listener_id="l", **cast))
    print(id, flush=True)
"""


@pytest.fixture(scope="module")
def visit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    with visiting(tmp_path_factory.mktemp("visit")) as found:
        yield found


@pytest.mark.long
def test_votes_of_twenty_listeners_at_once_are_all_stored_once(visit: Visit) -> None:
    id = visit.create(trials=TRIALS)["id"]
    guests = [visit.guest(visit.invite(id)) for _ in range(LISTENERS)]

    def listen(guest: Guest) -> None:
        for _ in range(TRIALS):
            guest.sounds()
            visit.clock.ahead_s += 60.0
            first, again = (pool.submit(guest.send, choice="a") for _ in range(2))  # a double click
            assert {first.result().status_code, again.result().status_code} <= {200, 409}
            guest.look()

    with ThreadPoolExecutor(2 * LISTENERS) as pool, ThreadPoolExecutor(LISTENERS) as people:
        list(people.map(listen, guests))
    assert [guest.finish().state["stage"] for guest in guests] == ["done"] * LISTENERS
    results = visit.results(id)
    assert results["votes"] == LISTENERS * TRIALS
    assert [one["votes"] for one in results["listeners"]] == [TRIALS] * LISTENERS


@pytest.mark.long
def test_votes_survive_a_killed_process(tmp_path: Path) -> None:
    said: list[str] = []
    for run, count in enumerate((1, 7, 23)):
        command = [sys.executable, "-c", WRITER, str(tmp_path), str(run)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            said += [writer.stdout.readline().strip() for _ in range(count)]
            writer.kill()
    kept = [vote.id for vote in SessionTables(tmp_path).votes.where(listening_id="s")]
    assert set(said) <= set(kept) and len(kept) == len(set(kept))


def test_a_lost_database_is_restored_from_the_files(tmp_path: Path) -> None:
    with visiting(tmp_path) as visit:
        id = visit.create()["id"]
        guest = visit.guest(visit.invite(id)).vote(choice="a")
        before = visit.results(id)
        path, secret = guest.path, guest.client.headers["x-listener"]
    for file in (tmp_path / "data").glob(f"{FILE}*"):
        file.unlink()
    with visiting(tmp_path) as visit:
        assert visit.results(id) == before
        state = answered(visit.owner.get(f"{path}/state", headers={"x-listener": secret}))
        assert (state["stage"], state["number"]) == ("trials", 2)
        assert visit.owner.get(f"{ROOT}/{id}").json()["votes"] == 1
