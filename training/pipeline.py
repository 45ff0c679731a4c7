"""Train both voices in one go: `python -m training.pipeline --out DIR --seconds 530 --gpus 0,1,2,3 --sentences FILE`.

Makes the corpus on all cores, then trains side by side, each half of the GPUs its own voice, from the shipped checkpoints or
from what an earlier run wrote (--resume): F5's flow and then its student of few steps; S1's codec and then its language model.
Whatever has been saved when the time is over lies in --out, in few and small files that can be resumed from and exported.
"""

import argparse
import json
import logging
import os
import shutil
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from safetensors.torch import save_file
from torch import Tensor

log = logging.getLogger(__name__)
HERE = Path(__file__).parents[1] / "assets" / "voices"
MARGIN_S = 45.0  # of a part: starting its processes, its last look at held-out speech, and its files
PACKING_S = 12.0  # at the very end


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    out: Path
    work: Path  # a large folder that stays behind
    seconds: float
    gpus: tuple[int, ...]
    sentences: Path | None
    resume: Path | None
    hours: float
    corpus_seconds: float
    flow_share: float  # of F5's time, before its student's
    codec_share: float  # of S1's time, before its language model's
    steps: int  # at most, of each part
    extra: dict[str, list[str]]  # further arguments, by part
    began: float = field(default_factory=time.monotonic)

    @property
    def left(self) -> float:
        return self.began + self.seconds - PACKING_S - time.monotonic()

    @property
    def halves(self) -> tuple[str, str]:
        middle = (len(self.gpus) + 1) // 2
        parts = self.gpus[:middle], self.gpus[middle:] or self.gpus
        return ",".join(map(str, parts[0])), ",".join(map(str, parts[1]))

    def start(self, part: str, shipped: Path) -> list[str]:
        """What a part resumes from: an earlier run's weights, or the shipped ones."""
        earlier = self.resume / part if self.resume else None
        return ["--resume", str(earlier if earlier and earlier.exists() else shipped)]


def run(plan: Plan, part: str, module: str, *arguments: str) -> None:
    """One part in a process of its own, killed when all time is over; `part`.log of the large folder keeps what it says."""
    command = [sys.executable, "-m", f"training.{module}", *arguments, *plan.extra.get(part, [])]
    log.info("%s: %s", part, " ".join(command[2:]))
    environment = os.environ | {"TORCHINDUCTOR_CACHE_DIR": str(plan.work / "compiled")}
    with (plan.work / f"{part}.log").open("w") as file:
        process = subprocess.Popen(
            command, stdout=file, stderr=subprocess.STDOUT, env=environment, start_new_session=True
        )
        try:
            code = process.wait(max(5.0, plan.left))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            code = process.wait()
    log.info("%s ended with %d, %.0f s are left", part, code, plan.left)


def minutes(plan: Plan, share: float = 1.0) -> str:
    """Of what is left, in the form of an argument."""
    return f"{max(2.0, (plan.left - MARGIN_S) * share) / 60:.3f}"


def make_corpus(plan: Plan) -> None:
    arguments = ["--out", plan.work / "corpus", "--hours", plan.hours, "--seconds", plan.corpus_seconds]
    arguments += ["--workers", os.cpu_count() or 1, "--seed", plan.extra.get("seed", ["1"])[0]]
    arguments += ["--sentences", plan.sentences] if plan.sentences else []
    run(plan, "corpus", "corpus", *map(str, arguments))


def teach_f5(plan: Plan) -> None:
    gpus, _ = plan.halves
    common = ["dit", "--data", str(plan.work / "corpus"), "--gpus", gpus, "--steps", str(plan.steps)]
    start = plan.start("flow", HERE / "f5" / "checkpoint")
    shares = ["--minutes", minutes(plan, plan.flow_share), "--student-minutes", minutes(plan, 1 - plan.flow_share)]
    run(plan, "flow", "f5", *common, "--out", str(plan.work / "flow"), *shares, *start)


def teach_s1(plan: Plan) -> None:
    _, gpus = plan.halves
    common = ["train", "--data", str(plan.work / "corpus"), "--gpus", gpus, "--steps", str(plan.steps)]
    codec, language = plan.work / "codec", plan.work / "language"
    start = plan.start("codec", HERE / "s1" / "checkpoint")
    share = ["--minutes", minutes(plan, plan.codec_share)]
    run(plan, "codec", "s1.codec", *common, "--out", str(codec), *share, *start)
    if plan.codec_share < 1 and list(codec.glob("codec-*.safetensors")):
        start = plan.start("language", HERE / "s1" / "checkpoint")
        rest = ["--out", str(language), "--minutes", minutes(plan), "--codec", str(codec)]
        run(plan, "language", "s1.language", *common, *rest, *start)


def pack_up(plan: Plan) -> None:
    """Small files of what was learned: DiTs and language model as int8, the codec in halves as it is."""
    from training.f5.weights import PREFIX, load_carried
    from training.packing import pack
    from training.s1.language import checkpoint

    for folder in (plan.work / "flow", plan.work / "flow" / "student"):
        if list(folder.glob("dit-*.safetensors")):
            named = {PREFIX + name: value for name, value in load_carried(folder, "dit").items()}
            _write(pack(named), plan.out / folder.name)
            shutil.copy(folder / "dit.json", plan.out / folder.name)
    if list((plan.work / "language").glob("language-*.safetensors")):
        _write(pack(checkpoint.read_state(plan.work / "language")), plan.out / "language")
    logs = [f"== {path.stem}\n{path.read_text(encoding='utf-8')}" for path in sorted(plan.work.glob("*.log"))]
    (plan.out / "logs.txt").write_text("\n".join(logs), encoding="utf-8")
    for shard in (plan.work / "codec").glob("codec-*.safetensors"):
        (plan.out / "codec").mkdir(exist_ok=True)
        shutil.copy(shard, plan.out / "codec" / shard.name)


def _write(tensors: dict[str, Tensor], folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    save_file(tensors, folder / "model.safetensors")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True, help="a large folder for the corpus and full states")
    parser.add_argument("--seconds", type=float, required=True, help="of wall time for all")
    parser.add_argument("--gpus", default="", help="comma-separated numbers; none: the CPU")
    parser.add_argument("--sentences", type=Path, help="a gzipped list made by the corpus's --write-sentences")
    parser.add_argument("--resume", type=Path, help="the --out of an earlier run")
    parser.add_argument("--hours", type=float, default=80.0)
    parser.add_argument("--corpus-seconds", type=float, default=80.0)
    parser.add_argument("--flow-share", type=float, default=0.75)
    parser.add_argument("--codec-share", type=float, default=0.6)
    parser.add_argument("--steps", type=int, default=10**9)
    parser.add_argument("--extra", type=json.loads, default={}, help='JSON: {"flow": ["--seams", "0.7"], …}')
    args = vars(parser.parse_args())
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    args["gpus"] = tuple(int(number) for number in args["gpus"].split(",") if number)
    plan = Plan(**args)
    plan.out.mkdir(parents=True, exist_ok=True)
    plan.work.mkdir(parents=True, exist_ok=True)
    make_corpus(plan)
    voices = [threading.Thread(target=teach, args=(plan,)) for teach in (teach_f5, teach_s1)]
    for voice in voices:
        voice.start()
    for voice in voices:
        voice.join()
    pack_up(plan)
    log.info("all done after %.0f s", time.monotonic() - plan.began)


if __name__ == "__main__":
    main()
