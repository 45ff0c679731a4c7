"""Time lines of each engine in each configuration, alternately: `python -m bench --out FOLDER`.

A configuration is an engine, its precision, whether it is compiled, how many lines are spoken at once, and their number of
words. Every engine in one precision and form is loaded once. Then each configuration speaks its lines in every round, in
reverse order in every other round, so that a machine that slows down affects all alike. By default weights are random, at
full size: the output is noise, but the cost equals that of real weights.
"""

import argparse
import logging
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any, Literal

import torch

from bench import listeners, report, s1_checkpoints
from bench.floor import Work, f5_work, s1_work
from bench.lines import shipped, text
from bench.load.command import setting
from bench.load.pairs import VOICES
from bench.machine import calibration, machine, versions
from bench.s1_pair import f5_checkpoint
from engines.base import Checkpoint
from engines.errors import EngineError
from engines.registry import EngineOptions, embedded, spec
from engines.runtime.quantization import Kind
from engines.scheduling.manager import Manager, Policy
from engines.types import EngineStatus, Request

log = logging.getLogger("bench")

BYTES = {"float32": 4.0, "float16": 2.0, "bfloat16": 2.0, "int8": 1.0, "int4": 0.5}
QUANTIZATIONS = ("int8", "int4")
QUANTIZED = ("s1",)  # engines that support quantised weights
TAKES_S = 300.0  # time limit of a line
PUBLISHED = {"steps": 16}  # a setting that the published weights define and random weights do not


@dataclass(frozen=True, slots=True)
class Configuration:
    """The values that determine the time of a line."""

    engine: str
    precision: Kind | Literal["float32"]  # "none" is the engine's default; "float32" disables bfloat16 on a CPU
    compile: str
    batch: int
    words: int

    @property
    def name(self) -> str:
        form = "compiled" if self.compile == "on" else "eager"
        own = "" if self.precision == "none" else f" {self.precision}"
        return f"{self.engine}{own} {form}, {self.batch} × {self.words} word{'s' * (self.words > 1)}"

    @property
    def held(self) -> tuple[str, str, str]:
        """Return the values that determine which loaded engine the configuration uses."""
        return self.engine, self.precision, self.compile

    def device(self, name: str, rows: int) -> EngineOptions:
        """Return the options of the engine."""
        if self.precision == "float32":
            return EngineOptions(name=name, compile=self.compile, cpu_precision="float32", max_batch=rows)
        return EngineOptions(name=name, compile=self.compile, quantize=self.precision, max_batch=rows)


def arguments(parser: argparse.ArgumentParser) -> None:
    on_gpu = torch.cuda.is_available()
    parser.add_argument("--out", type=Path, default=Path("bench-results"), help="a folder")
    parser.add_argument("--engine", nargs="+", choices=embedded(), default=list(embedded()))
    parser.add_argument("--precision", nargs="+", choices=("none", "float32", *QUANTIZATIONS), default=["none"])
    parser.add_argument("--compile", nargs="+", choices=("on", "off"), default=["off", "on"] if on_gpu else ["off"])
    parser.add_argument("--batch", type=int, nargs="+", help="lines at once; default 1 and 8, on a CPU 1 and 2")
    parser.add_argument("--words", type=int, nargs="+", help="words of a line; default 6 and 18")
    parser.add_argument("--warmup", type=int, default=1, help="rounds that are not counted")
    parser.add_argument("--repeats", type=int, help="counted rounds; default 7")
    parser.add_argument("--device", default="cuda" if on_gpu else "cpu")
    parser.add_argument("--weights", choices=("random", "embedded"), default="random")
    parser.add_argument(
        "--set", type=setting, nargs="*", default=[], help="a setting of the engines that have it, such as steps=16"
    )
    parser.add_argument("--commit", help="commit of this tree, if git is not available")
    parser.add_argument("--tiny", action="store_true", help="small networks and few rounds, as a test")


def run(options: argparse.Namespace) -> None:
    """Measure and write the report after every round."""
    many = 8 if options.device.startswith("cuda") else 2
    usual = {"batch": [1, many], "words": [1] if options.tiny else [6, 18], "repeats": 2 if options.tiny else 7}
    vars(options).update({name: value for name, value in usual.items() if getattr(options, name) is None})
    published = {} if options.tiny or options.weights == "embedded" else PUBLISHED
    settings = published | dict(options.set)
    products = product(options.engine, options.precision, options.compile, options.batch, options.words)
    chosen = [Configuration(*each) for each in products if each[1] not in QUANTIZATIONS or each[0] in QUANTIZED]
    asked = {name: getattr(options, name) for name in ("weights", "tiny", "warmup", "repeats")}
    head = {"machine": machine(options.commit), "versions": versions(), "asked": asked}
    with tempfile.TemporaryDirectory() as made, ExitStack() as used:
        if options.weights == "random":
            used.enter_context(listeners.ended())
            folders = {
                name: random_checkpoint(Path(made) / name, options.device, options.tiny) for name in options.engine
            }
        else:
            folders = {name: VOICES / name / "checkpoint" for name in options.engine}
        bench = Bench(folders, options.device, max(options.batch), settings)
        used.callback(bench.close)
        for found in bench.measure(chosen, options.warmup, options.repeats):
            log.info("%s", report.write(options.out, head | found))


def random_checkpoint(folder: Path, device: str, tiny: bool) -> Path:
    if folder.name == "f5":
        return f5_checkpoint(folder, full=not tiny)
    s1_checkpoints.prepare_imports()
    size = s1_checkpoints.TINY if tiny else s1_checkpoints.FULL
    return s1_checkpoints.write(folder, size, drawn_on=device.partition(":")[0], speaks_only=True)


class Bench:
    """The engines of one run, loaded on first use."""

    def __init__(self, folders: Mapping[str, Path], device: str, rows: int, settings: Mapping[str, float]) -> None:
        """Prepare to speak up to `rows` lines together. Each setting applies to the engines that have it."""
        self.folders, self.device, self.rows = folders, device, rows
        known = {name: {each.name for each in spec(name).settings} for name in folders}
        self.settings = {name: {key: settings[key] for key in known[name] & settings.keys()} for name in folders}
        self.reference = shipped("amber")
        self.managers: dict[tuple[str, str, str], Manager] = {}
        self.ready_s: dict[tuple[str, str, str], float] = {}

    def measure(self, configurations: Sequence[Configuration], warmup: int, repeats: int) -> Iterator[dict[str, Any]]:
        """After each counted round, yield all samples, and facts on their configurations."""
        calibrations, samples = [calibration(self.device)], list[dict[str, Any]]()
        known = {each: asdict(each) | {"name": each.name} | self.loaded(each) for each in configurations}
        for number in range(warmup + repeats):
            for each in configurations[:: -1 if number % 2 else 1]:
                try:
                    taken = [] if "failed" in known[each] else self.speak(each, number)
                except EngineError as error:
                    taken, known[each]["failed"] = [], str(error)
                if number >= warmup:
                    samples += [{"configuration": each.name, "round": number - warmup} | sample for sample in taken]
            if number >= warmup:
                calibrations[1:] = [calibration(self.device)]
                described = [each | self.floor(each, samples, calibrations) for each in known.values()]
                yield {"calibration": calibrations, "configurations": described, "samples": samples}

    def loaded(self, configuration: Configuration) -> dict[str, Any]:
        """Load the engine of a configuration. Return facts on it, or the reason why it failed."""
        engine, key, started = configuration.engine, configuration.held, time.perf_counter()
        if key not in self.managers:
            options = configuration.device(self.device, self.rows)
            folder = {engine: Checkpoint(str(self.folders[engine]))}
            self.managers[key] = Manager(folder, options, Policy(queue_size=self.rows + 1))
            self.managers[key].start()
        while (status := self.status(configuration)).state not in ("ready", "failed"):
            time.sleep(0.05)
        ready_s = self.ready_s.setdefault(key, round(time.perf_counter() - started, 2))
        log.info("%s: %s after %.1f s", configuration.name, status.message, ready_s)
        if status.info is None:
            return {"failed": status.message}
        settings = {**status.info.defaults, **self.settings[engine]}
        return {"dtype": status.info.dtype, "note": status.info.note, "settings": settings, "ready_s": ready_s}

    def status(self, configuration: Configuration) -> EngineStatus:
        return self.managers[configuration.held].status(configuration.engine)

    def speak(self, configuration: Configuration, number: int) -> list[dict[str, Any]]:
        """Speak the lines of a round, equal for all configurations. Return a sample for each line. Raises EngineError."""
        manager, engine = self.managers[configuration.held], configuration.engine
        asked = [
            Request(
                text=text(seed, configuration.words), reference=self.reference, seed=seed, engine=engine,
                settings=self.settings[engine],
            )
            for seed in range(number * self.rows, number * self.rows + configuration.batch)
        ]  # fmt: skip
        before = allocated(fresh=True)
        started = time.perf_counter()
        tickets = [manager.submit(request, session_id=str(request.seed)) for request in asked]
        for ticket in tickets:
            ticket.wait(TAKES_S)
        wall_s = time.perf_counter() - started
        held = {"wall_s": wall_s, "memory_bytes": self.status(configuration).memory_bytes}
        held |= {"working_bytes": allocated() - before}
        costs = [ticket.result().cost for ticket in tickets]
        return [
            {name: round(value, 5) for name, value in held.items()}
            | {name: round(getattr(cost, name), 5) for name in ("ttfa_s", "total_s", "audio_s", "rtf")}
            for cost in costs
        ]

    def floor(
        self, known: Mapping[str, Any], samples: Sequence[Mapping[str, Any]], calibrations: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any]:
        """Return the lower bound of the time of a configuration's mean line, at the best measured rates of the device."""
        own = [sample for sample in samples if sample["configuration"] == known["name"]]
        if not own:
            return {}
        best = {name: max(each[name] for each in calibrations) for name in ("gflop_s", "copy_gb_s")}
        line_s = self.reference.audio.duration_s, sum(sample["audio_s"] for sample in own) / len(own)
        work = self.work(known, line_s)
        return {"floor": asdict(work) | work.floor_s(best)}

    def work(self, known: Mapping[str, Any], line_s: tuple[float, float]) -> Work:
        state_bytes = BYTES[known["dtype"]]
        weight_bytes = BYTES.get(known["precision"], state_bytes)
        folder, rows = self.folders[known["engine"]], known["batch"]
        if known["engine"] == "f5":
            return f5_work(folder, known["settings"], weight_bytes, rows, line_s)
        return s1_work(folder, weight_bytes, state_bytes, rows, line_s)

    def close(self) -> None:
        for manager in self.managers.values():
            manager.close(5.0)


def allocated(fresh: bool = False) -> int:
    """Return the peak GPU memory in bytes since the last `fresh` call, which resets it; 0 on a CPU."""
    if not torch.cuda.is_available():
        return 0
    if fresh:
        torch.cuda.reset_peak_memory_stats()
    return torch.cuda.max_memory_allocated()
