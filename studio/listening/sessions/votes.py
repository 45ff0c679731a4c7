"""A listener's vote, and its check against the method."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints

from studio.errors import StudioError
from studio.listening.sessions.session import Method
from studio.listening.trial import NotHeard

NAMES = "ABCDEFGH"  # of the sides
CHOICES: Mapping[Method, tuple[str, ...]] = {
    "ab": ("a", "b", "tie", "both_bad"),
    "ab_reference": ("a", "b", "tie", "both_bad"),
    "abx": ("a", "b"),
    "mos": (),
    "mushra": (),
}
SCORES: Mapping[Method, tuple[float, float]] = {"mos": (1, 5), "mushra": (0, 100)}
SLACK_S = 0.05  # because a page cannot time sounds exactly

Seconds = Annotated[float, Field(ge=0, le=86_400, allow_inf_nan=False)]
Short = Annotated[str, StringConstraints(max_length=40)]


class BadVote(StudioError):
    """The vote does not fit the trial."""


class ListenerVote(BaseModel):
    """A vote of the page for listeners."""

    trial: Short
    choice: Short | None = None
    scores: Annotated[dict[Short, Annotated[float, Field(allow_inf_nan=False)]], Field(max_length=len(NAMES))] = {}
    heard_s: Annotated[dict[Short, Seconds], Field(max_length=len(NAMES) + 1)] = {}
    took_s: Seconds = 0.0

    def check_choice(self, choices: tuple[str, ...]) -> None:
        """Raise BadVote if the choice is not among the choices."""
        if self.choice not in choices:
            raise BadVote(f"choose one of {', '.join(choices)}; reload the page if it shows other choices")

    def check_scores(self, method: Method, names: str) -> None:
        """Raise BadVote unless each side has a score within the limits of the method."""
        low, high = SCORES[method]
        if set(self.scores) != set(names) or not all(low <= score <= high for score in self.scores.values()):
            raise BadVote(f"give each sound a score from {low:g} to {high:g}, then send the vote again")

    def check_heard(self, unsent: Sequence[str], names: Iterable[str], must_hear_s: float) -> None:
        """Raise NotHeard if the page did not load a sound, or the sound was not heard long enough."""
        for name in names:
            if name in unsent or self.heard_s.get(name, 0.0) < must_hear_s - SLACK_S:
                raise NotHeard(f"you have not listened to {name} long enough; listen to it, then vote")

    def check_time(self, open_s: float, least_s: float) -> None:
        """Raise NotHeard if the sounds were sent too recently for a listener to have heard all of them."""
        if open_s < least_s - SLACK_S:
            raise NotHeard("you have not listened long enough; listen to all sounds, then vote")
