"""Plan the requests of a soak from a seed: door, text, engine and fate of each request."""

from dataclasses import dataclass
from random import Random
from typing import Literal

from tests.faults.faulty_engines import DEATH, MEMORY

DOORS = ("http", "websocket", "page", "speak", "mcp", "script")
WEIGHTS = (30, 20, 16, 10, 12, 12)
Fate = Literal["plain", "cancelled", "left", "memory", "death", "malformed"]
SHARES: dict[Fate, float] = {"cancelled": 0.05, "left": 0.05, "memory": 0.02, "death": 0.01, "malformed": 0.02}
LINES = (
    "The bridge is out.",
    "Hold the gate until dawn.",
    "Take the long way round.",
    "Nobody crosses the river tonight.",
    "Wake the others, quietly.",
)


@dataclass(frozen=True, slots=True)
class Asked:
    """One request of a soak."""

    number: int
    id: str  # its X-Request-Id
    door: str
    engine: str
    text: str
    fate: Fate
    moment: float  # when it is cancelled or left: 0 = at once, 1 = late
    draw: int  # random number: the seed of the take, or the kind of malformed request


def plan(number: int, seed: int, engines: tuple[str, ...]) -> list[Asked]:
    """Draw the requests. Each fault has its exact share, at least one; the order is random."""
    draw = Random(seed)
    fates: list[Fate] = [fate for fate, share in SHARES.items() for _ in range(max(1, round(share * number)))]
    fates += ["plain"] * (number - len(fates))
    draw.shuffle(fates)
    return [_asked(place, fate, seed, engines, draw) for place, fate in enumerate(fates)]


def _asked(place: int, fate: Fate, seed: int, engines: tuple[str, ...], draw: Random) -> Asked:
    door, line = draw.choices(DOORS, WEIGHTS)[0], draw.choice(LINES)
    word = {"memory": f" Such a {MEMORY}.", "death": f" Such {DEATH}."}.get(fate, "")
    return Asked(
        number=place,
        id=f"soak-{seed}-{place:06}",
        door=door,
        engine=draw.choice(engines),
        text=f"{line}{word}",
        fate=fate,
        moment=draw.random(),
        draw=draw.randrange(2**31),
    )
