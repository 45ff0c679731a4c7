"""Sessions take turns: nobody's second comes before another's first, nobody is forgotten, and the order told is kept."""

import random

import pytest

from engines.scheduling.fairness import Rotation, donors, keeps_row_free


class Desk:
    """Serves one request at a time, each written as its session_id's letter and a number."""

    def __init__(self, *waiting: str) -> None:
        self.rotation, self.waiting = Rotation(), list(waiting)

    def order(self) -> list[str]:
        return self.rotation.order(self.waiting, lambda one: one[0])

    def serve(self) -> str:
        chosen = self.order()[0]
        self.rotation.served(chosen[0], [one[0] for one in self.waiting])
        self.waiting.remove(chosen)
        return chosen


def test_whoever_comes_is_next_after_one_who_was_just_served() -> None:
    desk = Desk("a1", "a2", "a3")
    assert desk.serve() == "a1"
    desk.waiting.append("b1")
    assert desk.order() == ["b1", "a2", "a3"]


def test_those_who_wait_alternate() -> None:
    assert Desk("a1", "a2", "a3", "b1", "b2", "c1").order() == ["a1", "b1", "c1", "a2", "b2", "a3"]


def test_one_sessions_requests_keep_their_order() -> None:
    assert Desk("a1", "a2", "a3").order() == ["a1", "a2", "a3"]


@pytest.mark.parametrize("newcomers", [1, 2])
def test_endless_newcomers_keep_nobody_waiting(newcomers: int) -> None:
    desk = Desk("a1", "a2")
    assert desk.serve() == "a1"
    served = []
    for turn in range(6):
        desk.waiting += [f"{chr(ord('b') + newcomers * turn + each)}1" for each in range(newcomers)]
        served.append(desk.serve())
    assert "a2" in served[: newcomers + 1]


def test_what_somebody_was_served_long_ago_does_not_count() -> None:
    desk = Desk("a1")
    desk.serve()
    desk.waiting += ["b1", "c1"]
    desk.serve()
    desk.waiting += ["a2", "d1"]
    assert desk.order() == ["c1", "a2", "d1"]


def test_who_leaves_the_line_holds_up_nobody() -> None:
    desk = Desk("a1", "a2", "b1", "c1")
    desk.serve()
    desk.waiting.remove("b1")
    assert [desk.serve(), desk.serve()] == ["c1", "a2"]


def test_the_order_that_is_told_is_the_order_that_is_served() -> None:
    draw = random.Random(7)
    for _ in range(200):
        desk = Desk()
        for number in range(20):  # come and go
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
        ("aab", "...", "c", [0]),  # two rows more than a session with none
        ("aab", "...", "a", []),  # its own requests wait for its own
        ("ab", "..", "c", []),  # one row more, and the turn has just begun
        ("ab", "xx", "c", [0]),  # the longest turn ends
        ("ab", ".x", "c", [1]),
        ("ab", "xx", "cd", [0, 1]),
        ("ab", "xx", "cccc", [0]),  # a session asks for one row at a time
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
