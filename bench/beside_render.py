"""Measure how much later a line is heard while a script renders: `python -m bench.beside_render URL`.

The studio at URL gets a project of 300 lines. Lines of the page (endpoint `/speak`) are spoken alternately with and without a
running render. Prints the time from arrival to first audio as in the takes, and the duration of an engine step.
"""

import argparse
import json
import statistics
import sys
import time
from typing import Any

import httpx
from gradio_client import Client

from studio.network_environment import repair_network_environment

LINES = 300
LINE = "Behind you! The gate holds."
WORDS = "The bridge is out and the long way round is all that is left of the road"


def main() -> None:
    repair_network_environment()
    parser = argparse.ArgumentParser(prog="python -m bench.beside_render", description=__doc__)
    parser.add_argument("address")
    parser.add_argument("--engine", default="f5")
    parser.add_argument("--render-engine", default="f5")
    parser.add_argument("--voice", default="amber")
    parser.add_argument("--rounds", type=int, default=8)
    options = parser.parse_args()
    with httpx.Client(base_url=options.address, timeout=60) as studio:
        project = project_of(studio, options.voice, options.render_engine)
        page = Client(options.address, verbose=False)
        speak(page, options.engine)  # a warm-up line
        idle, during_render, compute = [], [], []
        for _ in range(options.rounds):
            first_s, compute_s = speak(page, options.engine)
            idle.append(first_s)
            compute.append(compute_s)
            with_render(studio, project)
            during_render.append(speak(page, options.engine)[0])
            studio.post(f"{project}/render/pause").raise_for_status()
            time.sleep(1.0)  # the running take is stopped
        steps = steps_of(studio, options.engine)
        studio.post(f"{project}/render/stop")
        studio.delete(project)
    figures = {
        "idle_s": idle,
        "beside_s": during_render,
        "median_later_s": statistics.median(during_render) - statistics.median(idle),
        "step_s": statistics.median(compute) / steps,
    }
    sys.stdout.write(json.dumps(figures, indent=1) + "\n")


def project_of(studio: httpx.Client, voice: str, engine: str) -> str:
    """Create a project with a sheet; return its address."""
    created = studio.post("/studio/projects", json={"name": "beside a render"}).raise_for_status().json()
    project = f"/studio/projects/{created['id']}"
    cast = {"": {"": [{"voice": voice, "engine": engine}]}}
    studio.patch(project, json={"cast": cast}).raise_for_status()
    rows = "\n".join(f"L{number}\t{WORDS} {number}" for number in range(LINES))
    studio.post(f"{project}/sheets/paste", json={"text": f"id\ttext\n{rows}\n"}).raise_for_status()
    return project


def with_render(studio: httpx.Client, project: str) -> None:
    """Start or resume the render of a project, and wait until one of its lines is spoken."""
    state = studio.get(project).json()
    if state["render"]:
        studio.post(f"{project}/render/resume").raise_for_status()
    else:
        studio.post(f"{project}/render", json={"sheet": state["sheets"][0]["id"]}).raise_for_status()
    while not _running(studio):
        time.sleep(0.05)
    time.sleep(1.0)


def _running(studio: httpx.Client) -> bool:
    return bool(studio.get("/studio/telemetry").json()["running"])


def speak(page: Client, engine: str) -> tuple[float, float]:
    """Speak a line; return the seconds from arrival to first audio and the device seconds of all its steps."""
    take: Any = page.predict(text=LINE, engine=engine, seed=7, api_name="/speak")[2]
    return float(take["cost"]["ttfa_s"]), float(take["cost"]["compute_s"])


def steps_of(studio: httpx.Client, engine: str) -> int:
    """Return the steps of F5 for a line; 1 for a checkpoint without that setting."""
    listed = studio.get("/studio/engines").raise_for_status().json()
    info = next(each for each in listed if each["name"] == engine)
    return int(info["info"]["defaults"].get("steps", 1))


if __name__ == "__main__":
    main()
