"""Write the results of a benchmark as `results.json` and as `report.html`, a single page without scripts or other files.

The page depends only on the results. Distributions and bars scale with the page width; their labels are HTML text next to
them.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

Found = Mapping[str, Any]
Point = tuple[float, float]

STYLE = """
:root { color-scheme: light dark; --ink: light-dark(#1c2024, #e8eaed); --dim: light-dark(#5c6670, #9aa4ae);
  --ground: light-dark(#fff, #15181b); --line: light-dark(#dfe3e7, #30363c);
  --c0: light-dark(#2a6fc9, #5b9df0); --c1: light-dark(#c7511b, #f08a56); --c2: light-dark(#14805a, #3fc495);
  --c3: light-dark(#6b4fc0, #a895f0); --c4: light-dark(#a3357f, #e47fc4); --c5: light-dark(#80690a, #cfb341); }
body { margin: 0 auto; max-width: 68rem; padding: 1rem; background: var(--ground); color: var(--ink);
  font: 15px/1.45 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .2rem; } p { margin: .2rem 0 .6rem; color: var(--dim); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; } dt { color: var(--dim); } dd { margin: 0; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .6rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); }
th { color: var(--dim); font-weight: 500; } th:first-child, td:first-child { text-align: left; padding-left: 0; }
.row { display: grid; grid-template-columns: 15rem 1fr 12rem; gap: .75rem; align-items: center; margin-bottom: .3rem; }
.row svg { display: block; width: 100%; height: 1.4rem; } .row b { font-weight: 400; text-align: right; color: var(--dim);
  font-variant-numeric: tabular-nums; }
.axis { position: relative; height: 1.2rem; color: var(--dim); font-size: .8rem; }
.axis i { position: absolute; width: max-content; transform: translateX(-50%); font-style: normal; }
.axis i:first-child { transform: none; } .axis i:last-child { transform: translateX(-100%); }
svg * { vector-effect: non-scaling-stroke; } .grid { stroke: var(--line); fill: none; }
.chart { width: 100%; max-width: 28rem; height: auto; font-size: 12px; } .chart text { fill: var(--dim); }
.key { list-style: none; padding: 0; margin: 0; } .key svg { width: 1.6rem; height: .6rem; margin-right: .5rem; }
@media (max-width: 44rem) { .row { grid-template-columns: 1fr auto; gap: 0 .75rem; margin-bottom: .6rem; }
  .row > :nth-child(2) { grid-row: 2; grid-column: 1 / 3; } .row > :last-child { grid-row: 1; grid-column: 2; } }
"""


def write(folder: Path, found: Found) -> Path:
    """Write both files; return the path of the page."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.json").write_text(json.dumps(found, indent=1, allow_nan=False) + "\n")
    (folder / "report.html").write_text(page(found), "utf-8")
    return folder / "report.html"


def page(found: Found) -> str:
    """Return the HTML page for the results of any command."""
    parts = _runs(found) if "samples" in found else _crowds(found) if "rows" in found else _upstream(found)
    head = {**found["machine"], **found.get("versions", {}), **found.get("asked", {})}
    for number, each in enumerate(found.get("calibration", []), start=1):
        head[f"calibration {number}"] = (
            f"{each['gflop_s']:,} GFLOP/s ({each['product']}), {each['copy_gb_s']:,} GB/s (copy)"
        )
    facts = "".join(f"<dt>{escape(name)}</dt><dd>{escape(_as_text(value))}</dd>" for name, value in head.items())
    start = '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    title = "Champion Voice Studio: bench"
    return (
        f"{start}<title>{title}</title><style>{STYLE}</style><h1>{title}</h1><dl>{facts}</dl>{''.join(parts)}</html>\n"
    )


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


# The parts of the page for each command.


def _runs(found: Found) -> Iterable[str]:
    """Yield the parts for configurations of engines."""
    known = {each["name"]: each for each in found["configurations"]}
    samples: dict[str, list[Found]] = {name: [] for name in known}
    for sample in found["samples"]:
        samples[sample["configuration"]].append(sample)
    heard = {name: lines for name, lines in samples.items() if lines}
    figures = {name: summary(known[name], lines) for name, lines in heard.items()}
    for name in samples.keys() - heard.keys():
        yield f"<p>{escape(name)} was not measured: {escape(known[name].get('failed', 'no line was spoken'))}</p>"
    columns = ("lines", "latency P50", "P95, ms", "first P50", "P95, ms", "RTF P50", "sound s/s", "MB held", "× floor")
    yield table(("", *columns), [(name, *values.values()) for name, values in figures.items()])
    for key, title, scale, unit in (
        ("total_s", "Latency", 1000, "ms to the last sample"),
        ("ttfa_s", "First sound", 1000, "ms (TTFA)"),
        ("rtf", "RTF", 1, "seconds of compute a second of sound"),
    ):
        yield strips(title, unit, {name: [scale * each[key] for each in lines] for name, lines in heard.items()})
    series: dict[str, list[Point]] = {}
    for name, values in figures.items():
        own = known[name]
        series.setdefault(name.replace(f"{own['batch']} × ", ""), []).append((own["batch"], values["sound"]))
    yield curves("Throughput", "lines at once", "seconds of sound a second", series)
    memory = {name: {"held": lines[-1]["memory_bytes"] / 1e6} for name, lines in heard.items()}
    for name, lines in heard.items():
        if most := max(each["working_bytes"] for each in lines):  # on a GPU
            memory[name]["largest extra memory of a line"] = most / 1e6
    yield bars("Memory", "MB of weights and caches that the engine holds", memory)
    floors = {
        name: {
            "reading weights": 1000 * known[name]["floor"]["read_s"],
            "arithmetic": 1000 * known[name]["floor"]["compute_s"],
            "measured": 1000 * float(np.median([each["wall_s"] for each in lines])),
        }
        for name, lines in heard.items()
    }
    yield bars(
        "Distance to the floor",
        "ms for all lines of a round. Computed from the configuration: bytes to read at the bandwidth of a copy, and"
        " floating point operations at the rate of a large product, both as calibrated above. Norms, vocoder, sampling and"
        " launches are not counted, so no program reaches it",
        floors,
    )


def summary(known: Found, lines: Sequence[Found]) -> dict[str, Any]:
    """Return the figures of a configuration's lines."""
    rounds = {each["round"]: each["wall_s"] for each in lines}
    floor_s = max(known["floor"]["read_s"], known["floor"]["compute_s"])
    latency, first = ([1000 * each[key] for each in lines] for key in ("total_s", "ttfa_s"))
    return {
        "lines": len(lines),
        "latency_p50": quantile(latency, 0.5),
        "latency_p95": quantile(latency, 0.95),
        "first_p50": quantile(first, 0.5),
        "first_p95": quantile(first, 0.95),
        "rtf": quantile([each["rtf"] for each in lines], 0.5),
        "sound": sum(each["audio_s"] for each in lines) / sum(rounds.values()),
        "held": lines[-1]["memory_bytes"] / 1e6,
        "floors": quantile(list(rounds.values()), 0.5) / floor_s,
    }


def _crowds(found: Found) -> Iterable[str]:
    """Yield the parts for crowds of listeners."""
    for arrival, listeners in found["largest"].items():
        yield f"<p>{escape(arrival)}: at most {listeners} listeners without a refusal or a stall.</p>"
    rows = {f"{row['arrival']} × {row['listeners']}": row for row in found["rows"]}
    heard = {name: row for name, row in rows.items() if row["heard"]}
    columns = ("lines", "failed", "ran dry", "latency, ms", "first P50", "P95, ms", "RTF")
    scales = {
        "lines": 1,
        "failed": 1,
        "stalled": 1,
        "latency_mean_s": 1e3,
        "first_p50_s": 1e3,
        "first_p95_s": 1e3,
        "rtf": 1,
    }
    cells = [
        (name, *(row[key] * by if key in row else None for key, by in scales.items())) for name, row in rows.items()
    ]
    yield table(("", *columns), cells)
    for key, title, unit in (
        ("first_s", "First sound", "ms (TTFA)"),
        ("latency_s", "Latency", "ms to the last sample"),
    ):
        yield strips(title, unit, {name: [1000 * each[key] for each in row["heard"]] for name, row in heard.items()})
    yield strips(
        "Stalls", "ms of silence within a line", {n: [1000 * e["dry_s"] for e in r["heard"]] for n, r in heard.items()}
    )
    late: dict[str, list[Point]] = {}
    sound: dict[str, list[Point]] = {}
    for row in sorted(heard.values(), key=lambda row: row["listeners"]):
        late.setdefault(row["arrival"], []).append((row["listeners"], 1000 * row["first_p95_s"]))
        sound.setdefault(row["arrival"], []).append((row["listeners"], row["audio_s"] / row["wall_s"]))
    yield curves("First sound against listeners", "listeners", "P95, ms", late)
    yield curves("Throughput against listeners", "listeners", "seconds of sound a second", sound)


def _upstream(found: Found) -> Iterable[str]:
    """Yield the parts that compare the same weights in upstream's package and ours."""
    for engine, each in found["upstream"].items():
        if each.get("failed"):
            yield f"<p>{escape(engine)}: {escape(each['failed'])}</p>"
        rows = {name: {"upstream": row["upstream"], "ours": row["ours"]} for name, row in each["rows"].items()}
        yield bars(each["title"], each["unit"], rows)
        times = {name: row["ours"] / row["upstream"] for name, row in each["rows"].items()}
        times = times if each["more_is_better"] else {name: 1 / value for name, value in times.items()}
        yield table(("", "× upstream"), list(times.items()))


# Drawing.


def quantile(samples: Sequence[float], share: float) -> float:
    """Return a quantile, interpolated linearly."""
    return float(np.quantile(samples, share))


def number(value: object) -> str:
    """Format a number with three significant digits."""
    if not isinstance(value, float):
        return "–" if value is None else str(value)
    digits = 2 - math.floor(math.log10(abs(value))) if value else 0
    return f"{value:,.{min(max(digits, 0), 6)}f}"


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    top = "".join(f"<th>{escape(head)}</th>" for head in heads)
    body = "".join(f"<tr>{''.join(f'<td>{escape(number(cell))}</td>' for cell in row)}</tr>" for row in rows)
    return f'<div class="wide"><table><tr>{top}</tr>{body}</table></div>'


def ticks(most: float, least_step: float = 0.0) -> list[float]:
    """Return some round numbers from 0 to at least `most`."""
    most = most or 1.0
    rough = max(most / 4, least_step)
    power = 10 ** math.floor(math.log10(rough))
    step = power * next(factor for factor in (1, 2, 2.5, 5, 10) if factor * power >= rough * 0.999)
    return [step * each for each in range(math.ceil(most / step - 1e-9) + 1)]


def strips(title: str, unit: str, rows: Mapping[str, Sequence[float]]) -> str:
    """Draw a distribution for each row: its samples, the middle half, and the median."""

    def marks(samples: Sequence[float], scale: float) -> str:
        low, middle, high = (quantile(samples, share) * scale for share in (0.25, 0.5, 0.75))
        each = "".join(f"M{value * scale:.2f} 2.5v5" for value in samples)
        box = f'<rect x="{low:.2f}" y="1" width="{high - low:.2f}" height="8" fill="var(--c0)" opacity=".25"/>'
        return f'{box}<path d="{each}" stroke="var(--c0)"/><path d="M{middle:.2f} 0v10" stroke="var(--c1)" stroke-width="3"/>'

    most = max((max(samples) for samples in rows.values()), default=0.0)
    texts = {name: f"P50 {number(quantile(s, 0.5))} · P95 {number(quantile(s, 0.95))}" for name, s in rows.items()}
    note = f"{unit}. Each tick is a line; the box is the middle half, the bar the median."
    return _rows(title, note, most, {name: (marks, samples, texts[name]) for name, samples in rows.items()})


def bars(title: str, unit: str, rows: Mapping[str, Mapping[str, float]]) -> str:
    """Draw some bars for each row, one below the other, with one legend for all rows."""

    def marks(values: Sequence[float], scale: float) -> str:
        high = 10 / max(1, len(values))
        return "".join(
            f'<path d="M0 {(place + 0.15) * high:.2f}h{value * scale:.2f}v{0.7 * high:.2f}H0" fill="var(--c{place})"/>'
            for place, value in enumerate(values)
        )

    most = max((max(row.values()) for row in rows.values()), default=0.0)
    texts = {name: " · ".join(number(float(value)) for value in row.values()) for name, row in rows.items()}
    drawn = {name: (marks, list(row.values()), texts[name]) for name, row in rows.items()}
    return _rows(title, f"{unit}.", most, drawn, _key(next(iter(rows.values()), {})))


def _rows(
    title: str, note: str, most: float, rows: Mapping[str, tuple[Any, Sequence[float], str]], key: str = ""
) -> str:
    places = ticks(most)
    scale = 100 / places[-1]
    grid = f'<path class="grid" d="{"".join(f"M{place * scale:.2f} 0v10" for place in places)}"/>'
    drawn = "".join(
        f'<div class="row"><span>{escape(name)}</span><svg viewBox="0 0 100 10" preserveAspectRatio="none" role="img"'
        f' aria-label="{escape(text)}">{grid}{marks(values, scale)}</svg><b>{escape(text)}</b></div>'
        for name, (marks, values, text) in rows.items()
    )
    axis = "".join(f'<i style="left:{place * scale:.4g}%">{place:,.10g}</i>' for place in places)
    axis = f'<div class="row"><span></span><div class="axis">{axis}</div><b></b></div>'
    return f"<h2>{escape(title)}</h2><p>{escape(note)}</p>{key}{drawn}{axis}"


def _key(names: Iterable[str]) -> str:
    items = "".join(
        f'<li><svg viewBox="0 0 10 4" preserveAspectRatio="none"><path d="M0 2h10" stroke="var(--c{place % 6})"'
        f' stroke-width="4"{_dashes(place)}/></svg>{escape(name)}</li>'
        for place, name in enumerate(names)
    )
    return f'<ul class="key">{items}</ul>'


def _dashes(place: int) -> str:
    return ' stroke-dasharray="5 3"' if place >= 6 else ""


def curves(title: str, across: str, up: str, series: Mapping[str, Sequence[Point]]) -> str:
    """Draw a curve for each series of points."""
    if not series:
        return ""
    points = [point for line in series.values() for point in line]
    xs, ys = ticks(max(x for x, _ in points), 1), ticks(max(y for _, y in points))
    left, top, width, height = 48, 10, 300, 180

    def at(x: float, y: float) -> str:
        return f"{left + width * x / xs[-1]:.1f} {top + height * (1 - y / ys[-1]):.1f}"

    drawn = [f'<path class="grid" d="{"".join(f"M{at(0, y)}h{width}" for y in ys)}"/>']
    for y in ys:
        drawn.append(
            f'<text x="{left - 6}" y="{float(at(0, y).split()[1]) + 4:.1f}" text-anchor="end">{y:,.10g}</text>'
        )
    for x in xs:
        drawn.append(f'<text x="{at(x, 0).split()[0]}" y="{top + height + 18}" text-anchor="middle">{x:,.10g}</text>')
    drawn.append(f'<text x="{left + width / 2}" y="{top + height + 36}" text-anchor="middle">{escape(across)}</text>')
    for place, line in enumerate(series.values()):
        path, color = "L".join(at(*point) for point in sorted(line)), f"var(--c{place % 6})"
        drawn.append(f'<path d="M{path}" fill="none" stroke="{color}" stroke-width="2"{_dashes(place)}/>')
        dots = "".join(f"M{at(*point)}h.01" for point in line)
        drawn.append(f'<path d="{dots}" stroke="{color}" stroke-width="7" stroke-linecap="round"/>')
    svg = f'<svg class="chart" viewBox="0 0 {left + width + 16} {top + height + 44}" role="img">{"".join(drawn)}</svg>'
    return f"<h2>{escape(title)}</h2><p>{escape(up)} over {escape(across)}.</p>{_key(series)}{svg}"
