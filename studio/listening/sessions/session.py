"""A listening session: its arms, lines and method."""

import unicodedata
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from studio.errors import Conflict, NotFound, StudioError, Unavailable
from studio.order import FlatOrder

Method = Literal["ab", "ab_reference", "abx", "mos", "mushra"]
RANKED: tuple[Method, ...] = ("ab", "ab_reference")  # methods whose votes rank the arms
PAIRED: tuple[Method, ...] = ("ab", "ab_reference", "abx")  # methods whose trials have two arms
SESSION_PREFIX = "listening-"  # prefix of the sessions that store the takes in the history
ARMS_MAX, LINES_MAX, TRIALS_MAX, QUESTIONS_MAX = 8, 200, 100, 20
NAME_MAX, TEXT_MAX = 80, 300  # characters
DIRECTION_MARKS = range(0x202A, 0x202F), range(0x2066, 0x206A)  # embeddings, overrides and isolates
MUSHRA_ARMS_MAX = 6  # more sliders do not fit a screen

Name = Annotated[str, Field(min_length=1, max_length=NAME_MAX)]
Sentence = Annotated[str, Field(min_length=1, max_length=TEXT_MAX)]


class UnknownSession(NotFound):
    """There is no such listening session."""


class InvalidInvitation(NotFound):
    """The link is unknown, expired or withdrawn, or its session is closed or full."""


class BadSession(StudioError):
    """The definition of a listening session has a mistake."""


class PlanIsFixed(Conflict):
    """The plan of a session with votes cannot change."""


class SessionNotReady(Unavailable):
    """The takes of the session are not made yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionArm:
    """An arm: a voice with an engine, settings and a seed. The text of its order is empty."""

    name: Name  # for the owner; listeners never see it
    voice: str  # the id of a champion or the name of a sample, as the owner chose it
    order: FlatOrder


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question that follows the trials."""

    text: Sentence
    choices: tuple[Sentence, ...] = ()  # empty for a free answer


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPlan:
    """The owner's choices for a listening session. They cannot change after the first vote."""

    name: Name
    question: Sentence
    method: Method
    arms: Annotated[tuple[SessionArm, ...], Field(max_length=ARMS_MAX)]
    lines: Annotated[tuple[Sentence, ...], Field(max_length=LINES_MAX)]
    trials: Annotated[int, Field(ge=1, le=TRIALS_MAX)] = 10  # of each listener
    practice: Annotated[int, Field(ge=0, le=10)] = 1  # trials that do not count
    catches: bool = True  # trials with an obvious answer, which find listeners who do not listen
    headphones: bool = False  # check for headphones first
    arena: bool = False  # new listeners hear most often the pairs whose winner is least certain
    shows_text: bool = True  # listeners see the line
    title: Annotated[str, Field(max_length=NAME_MAX)] = (
        ""  # for listeners; the name is for the owner, and may name arms
    )
    reference: int = 0  # index of the arm that is the hidden reference of MUSHRA
    questions: Annotated[tuple[Question, ...], Field(max_length=QUESTIONS_MAX)] = ()

    def check(self) -> None:
        """Raise BadSession if the parts do not fit together."""
        texts = [self.name, self.question, *self.lines, *(arm.name for arm in self.arms)]
        if not all(text.strip() for text in texts):
            raise BadSession("a name, the question or a line is empty; type a text")
        asked = (text for one in self.questions for text in (one.text, *one.choices))
        for text in (*texts, self.title, *asked):
            if hidden := next(filter(_is_hidden, text), ""):
                shown = text.replace(hidden, "")
                raise BadSession(f'the text "{shown}" contains the invisible character U+{ord(hidden):04X}; delete it')
        least = 1 if self.method == "mos" else 2
        if len(self.arms) < least:
            raise BadSession(f"the method needs at least {least} arms; add an arm")
        if not self.lines:
            raise BadSession("the session has no lines; type at least one line")
        names = [arm.name.strip().casefold() for arm in self.arms]
        if len(set(names)) < len(names):
            raise BadSession("two arms have the same name; rename one of them")
        if len({(*arm.order.settings.items(), repr(arm.order)) for arm in self.arms}) < len(self.arms):
            raise BadSession("two arms have the same voice, engine and settings; change one of them")
        if self.arena and self.method not in RANKED:
            raise BadSession(
                "only A/B and A/B with reference can be an arena; choose another method or switch the arena off"
            )
        if self.method == "ab_reference" and len({_voice(arm) for arm in self.arms}) > 1:
            raise BadSession(
                "the reference is the clip of one voice, so all arms need the same voice; change the voices"
            )
        if self.method == "mushra" and len(self.arms) > MUSHRA_ARMS_MAX:
            raise BadSession(f"MUSHRA compares at most {MUSHRA_ARMS_MAX} arms; remove some")
        if not 0 <= self.reference < len(self.arms):
            raise BadSession("the reference is not one of the arms; choose the reference again")


def _is_hidden(sign: str) -> bool:
    """Return True for characters that could disguise a text: controls, line separators, and marks that turn its direction."""
    is_control = unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp")
    return is_control or any(ord(sign) in marks for marks in DIRECTION_MARKS)


def _voice(arm: SessionArm) -> tuple[str, str]:
    return arm.order.champion, arm.order.clip_id


@dataclass(frozen=True, slots=True, kw_only=True)
class ListeningSession:
    """A stored listening session."""

    id: str
    plan: SessionPlan
    created_at: float  # seconds since 1970, UTC
    rendering: bool = False  # missing takes are being made
    closed: bool = False  # listeners cannot vote any more
    deleted: bool = False
    failure: str = ""  # why the render stopped

    @property
    def session_id(self) -> str:
        """Return the session in which the history stores the takes."""
        return f"{SESSION_PREFIX}{self.id}"
