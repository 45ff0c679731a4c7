"""Add lines to a render that has not ended."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace

from studio.script.rendering import LineRender, Render


@dataclass(frozen=True, slots=True, kw_only=True)
class Addition:
    """Lines to add to a render. `failures` has the lines that cannot be rendered, by key, with the reason."""

    wanted: Sequence[LineRender]
    failures: Mapping[str, str]
    again: bool  # make further takes in addition to requested ones


def extended(render: Render, unfinished: Set[str], addition: Addition) -> Render:
    """Return the render with more lines, and more takes of lines that it has. A finished line counts once more."""
    wanted = addition.wanted
    lines = {each.key: each for each in render.lines}
    again = {each.key for each in wanted} & {*render.finished}
    for each in wanted:
        lines[each.key] = _merged(lines[each.key], each, addition.again) if each.key in unfinished else each
    keys = {each.key for each in wanted}
    kept = {key: reason for key, reason in render.failures.items() if key not in keys}
    return replace(
        render,
        lines=tuple(lines.values()),
        failures={**kept, **addition.failures},
        finished=tuple(key for key in render.finished if key not in again),
        again=render.again + len(again),
    )


def _merged(line: LineRender, more: LineRender, again: bool) -> LineRender:
    merged = {
        voice: _further(line.varieties.get(voice, ()), further)
        if again
        else _united(line.varieties.get(voice, ()), further)
        for voice, further in more.varieties.items()
    }
    return replace(line, varieties={**line.varieties, **merged})


def _further(before: tuple[int, ...], more: tuple[int, ...]) -> tuple[int, ...]:
    first = max((*before, min(more, default=0) - 1)) + 1
    return (*before, *range(first, first + len(more)))


def _united(before: tuple[int, ...], more: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted({*before, *more}))
