"""Train both voices in one call of a given duration. Every part is a separate process."""

import logging
import os
import shutil
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from logging import ERROR, INFO
from pathlib import Path
from typing import Annotated

from safetensors.torch import save_file
from torch import Tensor

from training.corpus.recordings import has_recordings
from training.f5.checkpoint import PREFIX, load_dit
from training.int8 import pack
from training.references import checkpoint
from training.s1.language.checkpoint import read_state
from training.shards import has_shards, load_shards, read_notes

log = logging.getLogger(__name__)
MARGIN_S = 25.0  # time of a part for starting its processes, its last test on held-out speech, and its files
PACKING_S = 12.0  # time for packing at the end
REHEARSAL = "rehearsal"
REHEARSAL_HOURS, REHEARSAL_SECONDS, REHEARSAL_WORKERS = 0.15, 20.0, 8
CORPUS_NICE = 10  # priority of the corpus, while trainings compile
Extra = dict[str, list[str]] | None  # additional arguments by part


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineOptions:
    out: Annotated[Path, "folder of the small files"]
    work: Annotated[Path, "a large folder for the corpus and full states, which stays behind"]
    seconds: Annotated[float, "of wall time for all"]
    gpus: Annotated[tuple[int, ...], "comma-separated numbers; none: the CPU"] = ()
    sentences: Annotated[Path | None, "a gzipped list made by the corpus's --write-sentences"] = None
    resume: Annotated[Path | None, "the --out of an earlier call"] = None
    hours: Annotated[float, "of the corpus"] = 80.0
    corpus_seconds: Annotated[float, "after which the corpus ends early"] = 80.0
    flow_share: Annotated[float, "of F5's time, before its student's"] = 0.75
    codec_share: Annotated[float, "of S1's time, before its language model's; 0: the earlier call's codec"] = 0.6
    steps: Annotated[int, "at most, of each part"] = 10**9
    seed: Annotated[int, "of the corpus"] = 1
    extra: Annotated[Extra, 'JSON: further arguments by part, {"flow": ["--seams", "0.7"], …}'] = None


@dataclass(frozen=True, slots=True)
class Call:
    """The options of a call, its start, and the parts that failed."""

    options: PipelineOptions
    began: float = field(default_factory=time.monotonic)
    failed: list[str] = field(default_factory=list)  # parts that failed
    corpus_made: threading.Event = field(default_factory=threading.Event)  # set when the corpus is made, or has failed

    @property
    def left_s(self) -> float:
        return self.began + self.options.seconds - PACKING_S - time.monotonic()

    def folder(self, part: str) -> Path:
        return self.options.work / part

    def minutes(self, share: float = 1.0) -> str:
        """Return a share of the remaining minutes, as an argument."""
        return f"{max(2.0, (self.left_s - MARGIN_S) * share) / 60:.3f}"

    def common(self, part: str, gpus: tuple[int, ...], shipped: Path) -> list[str]:
        """Return the arguments that all trainings share. They resume from an earlier call or the shipped weights."""
        earlier = self.options.resume / part if self.options.resume else None
        start = earlier if earlier and earlier.exists() else shipped
        arguments = ["--data", self.folder("corpus"), "--out", self.folder(part), "--resume", start]
        arguments += ["--gpus", ",".join(map(str, gpus)), "--steps", self.options.steps]
        return list(map(str, arguments))

    def rehearsal(self) -> list[str]:
        """Return the option to compile early on the small corpus; empty if the small corpus failed."""
        return [] if REHEARSAL in self.failed else ["--rehearsal", str(self.folder(REHEARSAL))]

    def run(self, part: str, module: str, *arguments: str, nice: int = 0) -> None:
        """Run one part in a separate process, which is killed when the time is over. Its output goes to `part`.log."""
        command = [sys.executable, "-m", f"training.{module}", *arguments, *(self.options.extra or {}).get(part, [])]
        log.info("%s: %s", part, " ".join(command[2:]))
        command = ["nice", "-n", str(nice), *command]
        environment = os.environ | {"TORCHINDUCTOR_CACHE_DIR": str(self.folder("compiled"))}
        with self.folder(f"{part}.log").open("w") as file:
            process = subprocess.Popen(
                command, stdout=file, stderr=subprocess.STDOUT, env=environment, start_new_session=True
            )
            try:
                code = process.wait(max(5.0, self.left_s))
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                code = process.wait()
        if code:
            self.failed.append(part)
        log.log(ERROR if code else INFO, "%s ended with %d, %.0f s are left", part, code, self.left_s)


def train_both(options: PipelineOptions) -> list[str]:
    """Train all parts. Return the parts that failed; the results of other parts are kept.

    Flow and codec compile on a small corpus while all other cores make the large one.
    """
    call = Call(options)
    for folder in (options.out, options.work):
        folder.mkdir(parents=True, exist_ok=True)
    corpus = threading.Thread(target=make_corpus, args=(call,))
    corpus.start()
    make_rehearsal(call)
    if REHEARSAL in call.failed:
        corpus.join()
    middle = (len(options.gpus) + 1) // 2
    halves = options.gpus[:middle], options.gpus[middle:] or options.gpus
    voices = [
        threading.Thread(target=train, args=(call, gpus))
        for train, gpus in zip((train_f5, train_s1), halves, strict=True)
    ]
    for voice in voices:
        voice.start()
    for thread in (corpus, *voices):
        thread.join()
    pack_up(call)
    log.info("all done after %.0f s; failed: %s", time.monotonic() - call.began, ", ".join(call.failed) or "nothing")
    return call.failed


def make_corpus(call: Call) -> None:
    options = call.options
    if has_recordings(call.folder("corpus")):  # an earlier call has made the corpus
        call.corpus_made.set()
        return
    arguments = ["--out", call.folder("corpus"), "--hours", options.hours, "--seconds", options.corpus_seconds]
    arguments += ["--workers", os.cpu_count() or 1, "--seed", options.seed]
    arguments += ["--sentences", options.sentences] if options.sentences else []
    call.run("corpus", "corpus", *map(str, arguments), nice=CORPUS_NICE)
    call.corpus_made.set()


def make_rehearsal(call: Call) -> None:
    options = call.options
    arguments = ["--out", call.folder(REHEARSAL), "--hours", REHEARSAL_HOURS, "--seconds", REHEARSAL_SECONDS]
    arguments += ["--workers", REHEARSAL_WORKERS, "--seed", options.seed + 1]
    arguments += ["--sentences", options.sentences] if options.sentences else []
    call.run(REHEARSAL, "corpus", *map(str, arguments))


def train_f5(call: Call, gpus: tuple[int, ...]) -> None:
    """Train the flow, and then its student in the same process."""
    share = call.options.flow_share
    arguments = [*call.common("flow", gpus, checkpoint("f5")), *call.rehearsal()]
    arguments += ["--minutes", call.minutes(share), "--student-minutes", call.minutes(1 - share)]
    if call.options.resume and (call.options.resume / "student").exists():
        arguments += ["--student-before", str(call.options.resume)]
    call.run("flow", "f5", "train", *arguments)


def train_s1(call: Call, gpus: tuple[int, ...]) -> None:
    """Train the codec, and then the language model on the codec's codes."""
    share, shipped, codec = call.options.codec_share, checkpoint("s1"), call.folder("codec")
    if share:
        arguments = [*call.common("codec", gpus, shipped), *call.rehearsal()]
        call.run("codec", "s1.codec", "train", *arguments, "--minutes", call.minutes(share))
    elif call.options.resume:
        codec = call.options.resume / "codec"
    if share < 1 and has_shards(codec, "codec"):
        call.corpus_made.wait()
        language = [*call.common("language", gpus, shipped), "--codec", str(codec)]
        call.run("language", "s1.language", "train", *language, "--minutes", call.minutes())


def pack_up(call: Call) -> None:
    """Write small files of all trained weights, in int8 like exported ones, and the logs."""
    out, packers = call.options.out, {"flow": _pack_dit, "student": _pack_dit, "language": _pack_language}
    logs = [f"== {path.stem}\n{path.read_text(encoding='utf-8')}" for path in sorted(call.options.work.glob("*.log"))]
    (out / "logs.txt").write_text("\n".join(logs), encoding="utf-8")
    folders = {"codec": call.folder("codec"), "student": call.folder("flow") / "student"}
    for part, pack_part in ({"codec": pack_codec} | packers).items():
        try:
            pack_part(folders.get(part, call.folder(part)), out / part)
        except Exception:  # a failure of one part must not affect the others
            log.exception("%s could not be packed", part)
            call.failed.append(part)


def pack_codec(folder: Path, out: Path) -> None:
    if has_shards(folder, "codec"):
        _write(load_shards(folder, "codec"), out, read_notes(folder, "codec"), "codec-00001.safetensors")


def _pack_dit(folder: Path, out: Path) -> None:
    if has_shards(folder, "dit"):
        _write({PREFIX + name: value for name, value in load_dit(folder).items()}, out)
        shutil.copy(folder / "dit.json", out)


def _pack_language(folder: Path, out: Path) -> None:
    if has_shards(folder, "language"):
        _write(read_state(folder), out, read_notes(folder, "language"))


def _write(
    tensors: dict[str, Tensor], folder: Path, notes: dict[str, str] | None = None, name: str = "model.safetensors"
) -> None:
    folder.mkdir(exist_ok=True)
    save_file(pack(tensors), folder / name, metadata=notes)
