"""Requests drawn from a description of routes (OpenAPI): as it allows them, and against it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING, Any

import requests
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.browser.serving import Served
from tests.waiting import until

if TYPE_CHECKING:  # Gradio and schemathesis take seconds, which collecting other tests need not
    from schemathesis import Case

WAIT_S = 60.0
BATCH = 500  # drawn at a time: what was drawn before is remembered
Known = Mapping[str, Sequence[object]]  # what exists, by the names of fields that ask for it


def of_gradio() -> dict[str, Any]:
    """Gradio's own routes, which are the same for every page."""
    from gradio import Blocks
    from gradio.routes import App

    return App.create_app(Blocks()).openapi()


def attack(served: Served, described: dict[str, Any], number: int, start: int, strict: bool = True) -> Counter[str]:
    """So many requests; how many of each route were answered with which status and, if `strict`, what is wrong with answers."""
    import schemathesis
    from schemathesis.generation import GenerationMode

    schema, counted = schemathesis.openapi.from_dict(described), Counter[str]()
    operations = [found.ok() for found in schema.get_all_operations()]
    modes = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
    cases = st.one_of([each.as_strategy(generation_mode=mode) for each in operations for mode in modes])
    for batch in range(max(1, number // BATCH)):
        visitor, known = stocked(served.url)

        @seed(start + batch)
        @settings(
            max_examples=min(number, BATCH),
            phases=[Phase.generate],
            database=None,
            deadline=None,
            suppress_health_check=[*HealthCheck],
        )
        @given(cases, st.randoms(use_true_random=False))
        def send(case: "Case", draw: Random) -> None:
            if draw.random() < 0.5:
                know(case, known, draw)  # noqa: B023
            session = visitor if draw.random() < 0.7 else requests.Session()  # noqa: B023
            counted[answered(served.url, case, session, strict)] += 1

        send()
    return counted


def stocked(url: str) -> tuple[requests.Session, Known]:
    """A visitor who has a clip and a champion, whatever was deleted before, and what they are called."""
    visitor = requests.Session()
    visitor.post(f"{url}/studio/champions/ahri/restore", timeout=WAIT_S)
    visitor.post(f"{url}/studio/engines/bell/load", timeout=WAIT_S)
    until(lambda: visitor.get(f"{url}/ready", timeout=WAIT_S).ok)
    clip = visitor.get(f"{url}/studio/clips", timeout=WAIT_S).json()["samples"][0]["id"]
    # Loads the recogniser, which would look like a leak where it came late.
    visitor.post(f"{url}/studio/clips/{clip}/transcribe", json={"start_s": 0, "end_s": 2.5}, timeout=WAIT_S)
    version = visitor.get(f"{url}/studio/champions/ahri", timeout=WAIT_S).json().get("version", "")
    takes = [take["id"] for take in visitor.get(f"{url}/studio/takes", timeout=WAIT_S).json()]
    jobs = [job["id"] for job in visitor.get(f"{url}/studio/jobs", timeout=WAIT_S).json()]
    return visitor, {
        "id": ["ahri", clip, *takes[:2], *jobs[:2]],
        "name": ["bell", "amber"],
        "championId": ["ahri"],
        "voice": ["ahri", "amber"],
        "model": ["bell", ""],
        "expected": [version],
        "version": [version],
        "input": ["tick", "tick tock"],
        "text": ["tick", "tick tock"],
        "start_s": [0],
        "end_s": [2.5],
    }


def answered(url: str, case: "Case", session: requests.Session, strict: bool) -> str:
    """The route and the status, or what came instead."""
    label = case.operation.label
    try:
        with session.request(**case.as_transport_kwargs(url), timeout=WAIT_S, stream=True) as answer:
            if not answer.headers.get("content-type", "").startswith("text/event-stream"):  # which may have no end
                answer.content  # noqa: B018
            return f"{label} {answer.status_code}{fault(answer) if strict else ''}"
    except (requests.RequestException, ValueError) as error:
        return f"{label} {type(error).__name__}: {str(error)[:150]}"


def fault(answer: requests.Response) -> str:
    """What is wrong with an answer of our own routes, if anything is."""
    if answer.status_code < 400:
        return ""
    kind = answer.headers.get("content-type")
    if kind != "application/problem+json":
        return f" is no problem document: {kind} {answer.text[:80]}"
    return "" if answer.json()["detail"] else " says nothing"


def know(case: "Case", known: Known, draw: Random) -> None:
    """Name what exists in place of what was drawn."""
    for named in (case.path_parameters, case.query, case.body):
        if isinstance(named, dict):
            named.update({field: draw.choice(known[field]) for field in named.keys() & known.keys()})
