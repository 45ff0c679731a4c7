"""The values of an order that identify its audio when they are hashed."""

from dataclasses import replace
from typing import Any

from studio.languages import is_english
from studio.order import Order, flat

NAMES_OF_0_3_0 = frozenset(  # values that are always hashed, so that takes of version 0.3.0 keep their hashes
    (
        "attachment", "champion", "clip_id", "end_s", "engine", "guidance", "repetition_penalty", "seed", "speed", "start_s",
        "steps", "temperature", "text", "top_p", "transcript", "version",
    )
)  # fmt: skip


def hashed_values(order: Order) -> dict[str, Any]:
    """Return the values that are hashed to identify the audio of an order.

    Values that were added after version 0.3.0 count only if they are chosen, so that the hashes of earlier takes stay equal.
    English is not counted as chosen: earlier takes are all in English.
    """
    chosen = order.settings
    if is_english(order.language):
        order = replace(order, language="")
    return {
        name: value
        for name, value in flat(order).items()
        if name in NAMES_OF_0_3_0
        or name in chosen
        or getattr(order, name, None)  # settings are no attributes of an order
    }
