"""The results of a listening session as one HTML file without external parts."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from studio.listening.sessions.evidence import PAIR_SHARE, scale_of
from studio.listening.sessions.session import SessionPlan

WIDTH, ROW, LABEL = 640, 36, 180  # pixels of the plot
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color-scheme: light dark }
table { border-collapse: collapse; margin: 1rem 0 }
th, td { padding: .3rem .8rem; border-bottom: 1px solid #8886; text-align: left }
svg text { fill: currentColor; font-size: 14px } svg line { stroke: currentColor } .dim { opacity: .4 }
"""


def report(plan: SessionPlan, results: Mapping[str, Any]) -> str:
    """Return the report; `results` come from `results_json`."""
    body = "\n".join(_body(plan, results))
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(plan.name)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head><body>{body}</body></html>\n'
    )


def _body(plan: SessionPlan, results: Mapping[str, Any]) -> Iterator[str]:
    yield f"<h1>{escape(plan.name)}</h1><p>{escape(plan.question)}</p>"
    yield f"<p>{results['votes']} counted votes, method {escape(plan.method)}.</p>"
    scale = scale_of(plan)
    ranked = results["standings"] if scale != PAIR_SHARE else [{**one, "arm": one["first"]} for one in results["pairs"]]
    rows = [
        (plan.arms[one["arm"]].name, one["share"], one["low"], one["high"])
        for one in ranked
        if one["share"] is not None
    ]
    rows += [
        (_name(plan, one["arm"]), one["mean"], one["low"] or one["mean"], one["high"] or one["mean"])
        for one in results["opinions"]
    ]
    if rows:
        yield f"<h2>Results: {escape(scale)}, with 95 % intervals</h2>"
        yield _plot(rows, *_limits(plan))
        yield _table(["arm", scale, "from", "to"], [[name, *map(_number, rest)] for name, *rest in rows])
    if results["pairs"]:
        yield "<h2>Pairs</h2>" + _table(*_pairs(plan, results["pairs"]))
    if any(one["heard"] or one["faulty"] or one["mos"] or one["likeness"] for one in results["scores"]):
        yield "<h2>Automatic checks</h2>" + _table(*_checks(plan, results["scores"]))
    excluded = [(one["id"], one["excluded"]) for one in results["listeners"] if one["excluded"]]
    if excluded:
        yield "<h2>Excluded listeners</h2>" + _table(["listener", "reason"], excluded)


def _limits(plan: SessionPlan) -> tuple[float, float]:
    return {"mos": (1.0, 5.0), "mushra": (0.0, 100.0)}.get(plan.method, (0.0, 1.0))


def _pairs(plan: SessionPlan, pairs: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[list[str]]]:
    if plan.method == "abx":
        head = ["first", "second", "right answers", "of", "p", "difference heard"]
        return head, [[*_arms(plan, one), str(one["correct"]), str(one["count"]), *_decision(one)] for one in pairs]
    head = ["first", "second", "wins", "losses", "ties", "p", "decided"]
    counts = ("wins", "losses", "ties")
    return head, [[*_arms(plan, one), *(str(one[name]) for name in counts), *_decision(one)] for one in pairs]


def _checks(plan: SessionPlan, scores: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[list[str]]]:
    head = ["arm", "takes with compared words", "with lost words", "with audio faults", "predicted MOS", "likeness"]
    counts, means = ("heard", "lost", "faulty"), ("mos", "likeness")
    return head, [
        [
            arm.name,
            *(str(one[name]) for name in counts),
            *("not checked" if one[name] is None else _number(one[name]) for name in means),
        ]
        for arm, one in zip(plan.arms, scores, strict=True)
    ]


def _arms(plan: SessionPlan, pair: Mapping[str, Any]) -> list[str]:
    return [plan.arms[pair[name]].name for name in ("first", "second")]


def _decision(pair: Mapping[str, Any]) -> list[str]:
    return [f"{pair['p']:.3f}", "yes" if pair["decided"] else "no"]


def _plot(rows: Sequence[tuple[str, float, float, float]], low: float, high: float) -> str:
    def at(value: float) -> float:
        return LABEL + (WIDTH - LABEL - 20) * (min(max(value, low), high) - low) / (high - low)

    parts = [
        f'<line class="dim" x1="{at(end):.0f}" x2="{at(end):.0f}" y1="0" y2="{ROW * len(rows)}"/>'
        for end in (low, high)
    ]
    for place, (name, value, least, most) in enumerate(rows):
        y = ROW * place + ROW / 2
        parts.append(f'<text x="0" y="{y + 5:.0f}">{escape(name)}</text>')
        parts.append(f'<line x1="{at(least):.1f}" x2="{at(most):.1f}" y1="{y:.0f}" y2="{y:.0f}" stroke-width="2"/>')
        parts.append(f'<circle cx="{at(value):.1f}" cy="{y:.0f}" r="6" fill="currentColor"/>')
    size = f'width="{WIDTH}" height="{ROW * len(rows)}" viewBox="0 0 {WIDTH} {ROW * len(rows)}"'
    return f'<svg {size} role="img" aria-label="Results with intervals">{"".join(parts)}</svg>'


def _name(plan: SessionPlan, arm: str) -> str:
    return plan.arms[int(arm)].name if arm.isdigit() else arm


def _number(value: float) -> str:
    return f"{value:.2f}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    heads = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    lines = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{heads}</tr>{lines}</table>"
