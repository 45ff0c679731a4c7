"""Every page shows what the studio knows: after switching, sleep, a cut network and a restart, while something renders."""

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from studio.champions.library import Library
from studio.history import History
from studio.web.session import COOKIE, session_id_of
from tests.browser.serving import PATIENCE_S, Served, free_port, serving
from tests.browser.test_script import QUICK, bring
from tests.browser.visiting import DESKTOP, Visitor, visiting
from tests.studio.champions import voices
from tests.studio.listening import takes
from tests.waiting import until

WALKS, STEPS = 30, 8
WITHIN_S = 3.0  # the page shows the truth
HIDE = """(hidden) => {
  for (const [name, value] of [['hidden', hidden], ['visibilityState', hidden ? 'hidden' : 'visible']])
    Object.defineProperty(document, name, { configurable: true, get: () => value });
  document.dispatchEvent(new Event('visibilitychange'));
}"""
SHEET = "id\tcharacter\ttext\n" + "\n".join(f"L_{count}\tAhri\tLine {count} of the walk." for count in range(6))
NETWORK = ("ERR_INTERNET_DISCONNECTED", "ERR_FAILED", "ERR_CONNECTION", "ERR_NETWORK", "ERR_EMPTY", "WebSocket")

# What the page says, as far as a look at it can tell.
SHOWN = """() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const text = (selector) => document.querySelector(selector)?.textContent ?? '';
  const page = document.body.dataset.page;
  const shown = { page, render: text('.running-render:not([hidden]) .task-words') };
  if (page === 'script')
    shown.lines = all('.line-grid .line-row[data-key]')
      .map((row) => [row.dataset.key, ['.c-text', '.take-count'].map((name) => row.querySelector(name).textContent),
                     row.querySelector('.c-status').dataset.state].flat());
  if (page === 'script') shown.project = document.querySelector('[aria-label=Project]').selectedOptions[0]?.textContent;
  if (page === 'speak') shown.takes = all('.takes li.take .take-text').map((one) => one.textContent);
  if (page === 'champions') shown.champions = all('li.champion').map((one) => one.dataset.id);
  if (page === 'compare') shown.compare = text('#page-compare .listening');
  if (page === 'monitor') shown.requests = text('#page-monitor');
  shown.lost = text('.strip .state.failed').includes('No connection');
  return shown;
}"""


@dataclass
class Walk:
    """One visitor who walks at random while a sheet renders, and what the page took to show the truth."""

    visitor: Visitor
    served: Served
    restart: Callable[[], Served]
    chance: random.Random
    patience_s: float
    sheet: str = ""
    took_s: list[float] = field(default_factory=list)
    did: list[str] = field(default_factory=list)
    count: int = 0

    @property
    def page(self) -> Page:
        return self.visitor.page

    def ask(self, path: str) -> Any:
        return self.page.request.get(f"{self.visitor.url}/studio/{path}", max_retries=3).json()

    # What can happen.

    def switch(self) -> None:
        name = self.chance.choice(["Speak", "Script", "Compare", "Champions", "Monitor"])
        self.page.locator(".header nav").get_by_role("link", name=name).click()

    def sleep(self) -> None:
        """The tab is hidden while the studio goes on."""
        self.page.evaluate(HIDE, True)
        self.change()
        self.page.evaluate(HIDE, False)

    def freeze(self) -> None:
        """The browser stops every timer of the tab."""
        tab = self.page.context.new_cdp_session(self.page)
        tab.send("Page.setWebLifecycleState", {"state": "frozen"})
        self.change()
        tab.send("Page.setWebLifecycleState", {"state": "active"})
        tab.detach()

    def cut(self) -> None:
        self.page.context.set_offline(True)
        self.change()
        self.switch()
        self.page.context.set_offline(False)

    def lose(self) -> None:
        """Requests get no answer, and the browser does not know that the network is gone."""
        self.page.route("**/studio/**", lambda route: route.abort())
        self.change()
        self.look_lost()
        self.page.unroute("**/studio/**")

    def stop_and_start(self) -> None:
        """Kill the studio while it renders."""
        self.served.process.kill()
        self.served.process.wait()
        self.look_lost()
        self.served = self.restart()

    def look_lost(self) -> None:
        """The page says that the studio No connection; Compare asks nothing that names engines."""
        until(lambda: self.page.evaluate(SHOWN)["lost"] or self.is_comparing(), self.patience_s)

    def change(self) -> None:
        """Do something elsewhere."""
        self.count += 1
        act = self.chance.choice([self.edit, self.mark, self.make, self.keep_or_drop, self.render])
        self.did.append(f"  {act.__name__}")
        act()

    def edit(self) -> None:
        sheet = self.ask(self.sheet)
        cell = {"line": self.chance.choice(sheet["lines"])["key"], "column": 2, "value": f"Edited {self.count} times."}
        assert self.page.request.patch(f"{self.visitor.url}/studio/{self.sheet}", data={"cells": [cell]}).ok

    def mark(self) -> None:
        made = [line for line in self.ask(self.sheet)["lines"] if line["takes"]]
        for line in made[:1]:
            mark = {"line": line["key"], "take": line["takes"][0]["id"], "mark": self.chance.choice(["hold", "select"])}
            assert self.page.request.patch(f"{self.visitor.url}/studio/{self.sheet}", data={"marks": [mark]}).ok

    def make(self) -> None:
        history = History(self.served.log.parent)
        who = owner_of(self.visitor)
        takes.keep(history, who, text=f"Take {self.count}.", seed=self.count, audio=takes.sound(1.0, seed=self.count))

    def keep_or_drop(self) -> None:
        known, root = [one["id"] for one in self.ask("champions")], f"{self.visitor.url}/studio/champions"
        if len(known) > 1:
            assert self.page.request.delete(f"{root}/{known[0]}").ok
        else:
            copy = {"as_id": f"copy-{self.chance.randrange(10**9)}"}
            answer = self.page.request.post(f"{root}/{known[0]}/duplicate", data=copy)
            assert answer.ok, answer.text()

    def render(self) -> None:
        sheet = self.sheet.split("/")[-1]
        how = {
            "sheet": sheet,
            "takes": 1,
            "again": True,
            "lines": [one["key"] for one in self.ask(self.sheet)["lines"]],
        }
        self.page.request.post(f"{self.visitor.url}/studio/{self.sheet.rsplit('/sheets')[0]}/render", data=how)

    # What is true.

    def is_comparing(self) -> bool:
        return bool(self.page.evaluate("document.body.dataset.page === 'compare'"))

    def answers_for(self, page: str) -> dict[str, Any]:
        """What the studio says of what this page shows."""
        path = {"script": self.sheet, "compare": "trials", "monitor": "telemetry?series=false", "speak": "takes"}
        return {"renders": self.ask("projects/renders"), page: self.ask(path.get(page, page))}

    def look(self) -> None:
        """The page says what the studio said since this look began. Meanwhile the render goes on."""
        began, reported = time.monotonic(), list[dict[str, Any]]()

        def agrees() -> bool:
            shown = self.page.evaluate(SHOWN)
            page = shown["page"]
            reported.append(self.answers_for(page))
            says = CHECKS[page]
            return (
                not shown["lost"]
                and any(renders_are(shown["render"], each["renders"]) for each in reported)
                and any(says(shown, each[page]) for each in reported if page in each)
            )

        try:
            until(agrees, self.patience_s)
        except AssertionError:
            renders = [(each["sheet_name"], each["done"], each["total"]) for each in reported[-1]["renders"]]
            raise AssertionError(f"after {self.did}: {self.page.evaluate(SHOWN)}; {renders}; {reported[-1]}") from None
        self.took_s.append(time.monotonic() - began)

    def go(self, steps: int) -> None:
        self.render()
        self.look()
        chosen = [self.chance.choice([self.switch, self.sleep, self.freeze, self.cut, self.lose]) for _ in range(steps)]
        chosen[self.chance.randrange(steps)] = self.stop_and_start
        for act in chosen:
            self.did.append(act.__name__)
            act()
            self.look()
            self.switch()
            self.look()


def renders_are(shown: str, renders: list[dict[str, Any]]) -> bool:
    if not renders:
        return not shown
    return f"{renders[0]['sheet_name']}: {renders[0]['done']} of {renders[0]['total']}" in shown


def lines_are(shown: dict[str, Any], sheet: dict[str, Any]) -> bool:
    runs = sheet["render"] and sheet["render"]["state"] == "running"
    known = {line["key"]: line for line in sheet["lines"] if not line["deleted"]}
    if len(shown["lines"]) != len(known) or shown["project"] != "Act":
        return False
    for key, text, count, state in shown["lines"]:
        line = known[key]
        states = {line["status"]} if line["status"] != "made" else {"made", "faulty", "doubt"}
        states = {"rendering"} if runs and key in sheet["render"]["making"] else states
        if text != line["cells"][2] or state not in states:
            return False
        if count.partition("/")[2] != str(len(line["takes"]) or ""):
            return False
    return True


CHECKS: dict[str, Callable[[dict[str, Any], Any], bool]] = {
    "script": lines_are,
    "speak": lambda shown, takes: shown["takes"] == [take["order"]["text"] for take in takes],
    "champions": lambda shown, reported: sorted(shown["champions"]) == sorted(one["id"] for one in reported),
    "compare": lambda shown, reported: (
        (f"Pairs to compare: {reported['pairs']}." if reported["pairs"] else "Go to Speak") in shown["compare"]
    ),
    "monitor": lambda shown, reported: f"{reported['outcomes'].get('done', 0)} done" in shown["requests"],
}


def owner_of(visitor: Visitor) -> str:
    (cookie,) = [one for one in visitor.page.context.cookies() if one["name"] == COOKIE]
    return session_id_of(cookie["value"])


@dataclass
class House:
    """A studio that can be killed and started again."""

    data: Path
    port: int = field(default_factory=free_port)
    running: list[Any] = field(default_factory=list)
    served: Served | None = None

    def start(self) -> Served:
        """The one that runs, or a new one where it was killed."""
        if self.served and self.served.process.poll() is None:
            return self.served
        self.stop()
        context = serving(self.data, self.port, STUDIO_ENGINES="f5")
        self.running = [context]
        self.served = context.__enter__()
        return self.served

    def stop(self) -> None:
        while self.running:
            self.running.pop().__exit__(None, None, None)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    made = House(tmp_path_factory.mktemp("live") / "data")
    yield made
    made.stop()


def walk(browser: Browser, house: House, seed: int, steps: int, patience_s: float) -> Walk:
    served = house.start()
    with visiting(browser, served, viewport=DESKTOP) as visitor:  # in a context that ends with the walk
        visitor.refusals_expected = True
        bring(visitor, SHEET, {"Ahri": {"": [QUICK]}})
        voices.keep(Library(house.data), f"champion-{seed}-{steps}")
        project = visitor.page.request.get(f"{visitor.url}/studio/projects", max_retries=3).json()[-1]
        path = f"projects/{project['id']}/sheets/{project['sheets'][0]['id']}"
        walker = Walk(visitor, served, house.start, random.Random(seed), patience_s, path)
        walker.go(steps)
        visitor.complaints[:] = [said for said in visitor.complaints if not any(name in said for name in NETWORK)]
    return walker


@pytest.mark.parametrize("seed", [1, 2])
def test_a_short_walk_over_the_pages_always_ends_at_the_truth(browser: Browser, house: House, seed: int) -> None:
    assert walk(browser, house, seed, 2, PATIENCE_S).took_s


@pytest.mark.long
@pytest.mark.parametrize("seed", range(WALKS))
def test_a_walk_over_the_pages_shows_the_truth_within_3_s(
    browser: Browser, house: House, seed: int, record_property: Callable[[str, object], None]
) -> None:
    walker = walk(browser, house, seed, STEPS, WITHIN_S)
    record_property("seconds", walker.took_s)
