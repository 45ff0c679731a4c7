"""Fields of OpenAI's speech request that an engine cannot follow, although clients send them.

OpenAI allows a wider range of paces than the engines, and some engines have no pace. The studio speaks such a request anyway,
and headers of the answer name what was adjusted or ignored.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from engines.registry import settings
from engines.types import Request, Setting
from studio.order import Order

ADJUSTED, IGNORED = "x-adjusted", "x-ignored"


def adjust(order: Order, known: Mapping[str, Setting]) -> Order:
    """Return the order with the nearest pace that an engine with these settings can follow, or without a pace."""
    chosen = dict(order.settings)
    for name in chosen.keys() & _paces():
        value = chosen.pop(name)
        if name in known:
            chosen[name] = min(max(value, known[name].least), known[name].most)
    return replace(order, settings=chosen)


def adjustments(
    asked: Mapping[str, object], made: Request, ignored: Iterable[str], changed: Iterable[str] = ()
) -> dict[str, str]:
    """Return headers that name changed and ignored fields.

    A field is changed if `asked` has another value than `made`, and ignored if `made` lacks the field or `ignored` names it.
    `changed` are more entries for the header, such as `instructions=whispering`.
    """
    given = {name: value for name, value in asked.items() if name in _paces()}
    used = {name: made.settings.get(name) for name in given}
    adjusted = [f"{name}={value:g}" for name, value in used.items() if value is not None and value != given[name]]
    lost = [name for name in given if used[name] is None and given[name] != _paces()[name].default]
    named = {ADJUSTED: ", ".join([*adjusted, *changed]), IGNORED: ", ".join([*lost, *ignored])}
    return {header: value for header, value in named.items() if value}


def _paces() -> dict[str, Setting]:
    """Return the settings that set the pace of an engine, by name."""
    return {name: setting for name, setting in settings().items() if setting.scales == "pace"}
