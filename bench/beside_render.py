"""How much later a line on the page is heard while a script renders: `python -m bench.beside_render URL`.

A studio that runs at URL gets a project of 300 lines. Lines of the page (its endpoint `/speak`) are spoken alternately while
nothing renders and while the project does. Told: arrival to first sound as the takes say, and how long an engine's step is.
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
    given = parser.parse_args()
    with httpx.Client(base_url=given.address, timeout=60) as studio:
        project = project_of(studio, given.voice, given.render_engine)
        page = Client(given.address, verbose=False)
        speak(page, given.engine)  # whatever is done once
        idle, beside, compute = [], [], []
        for _ in range(given.rounds):
            first_s, compute_s = speak(page, given.engine)
            idle.append(first_s)
            compute.append(compute_s)
            with_render(studio, project)
            beside.append(speak(page, given.engine)[0])
            studio.post(f"{project}/render/pause").raise_for_status()
            time.sleep(1.0)  # what was under way is given up
        steps = steps_of(studio, given.engine)
        studio.post(f"{project}/render/stop")
        studio.delete(project)
    told = {
        "idle_s": idle,
        "beside_s": beside,
        "median_later_s": statistics.median(beside) - statistics.median(idle),
        "step_s": statistics.median(compute) / steps,
    }
    sys.stdout.write(json.dumps(told, indent=1) + "\n")


def project_of(studio: httpx.Client, voice: str, engine: str) -> str:
    """The address of a new project with its sheet."""
    created = studio.post("/studio/projects", json={"name": "beside a render"}).raise_for_status().json()
    project = f"/studio/projects/{created['id']}"
    cast = {"": {"": [{"voice": voice, "engine": engine}]}}
    studio.patch(project, json={"cast": cast}).raise_for_status()
    rows = "\n".join(f"L{number}\t{WORDS} {number}" for number in range(LINES))
    studio.post(f"{project}/sheets/paste", json={"text": f"id\ttext\n{rows}\n"}).raise_for_status()
    return project


def with_render(studio: httpx.Client, project: str) -> None:
    """The project renders, and a line of it is being spoken."""
    told = studio.get(project).json()
    if told["render"]:
        studio.post(f"{project}/render/resume").raise_for_status()
    else:
        studio.post(f"{project}/render", json={"sheet": told["sheets"][0]["id"]}).raise_for_status()
    while not _running(studio):
        time.sleep(0.05)
    time.sleep(1.0)


def _running(studio: httpx.Client) -> bool:
    return bool(studio.get("/studio/telemetry").json()["running"])


def speak(page: Client, engine: str) -> tuple[float, float]:
    """Arrival to first sound of a line, and the device time of all its steps, in seconds."""
    take: Any = page.predict(text=LINE, engine=engine, seed=7, api_name="/speak")[2]
    return float(take["cost"]["ttfa_s"]), float(take["cost"]["compute_s"])


def steps_of(studio: httpx.Client, engine: str) -> int:
    """How many steps F5 takes for a line; 1 where the checkpoint names none."""
    listed = studio.get("/studio/engines").raise_for_status().json()
    info = next(each for each in listed if each["name"] == engine)
    return int(info["info"]["defaults"].get("steps", 1))


if __name__ == "__main__":
    main()
