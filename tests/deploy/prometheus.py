"""A real Prometheus on loopback that scrapes a studio and evaluates the shipped alert rules."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
import yaml

from deploy.context import ROOT
from tests.browser.serving import free_port
from tests.waiting import until

UNPACKED = ROOT / ".venv" / "prometheus" / "usr" / "bin"  # by the Makefile
ALERTS = ROOT / "deploy" / "grafana" / "alerts.yaml"
CONFIG = ROOT / "deploy" / "grafana" / "prometheus.yaml"
INTERVAL = "500ms"  # an answer may take long on a busy machine


def program(name: str) -> str:
    """Return the path of `prometheus` or `promtool`. Without it, a test is skipped; in CI, it fails."""
    found = shutil.which(name) or shutil.which(name, path=str(UNPACKED))
    if found is None and "CI" in os.environ:
        pytest.fail(f"{name} is missing; `make .venv/prometheus.stamp` installs it")
    return found or pytest.skip(f"{name} comes with Debian's package prometheus")


def findings(*command: object, input: str = "") -> str:
    """Return the complaints of promtool; empty if there are none."""
    words = [program("promtool"), *(str(word) for word in command)]
    checked = subprocess.run(words, check=False, input=input, capture_output=True, text=True)
    return checked.stdout + checked.stderr if checked.returncode else ""


@dataclass(frozen=True, slots=True)
class Prometheus:
    url: str

    def query(self, expression: str) -> list[dict[str, Any]]:
        """Return the result of an expression; fail the test if Prometheus refuses the expression."""
        answer = httpx.get(f"{self.url}/api/v1/query", params={"query": expression})
        assert answer.status_code == 200, answer.text
        result: list[dict[str, Any]] = answer.json()["data"]["result"]
        return result

    def values(self, expression: str) -> list[float]:
        return [float(each["value"][1]) for each in self.query(expression)]

    def firing(self) -> set[tuple[str, str]]:
        """Return the name and the engine of each firing alert."""
        alerts = httpx.get(f"{self.url}/api/v1/alerts").json()["data"]["alerts"]
        return {
            (each["labels"]["alertname"], each["labels"].get("engine", ""))
            for each in alerts
            if each["state"] == "firing"
        }


@contextmanager
def prometheus(folder: Path, studio_url: str) -> Iterator[Prometheus]:
    """Run Prometheus as deploy/grafana configures it, but with short intervals."""
    config = yaml.safe_load(CONFIG.read_text("utf-8"))
    config["global"] |= {"scrape_interval": INTERVAL, "scrape_timeout": INTERVAL, "evaluation_interval": INTERVAL}
    config["scrape_configs"][0]["static_configs"] = [{"targets": [urlsplit(studio_url).netloc]}]
    (folder / "prometheus.yaml").write_text(yaml.safe_dump(config), "utf-8")
    rules = re.sub(r"for: \w+", "for: 1s", ALERTS.read_text("utf-8"))
    (folder / config["rule_files"][0]).write_text(rules, "utf-8")
    own = Prometheus(f"http://127.0.0.1:{free_port()}")
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [
                program("prometheus"),
                f"--config.file={folder / 'prometheus.yaml'}",
                f"--storage.tsdb.path={folder / 'tsdb'}",
                f"--web.listen-address={urlsplit(own.url).netloc}",
            ],
            stdout=log,
            stderr=log,
        )
    try:
        until(lambda: process.poll() is not None or _answers(own), 60.0)
        assert process.poll() is None, (folder / "log").read_text("utf-8")
        yield own
    finally:
        process.terminate()
        process.wait()


def _answers(own: Prometheus) -> bool:
    try:
        return httpx.get(f"{own.url}/-/ready").status_code == 200
    except httpx.TransportError:
        return False
