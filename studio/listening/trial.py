"""A trial, its ballot, and their errors."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from studio.disk.descriptions import SessionId
from studio.errors import Conflict, NotFound, StudioError
from studio.history import StoredTake
from studio.order import FlatOrder, flat

Choice = Literal["a", "b", "tie"]
Stage = Literal["open", "voted", "sealed"]

HEARD_S = 1.0  # time that a listener must hear of each side before voting
HEARD_SHARE = 0.8  # enough for a short side, because a page cannot time the very ends of a sound
LINE = ("text", "clip_id", "champion")  # fields of an order that define the line: its text and its voice
VERSION = (
    "version",
    "attachment",
    "design",
)  # fields of an order that define the version of the champion, or a new voice


class UnknownTrial(NotFound):
    """This session has no such trial: the trial was left, or belongs to another session."""


class BadPair(StudioError):
    """These two takes cannot be compared."""


class NoPairs(NotFound):
    """No pair of takes shares a line and differs in its arm."""


class NotHeard(Conflict):
    """The vote was sent before both sides were heard."""


class Decided(Conflict):
    """The request does not fit the trial any more: it has a vote, or its sides are disclosed."""


@dataclass(frozen=True, slots=True)
class Arm:
    """The compared properties of a take: engine, checkpoint and settings, without text and seed."""

    engine: str
    checkpoint: str
    settings: tuple[tuple[str, Any], ...]  # chosen settings of the order, by name; others are the checkpoint's defaults


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """A take as it was when the trial began; the record outlives the take."""

    take_id: str
    engine: str
    checkpoint: str
    sample_rate: int  # Hz
    duration_s: float
    order: FlatOrder

    @classmethod
    def of(cls, take: StoredTake) -> "Contender":
        return cls(
            take_id=take.id,
            engine=take.engine,
            checkpoint=take.checkpoint,
            sample_rate=take.sample_rate,
            duration_s=take.duration_s,
            order=take.order,
        )

    @property
    def line(self) -> tuple[str, ...]:
        return tuple(getattr(self.order, name) for name in LINE)

    @property
    def settings(self) -> Mapping[str, Any]:
        """Return the seed, the chosen settings of the engine, and the chosen version of the voice."""
        versions = {name: value for name in VERSION if (value := getattr(self.order, name))}
        return {"seed": self.order.seed, **self.order.settings, **versions}

    @property
    def arm(self) -> Arm:
        # Each seed gives another voice of a design.
        settings = tuple((name, value) for name, value in self.settings.items() if name != "seed" or self.order.design)
        return Arm(self.engine, self.checkpoint, settings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two sides of a trial. Before the vote, the page knows the sound only by a token."""

    contender: Contender
    token: str  # random; the address of the sound
    fetched_at: float | None  # seconds since 1970, UTC
    heard_s: float

    def since_fetch_s(self, now: float) -> float:
        """Return the seconds since the listener fetched the sound; 0 if the sound was not fetched."""
        return 0.0 if self.fetched_at is None else now - self.fetched_at


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A blind comparison of two takes of a session."""

    id: str
    session_id: SessionId
    a: Side
    b: Side
    opened_at: float  # seconds since 1970, UTC, like the other times
    choice: Choice | None
    voted_at: float | None
    sealed_at: float | None  # from this time on, the sides are disclosed and the vote is final
    repeats: bool = False  # an earlier trial of the same two takes has a sealed vote

    @property
    def stage(self) -> Stage:
        return "sealed" if self.sealed_at else "voted" if self.choice else "open"

    @property
    def sides(self) -> tuple[Side, Side]:
        return self.a, self.b

    @property
    def pair(self) -> frozenset[str]:
        """Return the ids of the two takes."""
        return frozenset(side.contender.take_id for side in self.sides)

    @property
    def texts(self) -> tuple[str, ...]:
        """Return the text of the takes; if they differ, both texts, sorted, so that the order reveals no side."""
        return tuple(sorted({side.contender.order.text for side in self.sides}))

    @property
    def must_hear_s(self) -> float:
        """Return the seconds for which each side must be heard: one value, so that it does not reveal the shorter side."""
        return round(min(HEARD_S, *(HEARD_SHARE * side.contender.duration_s for side in self.sides)), 2)

    @property
    def counts(self) -> bool:
        """Return True if the vote counts: the two arms differ, voice and line are equal, and the pair has no earlier vote."""
        a, b = self.a.contender, self.b.contender
        return not self.repeats and a.line == b.line and a.arm != b.arm

    @property
    def differs(self) -> Iterator[str]:
        """Yield the names of the properties that differ between the two takes."""
        a, b = self.a.contender, self.b.contender
        orders = flat(a.order), flat(b.order)
        yield from (name for name in ("engine", "checkpoint") if getattr(a, name) != getattr(b, name))
        yield from (name for name in orders[0] if name != "engine" and orders[0][name] != orders[1][name])


@dataclass(frozen=True, slots=True, kw_only=True)
class Ballot:
    """A vote, and the seconds for which each side was heard."""

    choice: Choice
    heard_a_s: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    heard_b_s: Annotated[float, Field(ge=0, allow_inf_nan=False)]

    def believed(self, trial: Trial, now: float) -> "Ballot":
        """Return the ballot with listening times limited to the time since the server sent the sounds.

        Raises NotHeard if they are too short. Both sides cannot be heard at once, so their times add up.
        """
        a_s = min(self.heard_a_s, trial.a.since_fetch_s(now))
        b_s = min(self.heard_b_s, trial.b.since_fetch_s(now))
        for name, heard_s in (("A", a_s), ("B", b_s)):
            if not heard_s >= trial.must_hear_s:
                raise NotHeard(f"you have not listened to {name} long enough; listen to both sides, then vote")
        if max(side.since_fetch_s(now) for side in trial.sides) < 2 * trial.must_hear_s:
            raise NotHeard("you have not listened long enough; listen to both sides, then vote")
        return Ballot(choice=self.choice, heard_a_s=round(a_s, 2), heard_b_s=round(b_s, 2))
