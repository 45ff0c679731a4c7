"""A trial is blind until its vote is sealed, votes once, and belongs to its listener."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from studio.history import History, UnknownTake
from studio.listening import BadPair, Ballot, Choice, Decided, Listening, NoPairs, NotHeard, Trial, UnknownTrial
from studio.listening.serializers import compare_json, trial_json
from tests.studio.listening.takes import keep, sound
from tests.studio.losing import WAYS

ROOT = Path(__file__).parents[3]
SEEDS = 710_402_661, 720_402_661  # so long that no random token has them by chance


class Clock:
    def __init__(self) -> None:
        self.at_s = 1_000.0

    def __call__(self) -> float:
        return self.at_s


class Room:
    """A history, a listening over it, and a clock that moves when somebody listens."""

    def __init__(self, folder: Path) -> None:
        self.clock = Clock()
        self.history = History(folder)
        self.listening = Listening(self.history, folder, now=self.clock)

    def open(self) -> Trial:
        takes = (
            keep(self.history, seed=SEEDS[0], checkpoint="brass"),
            keep(self.history, seed=SEEDS[1], checkpoint="nickel"),
        )
        return self.listening.open("anna", takes[0].id, takes[1].id)

    def hear(self, trial: Trial, seconds: float = 2.0) -> None:
        for side in trial.sides:
            self.listening.sound("anna", side.token)
        self.clock.at_s += 2 * seconds

    def vote(self, trial: Trial, choice: Choice = "a") -> Trial:
        self.hear(trial)
        return self.listening.vote("anna", trial.id, ballot(choice))


def ballot(choice: Choice = "a", heard_a_s: float = 2.0, heard_b_s: float = 2.0) -> Ballot:
    return Ballot(choice=choice, heard_a_s=heard_a_s, heard_b_s=heard_b_s)


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(tmp_path)


def test_sides_are_drawn(room: Room) -> None:
    one, other = keep(room.history, seed=1).id, keep(room.history, seed=2).id
    first = [room.listening.open("anna", one, other).a.contender.take_id for _ in range(60)]
    assert 10 < first.count(one) < 50  # fails once in ten million runs


def test_nothing_told_before_the_vote_is_sealed_names_a_side(room: Room) -> None:
    trial = room.open()
    for stage in (trial, room.vote(trial)):
        said = repr(trial_json(stage))
        names = [side.contender for side in trial.sides]
        assert not [
            one for one in names if one.take_id in said or str(one.order.seed) in said or one.checkpoint in said
        ]
        assert compare_json(room.listening, "anna", stage)["tally"] is None
    sealed = trial_json(room.listening.reveal("anna", trial.id))
    assert (sealed["a"]["take"], sealed["b"]["take"]) == tuple(side.contender.take_id for side in trial.sides)
    assert sealed["a"]["settings"]["seed"] in SEEDS
    assert set(sealed["differs"]) == {"checkpoint", "seed"}


def test_a_vote_is_kept_with_its_sides_its_listener_and_what_was_heard(room: Room, tmp_path: Path) -> None:
    trial = room.open()
    room.hear(trial)
    voted = room.listening.vote("anna", trial.id, ballot("b", 1.5, 1.25))
    again = Listening(room.history, tmp_path).current("anna")
    assert again == voted
    assert (voted.session_id, voted.choice, voted.voted_at) == ("anna", "b", room.clock.at_s)
    assert (voted.a.heard_s, voted.b.heard_s) == (1.5, 1.25)
    assert (voted.a.contender, voted.b.contender) == (trial.a.contender, trial.b.contender)


VOTES_WITHOUT_HEARING: dict[str, Callable[[Room, Trial], Any]] = {
    "nothing fetched": lambda room, trial: setattr(room.clock, "at_s", 2_000.0),
    "one side fetched": lambda room, trial: (
        room.listening.sound("anna", trial.a.token),
        setattr(room.clock, "at_s", 2_000.0),
    ),
    "no time to hear": lambda room, trial: room.hear(trial, 0.0),
    "time for one side": lambda room, trial: room.hear(trial, 0.55),
}


@pytest.mark.parametrize("before", VOTES_WITHOUT_HEARING)
def test_a_vote_before_both_sides_were_heard_is_refused(room: Room, before: str) -> None:
    trial = room.open()
    VOTES_WITHOUT_HEARING[before](room, trial)
    with pytest.raises(NotHeard):
        room.listening.vote("anna", trial.id, ballot())


@pytest.mark.parametrize(("a_s", "b_s"), [(0.0, 2.0), (2.0, 0.5), (float("nan"), 2.0)])
def test_a_vote_that_says_a_side_was_not_heard_is_refused(room: Room, a_s: float, b_s: float) -> None:
    trial = room.open()
    room.hear(trial)
    with pytest.raises(NotHeard):
        room.listening.vote("anna", trial.id, ballot("a", a_s, b_s))


def test_a_short_side_need_not_be_heard_longer_than_it_is(room: Room) -> None:
    takes = [keep(room.history, seed=seed, audio=sound(0.5, seed=seed)) for seed in (1, 2)]
    trial = room.listening.open("anna", takes[0].id, takes[1].id)
    room.hear(trial)
    assert room.listening.vote("anna", trial.id, ballot("tie", 0.45, 0.45)).choice == "tie"


def test_no_more_is_written_down_as_heard_than_there_was_time_for(room: Room) -> None:
    trial = room.open()
    room.hear(trial, 2.0)
    assert room.listening.vote("anna", trial.id, ballot("a", 900.0, 3.0)).a.heard_s == 4.0


def test_a_second_vote_is_refused(room: Room) -> None:
    trial = room.open()
    room.vote(trial, "a")
    for _ in range(2):
        with pytest.raises(Decided):
            room.listening.vote("anna", trial.id, ballot("b"))
        assert room.listening.reveal("anna", trial.id).choice == "a"


def test_another_sessions_trial_is_unknown(room: Room) -> None:
    trial = room.open()
    room.hear(trial)
    for act in (
        lambda: room.listening.sound("bert", trial.a.token),
        lambda: room.listening.vote("bert", trial.id, ballot()),
        lambda: room.listening.undo("bert", trial.id),
        lambda: room.listening.reveal("bert", trial.id),
        lambda: room.listening.leave("bert", trial.id),
    ):
        with pytest.raises(UnknownTrial):
            act()
    assert room.listening.current("bert") is None
    assert room.listening.current("anna") is not None


def test_another_sessions_take_cannot_be_heard(room: Room) -> None:
    mine, theirs = keep(room.history).id, keep(room.history, "bert", seed=2).id
    with pytest.raises(UnknownTake):
        room.listening.open("anna", mine, theirs)


def test_a_take_is_not_heard_against_itself(room: Room) -> None:
    mine = keep(room.history).id
    with pytest.raises(BadPair):
        room.listening.open("anna", mine, mine)


def test_a_vote_is_taken_back_only_while_its_sides_are_unknown(room: Room) -> None:
    trial = room.open()
    room.vote(trial, "a")
    assert room.listening.undo("anna", trial.id).stage == "open"
    with pytest.raises(Decided, match="no vote to undo"):
        room.listening.undo("anna", trial.id)
    assert room.listening.vote("anna", trial.id, ballot("b")).choice == "b"
    room.listening.reveal("anna", trial.id)
    with pytest.raises(Decided, match="names are already shown"):
        room.listening.undo("anna", trial.id)


def test_an_unvoted_trial_is_never_revealed(room: Room) -> None:
    trial = room.open()
    with pytest.raises(Decided):
        room.listening.reveal("anna", trial.id)


def test_the_next_trial_ends_the_one_before(room: Room) -> None:
    left = room.open()
    voted = room.open()
    with pytest.raises(UnknownTrial):
        room.listening.sound("anna", left.a.token)
    room.vote(voted)
    room.open()
    with pytest.raises(Decided):
        room.listening.undo("anna", voted.id)
    (one,) = room.listening.tally("anna")
    assert one.wins + one.losses == 1


def test_next_draws_every_pair_of_two_arms_once(room: Room) -> None:
    for seed in (1, 2):
        keep(room.history, seed=seed, engine="f5")
        keep(room.history, seed=seed, engine="s1")
    met = set()
    for left in range(4, 0, -1):
        assert room.listening.waiting("anna") == left
        trial = room.listening.next("anna")
        assert {side.contender.engine for side in trial.sides} == {"f5", "s1"}
        met.add(trial.pair)
        room.vote(trial)
    assert len(met) == 4
    with pytest.raises(NoPairs):
        room.listening.next("anna")


def test_each_trial_is_the_next_of_all_pairs_until_every_pair_has_its_vote(room: Room) -> None:
    for seed in (1, 2):
        keep(room.history, seed=seed, engine="f5")
        keep(room.history, seed=seed, engine="s1")
    for place in range(1, 5):
        trial = room.listening.next("anna")
        assert room.listening.place("anna", trial) == (place, 4)
        assert room.listening.place("anna", room.vote(trial)) == (place, 4)


@pytest.mark.parametrize("other", [{"text": "Another line."}, {"clip_id": "another voice"}, {"engine": "f5"}])
def test_a_trial_that_next_would_not_draw_has_no_place(room: Room, other: dict[str, str]) -> None:
    takes = [keep(room.history, engine="f5"), keep(room.history, **({"engine": "s1", "seed": 2} | other))]  # type: ignore[arg-type]
    trial = room.listening.open("anna", takes[0].id, takes[1].id)
    assert room.listening.place("anna", trial) is None


def test_a_repeated_trial_has_no_place(room: Room) -> None:
    takes = [keep(room.history, engine=engine) for engine in ("f5", "s1")]
    first = room.listening.open("anna", takes[0].id, takes[1].id)
    room.vote(first)
    room.listening.reveal("anna", first.id)
    again = room.listening.open("anna", takes[0].id, takes[1].id)
    assert room.listening.place("anna", again) is None


def test_different_texts_are_told_in_an_order_that_does_not_follow_the_sides(room: Room) -> None:
    takes = [keep(room.history, text=text, seed=seed) for seed, text in enumerate(("Bravo.", "Alpha."), start=1)]
    reported = {tuple(trial_json(room.listening.open("anna", takes[0].id, takes[1].id))["texts"]) for _ in range(12)}
    assert reported == {("Alpha.", "Bravo.")}


def test_next_leaves_alone_what_says_nothing_about_two_arms(room: Room) -> None:
    keep(room.history, engine="f5")
    keep(room.history, engine="f5", seed=2)
    keep(room.history, engine="s1", text="Another line.")
    keep(room.history, engine="s1", clip_id="another voice")
    keep(room.history, "bert", engine="s1")
    room.history.delete("anna", keep(room.history, engine="s1").id)
    assert room.listening.waiting("anna") == 0


def test_next_passes_over_the_pair_that_was_left(room: Room) -> None:
    keep(room.history, engine="f5")
    for seed in (1, 2):
        keep(room.history, engine="s1", seed=seed)
    met = [room.listening.next("anna").pair for _ in range(8)]
    assert all(one != after for one, after in pairwise(met))


def test_a_trial_of_a_deleted_take_names_neither_when_it_is_refused(room: Room) -> None:
    said = set()
    for name in ("a", "b"):
        trial = room.open()
        room.history.delete("anna", trial.b.contender.take_id)
        with pytest.raises(UnknownTake) as refusal:
            room.listening.sound("anna", getattr(trial, name).token)
        said.add(str(refusal.value))
    assert len(said) == 1


def test_a_trial_of_a_deleted_take_stays_until_it_is_left(room: Room) -> None:
    trial = room.open()
    room.history.delete("anna", trial.a.contender.take_id)
    for side in (trial.a, trial.b):
        with pytest.raises(UnknownTake):
            room.listening.sound("anna", side.token)
    assert room.listening.current("anna") == trial
    room.listening.leave("anna", trial.id)
    assert room.listening.current("anna") is None


def test_a_pair_of_takes_counts_once_however_often_it_is_voted_on(room: Room) -> None:
    takes = keep(room.history, engine="f5").id, keep(room.history, engine="s1").id
    for count in range(3):
        trial = room.listening.open("anna", *takes)
        assert trial_json(trial)["repeats"] is (count > 0)
        room.vote(trial)
        assert trial_json(room.listening.reveal("anna", trial.id))["counts"] is (count == 0)
    (one,) = room.listening.tally("anna")
    assert one.wins + one.losses + one.ties == 1


def test_how_much_must_be_heard_is_one_number_that_the_shorter_side_has(room: Room) -> None:
    takes = [keep(room.history, seed=seed, audio=sound(length)) for seed, length in ((1, 0.5), (2, 0.9))]
    said = trial_json(room.listening.open("anna", takes[0].id, takes[1].id))
    assert said["must_hear_s"] == 0.4
    assert said["a"].keys() == said["b"].keys() == {"sound"}


def test_a_trial_with_a_vote_is_not_given_up(room: Room) -> None:
    trial = room.open()
    room.vote(trial)
    with pytest.raises(Decided, match="already has a vote"):
        room.listening.leave("anna", trial.id)


VOTER = """
import sys, time
from pathlib import Path
from studio.listening import Ballot, Listening
from studio.history import History
folder = Path(sys.argv[1])
clock = [time.time()]
listening = Listening(History(folder), folder, now=lambda: clock[0])
trial = listening.open("anna", *sys.argv[2:])
for side in trial.sides:
    listening.sound("anna", side.token)
clock[0] += 9.0
listening.vote("anna", trial.id, Ballot(choice="b", heard_a_s=2.0, heard_b_s=2.0))
print(trial.id, flush=True)
time.sleep(60)
"""


@pytest.mark.long
def test_a_vote_is_there_after_its_process_was_killed(room: Room, tmp_path: Path) -> None:
    takes = keep(room.history, engine="f5").id, keep(room.history, engine="s1").id
    voter = subprocess.Popen(
        [sys.executable, "-c", VOTER, tmp_path, *takes], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert voter.stdout is not None
    id = voter.stdout.readline().strip()
    os.kill(voter.pid, signal.SIGKILL)
    voter.wait()
    kept = Listening(room.history, tmp_path).reveal("anna", id)
    assert (kept.choice, kept.pair) == ("b", frozenset(takes))


@pytest.mark.parametrize("lose", WAYS.values(), ids=WAYS)
def test_votes_outlive_the_database_and_what_was_left_stays_forgotten(
    lose: Callable[[Path], None], room: Room, tmp_path: Path
) -> None:
    left, voted = room.open(), room.open()
    room.vote(voted)
    sealed, results = room.listening.reveal("anna", voted.id), room.listening.tally("anna")
    lose(tmp_path)
    again = Listening(History(tmp_path), tmp_path)
    assert again.reveal("anna", voted.id) == sealed
    assert again.tally("anna") == results
    with pytest.raises(UnknownTrial):
        again.leave("anna", left.id)
