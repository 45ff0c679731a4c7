"""Write the result of a soak as a single HTML page without scripts."""

import os
from collections import Counter
from collections.abc import Sequence
from html import escape
from pathlib import Path

import numpy as np

from bench.machine import machine
from tests.faults.soak import DONE, MB, Rest, Soaked, faults, slope_mb
from tests.faults.soak_plan import DOORS

WIDTH, HEIGHT, EDGE = 640, 220, 44
STYLE = """
:root { color-scheme: light dark; } body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem;
padding: 0 1rem; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; } th, td { padding: .2rem .7rem;
text-align: right; border-bottom: 1px solid #8884; } th:first-child, td:first-child { text-align: left; }
svg text { fill: currentColor; font-size: 12px; } .wrong { color: #c7511b; }
"""


def write_report(path: Path, soaked: Soaked, seed: int) -> Path:
    """Write the page, and return its path."""
    wrong = faults(soaked)
    found = "".join(f"<li class=wrong>{escape(each)}</li>" for each in wrong) or "<li>none</li>"
    facts = {**machine(), "seed": seed, "requests": len(soaked.ended), "seconds": round(soaked.seconds)}
    facts |= {"load": os.getloadavg(), "memory, MB per 100 requests": round(slope_mb(soaked.rests), 2)}
    head = "".join(f"<tr><td>{escape(name)}<td>{escape(str(value))}" for name, value in facts.items())
    parts = (
        ("", head),
        ("Faults", f"<ul>{found}</ul>"),
        ("Ends by door", _ends(soaked)),
        ("Seconds of finished requests", _seconds(soaked)),
        ("Memory at rest", _curve(soaked.rests)),
        ("The studio at rest", _rests(soaked.rests)),
    )
    body = "".join(f"<h2>{title}</h2>{html if html[1] in 'us' else f'<table>{html}</table>'}" for title, html in parts)
    path.parent.mkdir(parents=True, exist_ok=True)
    page = f"<!doctype html><meta charset=utf-8><title>Soak</title><style>{STYLE}</style><h1>Soak</h1>{body}"
    path.write_text(page, "utf-8")
    return path


def _row(cells: Sequence[object], cell: str = "td") -> str:
    return "<tr>" + "".join(f"<{cell}>{escape(str(each))}" for each in cells)


def _ends(soaked: Soaked) -> str:
    counted = Counter((one.end, one.asked.door) for one in soaked.ended)
    ends = sorted({end for end, _ in counted}, key=lambda end: (end != DONE, end))
    rows = [_row([end, *(counted[end, door] or "" for door in DOORS)]) for end in ends]
    total = Counter(one.asked.door for one in soaked.ended)
    return _row(["end", *DOORS], "th") + "".join(rows) + _row(["all", *(total[door] for door in DOORS)])


def _seconds(soaked: Soaked) -> str:
    rows = [_row(["door", "P50", "P95", "P99", "longest"], "th")]
    for door in DOORS:
        took = [one.seconds for one in soaked.ended if one.asked.door == door and one.end == DONE]
        if took:
            rows.append(_row([door, *(f"{value:.2f}" for value in (*np.percentile(took, (50, 95, 99)), max(took)))]))
    return "".join(rows)


def _rests(rests: Sequence[Rest]) -> str:
    head = _row(["requests", "memory, MB", "open files", "threads", "temporary files"], "th")
    rows = [_row([r.requests, round(r.rss_bytes / MB), r.files, r.threads, r.temporary]) for r in rests]
    return head + "".join(rows)


def _curve(rests: Sequence[Rest]) -> str:
    memory = [each.rss_bytes / MB for each in rests]
    least, most = min(memory), max(memory) + 1
    last = max(1, rests[-1].requests)
    points = " ".join(
        f"{EDGE + each.requests / last * (WIDTH - 2 * EDGE):.0f},"
        f"{HEIGHT - EDGE - (value - least) / (most - least) * (HEIGHT - 2 * EDGE):.0f}"
        for each, value in zip(rests, memory, strict=True)
    )
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}"><polyline points="{points}" fill="none" stroke="#2a6fc9" '
        f'stroke-width="2"/><text x="0" y="{EDGE}">{most:.0f} MB</text><text x="0" y="{HEIGHT - EDGE}">{least:.0f} MB'
        f'</text><text x="{WIDTH - EDGE}" y="{HEIGHT - 16}" text-anchor="end">{last} requests</text></svg>'
    )
