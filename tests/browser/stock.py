"""Things with long names and long texts, for tests that look at the page: takes, champions, sheets."""

import io
from typing import Any

import numpy as np
import soundfile
from playwright.sync_api import Page, Route

from studio.champions.library import Library
from studio.history import History, StoredTake
from studio.web.session import COOKIE, session_id_of
from tests.browser.serving import Served
from tests.browser.visiting import Visitor
from tests.studio.champions.voices import keep as keep_champion
from tests.studio.listening.takes import keep, sound

NAME = "Captain Ysolde Featherstonehaugh-Cholmondeley of the Northern Reaches"
LONG_ID = "captain-ysolde-featherstonehaugh-of-the-northern-reaches-01"
SENTENCE = "Hold the gate until the last of the wounded are through, and then burn the bridge behind you. "
SHEET = "Act two, the siege of the northern gate, barks and cinematics, final final v7"
PEAKS = [round(0.2 + 0.7 * abs(np.sin(place / 7)), 2) for place in range(200)]
WHY = "the reference and the take differ in timbre: likeness 0.41, at least 0.55 expected; try another seed or a longer clip"
CHECKS = ("length", "silence", "clipping", "level", "noise", "pace", "pitch")


def session_of(visitor: Visitor) -> str:
    """The session of this visitor, who may not have opened the page yet."""
    visitor.page.goto(visitor.url + "/health")
    (cookie,) = [one for one in visitor.page.context.cookies() if one["name"] == COOKIE]
    return session_id_of(cookie["value"])


def stock_takes(visitor: Visitor, served: Served, texts: list[str], **order: Any) -> list[StoredTake]:
    """Takes of 0.4 s in this visitor's history, in the order in which they were made."""
    history, who = History(served.log.parent), session_of(visitor)
    parts = {"champion": "", **order}
    return [
        keep(history, who, text=text, seed=700_000_000 + at, audio=sound(0.4, seed=at), **parts)
        for at, text in enumerate(texts)
    ]


def stock_champion(served: Served, id: str = LONG_ID) -> None:
    keep_champion(Library(served.log.parent), id, name=NAME, notes=SENTENCE * 4, line=SENTENCE)


def stock_sheet(visitor: Visitor, rows: list[tuple[str, str, str, str]]) -> None:
    """The only project: one sheet with ids, characters, texts and notes."""
    api, root = visitor.page.request, f"{visitor.url}/studio/projects"
    for project in api.get(root).json():
        api.delete(f"{root}/{project['id']}")
    project = api.post(root, data={"name": SHEET}).json()["id"]
    text = "\n".join("\t".join(cells) for cells in [("id", "character", "text", "notes"), *rows])
    assert api.post(f"{root}/{project}/sheets/paste", data={"text": text, "name": f"{SHEET}.tsv"}).ok


def line_take(id: str, number: int = 1, **facts: Any) -> dict[str, Any]:
    """A take of a line as the studio reports one: seven checks passed, one in doubt, one failed."""
    measured = {"message": "as expected", "model": "", "value": 1.0}
    checks = [{"name": name, "outcome": "ok", **measured} for name in CHECKS]
    checks += [
        {"name": "words", "outcome": "doubt", "message": "“wounded” sounds like “wooded”", "model": "", "value": 0.9},
        {"name": "likeness", "outcome": "fail", "message": WHY, "model": "Resemblyzer", "value": 0.41},
    ]
    reported = {
        **{
            "id": id,
            "number": number,
            "voice": LONG_ID,
            "engine": "f5",
            "seed": 1_234_567_890,
            "duration_s": 0.4,
            "length_s": 0.4,
        },
        **{"mark": "", "comment": "", "stale": False, "proposed": number == 1, "score": 0.71},
        **{"peaks": PEAKS, "checks": checks},
    }
    return reported | facts


def show_takes(page: Page, takes: dict[str, list[dict[str, Any]]]) -> None:
    """Let the page see these takes of the lines with these ids, and hear a short sound for each."""

    def tell(route: Route) -> None:
        answer = route.fetch()
        shown = answer.json()
        for line in shown["lines"]:
            if line["cells"] and line["cells"][0] in takes:
                line |= {"takes": takes[line["cells"][0]], "status": "made", "why": ""}
        route.fulfill(response=answer, json=shown)

    heard = io.BytesIO()
    soundfile.write(heard, sound(0.4).samples, 24_000, format="WAV")
    page.route("**/studio/projects/*/sheets/*", tell)
    page.route("**/studio/projects/*/sheets/*?since=*", tell)
    page.route("**/studio/projects/*/takes/*/audio.wav", lambda route: route.fulfill(body=heard.getvalue()))
