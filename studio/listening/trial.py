"""A trial as it is kept, the ballot cast in it, and what can be wrong with either."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from studio.descriptions import SessionId
from studio.errors import Conflict, NotFound, StudioError
from studio.history import StoredTake
from studio.order import FlatOrder, flat

Choice = Literal["a", "b", "tie"]
Stage = Literal["open", "voted", "sealed"]

HEARD_S = 1.0  # of each side, before its listener may judge
HEARD_SHARE = 0.8  # of the shorter side where it is too short for that; a page cannot time the very ends of a sound
LINE = ("text", "clip_id", "champion")  # what is said, and by whom
VERSION = ("version", "attachment")  # of the champion


class UnknownTrial(NotFound):
    """No such trial for this session: it was left, or is somebody else's."""


class BadPair(StudioError):
    """These two takes cannot be heard against each other."""


class NoPairs(NotFound):
    """No two takes are left that one line and two arms made."""


class NotHeard(Conflict):
    """The vote came before both sides were heard."""


class Decided(Conflict):
    """What was asked fits the trial no longer: it has its vote, or its sides are known."""


@dataclass(frozen=True, slots=True)
class Arm:
    """What is compared, whatever it says and whichever noise it draws."""

    engine: str
    checkpoint: str
    settings: tuple[tuple[str, Any], ...]  # of the order, by name; one left alone is the checkpoint's own default


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """A take as it was when the trial began; it outlives the take."""

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
        """The seed, and what was not left to the studio: the engine's settings, which version of the champion."""
        versions = {name: value for name in VERSION if (value := getattr(self.order, name))}
        return {"seed": self.order.seed, **self.order.settings, **versions}

    @property
    def arm(self) -> Arm:
        settings = tuple((name, value) for name, value in self.settings.items() if name != "seed")
        return Arm(self.engine, self.checkpoint, settings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two, under the only name its sound has before the vote."""

    contender: Contender
    token: str  # random; opens the sound
    fetched_at: float | None  # seconds since 1970, UTC
    heard_s: float

    def there_s(self, now: float) -> float:
        """How long its listener has had the sound."""
        return 0.0 if self.fetched_at is None else now - self.fetched_at


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    id: str
    session_id: SessionId
    a: Side
    b: Side
    opened_at: float  # seconds since 1970, UTC, as the others
    choice: Choice | None
    voted_at: float | None
    sealed_at: float | None  # from then on its sides may be told, and the vote cannot be taken back
    repeats: bool = False  # an earlier trial of the same two takes has a sealed vote

    @property
    def stage(self) -> Stage:
        return "sealed" if self.sealed_at else "voted" if self.choice else "open"

    @property
    def sides(self) -> tuple[Side, Side]:
        return self.a, self.b

    @property
    def pair(self) -> frozenset[str]:
        """Ids of its takes."""
        return frozenset(side.contender.take_id for side in self.sides)

    @property
    def texts(self) -> tuple[str, ...]:
        """What the two takes say: one text, or two in an order that does not follow the sides."""
        return tuple(sorted({side.contender.order.text for side in self.sides}))

    @property
    def must_hear_s(self) -> float:
        """Of each side. One number, or it would tell which side is the shorter one."""
        return round(min(HEARD_S, *(HEARD_SHARE * side.contender.duration_s for side in self.sides)), 2)

    @property
    def counts(self) -> bool:
        """Whether its vote says something new about two arms: different ones, with one voice's same line."""
        a, b = self.a.contender, self.b.contender
        return not self.repeats and a.line == b.line and a.arm != b.arm

    @property
    def differs(self) -> Iterator[str]:
        """Names of what the two takes were not made alike with."""
        a, b = self.a.contender, self.b.contender
        orders = flat(a.order), flat(b.order)
        yield from (name for name in ("engine", "checkpoint") if getattr(a, name) != getattr(b, name))
        yield from (name for name in orders[0] if name != "engine" and orders[0][name] != orders[1][name])


@dataclass(frozen=True, slots=True, kw_only=True)
class Ballot:
    """A vote, and how long each side was heard for it, in seconds."""

    choice: Choice
    heard_a_s: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    heard_b_s: Annotated[float, Field(ge=0, allow_inf_nan=False)]

    def believed(self, trial: Trial, now: float) -> "Ballot":
        """The ballot with no more heard than there was time for since the server sent the sounds.

        Raises NotHeard where that is too little; both sides cannot be heard at once, so their times add up.
        """
        a_s = min(self.heard_a_s, trial.a.there_s(now))
        b_s = min(self.heard_b_s, trial.b.there_s(now))
        for name, heard_s in (("A", a_s), ("B", b_s)):
            if not heard_s >= trial.must_hear_s:
                raise NotHeard(f"side {name} was not heard yet; listen to both sides, then vote")
        if max(side.there_s(now) for side in trial.sides) < 2 * trial.must_hear_s:
            raise NotHeard("the listening time is too short; listen to both sides, then vote")
        return Ballot(choice=self.choice, heard_a_s=round(a_s, 2), heard_b_s=round(b_s, 2))
