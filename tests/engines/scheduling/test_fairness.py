"""Sessions take turns: no second request runs before another's first, none is forgotten, and the shown order is kept."""

import random

import pytest

from engines.scheduling.fairness import Rotation, donors, keeps_row_free


class Desk:
    """Serves one request at a time, each written as the letter of its session and a number."""

    def __init__(self, *waiting: str) -> None:
        self.rotation, self.waiting = Rotation(), list(waiting)

    def order(self) -> list[str]:
        return self.rotation.order(self.waiting, lambda one: one[0])

    def serve(self) -> str:
        chosen = self.order()[0]
        self.rotation.served(chosen[0], [one[0] for one in self.waiting])
        self.waiting.remove(chosen)
        return chosen


def test_a_new_session_precedes_a_session_that_was_just_served() -> None:
    desk = Desk("a1", "a2", "a3")
    assert desk.serve() == "a1"
    desk.waiting.append("b1")
    assert desk.order() == ["b1", "a2", "a3"]


def test_waiting_sessions_alternate() -> None:
    assert Desk("a1", "a2", "a3", "b1", "b2", "c1").order() == ["a1", "b1", "c1", "a2", "b2", "a3"]


def test_one_sessions_requests_keep_their_order() -> None:
    assert Desk("a1", "a2", "a3").order() == ["a1", "a2", "a3"]


@pytest.mark.parametrize("newcomers", [1, 2])
def test_endless_new_sessions_delay_nobody_forever(newcomers: int) -> None:
    desk = Desk("a1", "a2")
    assert desk.serve() == "a1"
    served = []
    for turn in range(6):
        desk.waiting += [f"{chr(ord('b') + newcomers * turn + each)}1" for each in range(newcomers)]
        served.append(desk.serve())
    assert "a2" in served[: newcomers + 1]


def test_turns_of_long_ago_do_not_count() -> None:
    desk = Desk("a1")
    desk.serve()
    desk.waiting += ["b1", "c1"]
    desk.serve()
    desk.waiting += ["a2", "d1"]
    assert desk.order() == ["c1", "a2", "d1"]


def test_a_session_that_leaves_delays_nobody() -> None:
    desk = Desk("a1", "a2", "b1", "c1")
    desk.serve()
    desk.waiting.remove("b1")
    assert [desk.serve(), desk.serve()] == ["c1", "a2"]


def test_the_shown_order_is_the_order_of_service() -> None:
    draw = random.Random(7)
    for _ in range(200):
        desk = Desk()
        for number in range(20):  # sessions join and leave
            desk.waiting += [f"{draw.choice('abcd')}{number}" for _ in range(draw.randrange(3))]
            if desk.waiting and draw.random() < 0.6:
                desk.serve()
            if desk.waiting and draw.random() < 0.2:
                desk.waiting.remove(draw.choice(desk.waiting))
        reported = desk.order()
        assert [desk.serve() for _ in reported] == reported


@pytest.mark.parametrize(
    ("running", "settled", "waiting", "expected"),
    [
        ("aab", "...", "c", [0]),  # two rows more than a session without a row
        ("aab", "...", "a", []),  # its requests wait for its own rows
        ("ab", "..", "c", []),  # one row more, and the turn has just started
        ("ab", "xx", "c", [0]),  # the longest turn ends
        ("ab", ".x", "c", [1]),
        ("ab", "xx", "cd", [0, 1]),
        ("ab", "xx", "cccc", [0]),  # a session needs one row at a time
        ("aaa", "...", "b", [0]),
        ("aaaa", "....", "bc", [0, 1]),
        ("aabb", "xxxx", "ab", []),
        ("ab", "xx", "", []),
    ],
)
def test_rows_go_to_sessions_with_fewer(running: str, settled: str, waiting: str, expected: list[int]) -> None:
    assert donors(list(running), [each == "x" for each in settled], list(waiting)) == expected


@pytest.mark.parametrize(
    ("running", "free", "kept"), [("", 2, False), ("a", 1, True), ("b", 1, False), ("a", 2, False)]
)
def test_a_session_leaves_the_last_row_to_others(running: str, free: int, kept: bool) -> None:
    assert keeps_row_free("a", list(running), free) is kept
