"""Train the DiT on one or several GPUs, for a stated time, going on from where an earlier call stopped."""

import copy
import json
import logging
import os
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import torch
import torch.distributed as dist
from torch import Tensor, nn

from engines.f5.network import DiT, DiTConfig
from training.corpus.spelling import ALPHABET
from training.f5 import distillation, flow
from training.f5.batches import Batch, shelve, stream
from training.f5.distillation import Teacher
from training.f5.mel_bank import Studio
from training.f5.recordings import load
from training.f5.weights import Average, load_carried, save_carried, save_state
from training.muon import Muon
from training.prefetching import ahead
from training.schedule import Call, Pace

log = logging.getLogger(__name__)
GAUGE_STEPS = 20  # between looks at the clock, which all GPUs take together


@dataclass(frozen=True, slots=True, kw_only=True)
class Course(Call):
    frames: Annotated[int, "mel frames a step and GPU"] = 49_152
    seams: Annotated[float, "share of joined rows that are masked from a seam to the end, as in use"] = 0.5
    teacher: Annotated[Path | None, "distil this carried or exported checkpoint; the student starts as its copy"] = None
    student_minutes: Annotated[float, "after the others: the trained model is distilled into OUT/student"] = 0.0
    guidance: Annotated[float, "strength of guidance that a student learns"] = 2.0
    sampling_steps: Annotated[int, "steps of the grid that a student learns"] = 7
    dim: Annotated[int, "of the network"] = 256
    depth: Annotated[int, "of the network"] = 12
    heads: Annotated[int, "of the network"] = 4
    text_dim: Annotated[int, "of the network"] = 256
    muon_rate: Annotated[float, "for the block matrices"] = 0.01
    adam_rate: Annotated[float, "for the rest"] = 1e-3
    average: Annotated[float, "share that the average of the weights keeps at a step"] = 0.999
    persons: Annotated[int, "how many a speaker is, one after the other, in this call; 0: the voices as recorded"] = 0


def configure(course: Course) -> DiTConfig:
    return DiTConfig(
        vocabulary_size=len(ALPHABET),
        dim=course.dim,
        depth=course.depth,
        heads=course.heads,
        ff_mult=2,
        text_dim=course.text_dim,
        text_embedding_average_upsampling=True,
    )


class Trainer:
    """One process's model, optimisers and data."""

    def __init__(self, course: Course, rank: int, device: torch.device) -> None:
        self.course, self.rank, self.device = course, rank, device
        self.world = max(1, len(course.gpus))
        self.pace, self.out = course.pace(), course.out
        torch.manual_seed(course.seed)
        self.model = DiT(configure(course)).to(device)
        flow.initialise(self.model)
        self.trained = 0
        self._optimise()
        self.teacher = self._hire()
        self._resume()
        self._read()
        self._compile(self.model)
        if self.teacher:
            self._compile(self.teacher.model)
        self.generator = torch.Generator(device).manual_seed(course.seed * 1000 + self.trained + rank)
        self.history: list[dict[str, float]] = []

    def _compile(self, model: DiT) -> None:
        if self.course.no_compile:
            return
        torch._dynamo.config.recompile_limit = 64  # shapes change with every batch
        for block in [*model.transformer_blocks, *model.text_embed.text_blocks]:
            block.compile(dynamic=True)

    def become_student(self) -> None:
        """Learn from now on what the averaged weights do with guidance and in twice as many steps."""
        course = self.course
        self.average.swap()
        model = copy.deepcopy(self.model)
        self._optimise()
        self.teacher = Teacher.of(model, course.guidance, course.sampling_steps, self.device)
        self._compile(model)
        self.pace, self.out = Pace(course.student_minutes, course.student_minutes, 0.0), course.out / "student"

    def _optimise(self) -> None:
        matrices = [
            p for block in self.model.transformer_blocks for n, p in block.named_parameters() if _is_matrix(n, p)
        ]
        chosen = {id(p) for p in matrices}
        rest = [p for p in self.model.parameters() if id(p) not in chosen]
        self.muon = Muon(matrices)
        self.adam = torch.optim.AdamW(
            rest, lr=self.course.adam_rate, betas=(0.9, 0.99), weight_decay=0.01, fused=self.device.type == "cuda"
        )
        self.average = Average(self.model, self.course.average)

    def _hire(self) -> Teacher | None:
        """The frozen teacher, its weights the student's first."""
        if self.course.teacher is None:
            return None
        self._start_from(self.course.teacher)
        return Teacher.of(copy.deepcopy(self.model), self.course.guidance, self.course.sampling_steps, self.device)

    def _start_from(self, folder: Path) -> None:
        self.model.load_state_dict(load_carried(folder, "dit"))
        self.average = Average(self.model, self.course.average)

    def _resume(self) -> None:
        folder = self.course.resume
        if folder is None:
            return
        full = folder / "state.pt"
        if full.exists():
            state = torch.load(full, map_location=self.device, weights_only=True)
            self.model.load_state_dict(state["model"])
            self.average.mean = state["average"]
            self.adam.load_state_dict(state["adam"])
            self.muon.restore(state["muon"])
            self.trained = state["trained"]
        else:
            self._start_from(folder)
            note = folder / "dit.json"  # an exported checkpoint has none: its average soon forgets how it began
            self.trained = json.loads(note.read_text(encoding="utf-8"))["trained"] if note.exists() else 0
        log.info("resumed after %d steps", self.trained)

    def _read(self) -> None:
        recordings = load(self.course.data, torch.device("cpu"))
        self.studio = Studio(recordings, self.device, self.course.persons, self.course.seed * 53 + self.rank)
        self.bank, counts = self.studio.record()
        speakers = sorted(set(recordings.speakers.tolist()))
        kept = max(1, len(speakers) // 100)
        training, testing = set(speakers[:-kept]), set(speakers[-kept:])
        shelf = shelve(recordings, counts.numpy(), training)
        seed = self.course.seed * 7919 + self.trained * 31 + self.rank
        self.batches = ahead(stream(shelf, self.course.frames, seed, self.course.seams), self.device)
        held = stream(shelve(recordings, counts.numpy(), testing), min(self.course.frames, 8192), 5, self.course.seams)
        self.tests = [_to(next(held), self.device) for _ in range(4)]
        log.info("%d speakers, %.1f h of mels", len(training), len(self.bank) / 93.75 / 3600)

    def learn(self) -> None:
        self.pace.begin()
        share, saved, told = 0.0, time.monotonic(), time.monotonic()
        running = torch.zeros((), device=self.device)
        for step, batch in enumerate(self.batches):
            running += self._step(batch, self.pace.rate(share, step))
            if (step + 1) % GAUGE_STEPS:
                continue
            share = self._agree(1.0 if step + 1 >= self.course.steps else self.pace.share())
            if share >= 1.0:
                break
            self.studio.renew(self.bank, share)
            if (step + 1) % (10 * GAUGE_STEPS) == 0:
                now = time.monotonic()
                self._tell(step, float(running) / (10 * GAUGE_STEPS), 10 * GAUGE_STEPS / (now - told))
                told = now
                running.zero_()
            if time.monotonic() - saved > self.course.save_seconds and self.rank == 0:
                self.save()
                saved = time.monotonic()
        if self.rank == 0:
            self.test()
            self.save()

    def _step(self, batch: Batch, rate: float) -> Tensor:
        value = self._loss(batch, self.generator)
        value.backward()
        parameters = [p for p in self.model.parameters() if p.grad is not None]
        if self.world > 1:
            _share_gradients([p.grad for p in parameters if p.grad is not None], self.world)
        norm = nn.utils.clip_grad_norm_(parameters, 1.0, foreach=True)
        for gradient in (p.grad for p in parameters):
            gradient.nan_to_num_(0.0, 0.0, 0.0).mul_(torch.isfinite(norm))  # a step that broke is a step not taken
        self.adam.param_groups[0]["lr"] = self.course.adam_rate * rate
        self.adam.step()
        self.muon.step(self.course.muon_rate * rate)
        self.model.zero_grad(set_to_none=True)
        self.trained += 1
        self.average.update(self.trained)
        return value.detach()

    def _loss(self, batch: Batch, generator: torch.Generator) -> Tensor:
        if self.teacher is None:
            return flow.loss(self.model, self.bank, batch, generator)
        return distillation.loss(self.model, self.teacher, self.bank, batch, generator)

    def _agree(self, share: float) -> float:
        """The first GPU's clock, on every GPU: learning rates and the last step must be the same."""
        if self.world == 1:
            return share
        told = torch.tensor([share], dtype=torch.float64, device=self.device)
        dist.broadcast(told, 0)
        return float(told)

    def _tell(self, step: int, mean: float, speed: float) -> None:
        if self.rank:
            return
        row = {"step": self.trained, "loss": round(mean, 4), "steps_per_s": round(speed, 2)}
        if (step + 1) % (100 * GAUGE_STEPS) == 0:
            row["held_out"] = self.test()
        self.history.append(row)
        log.info("%s", json.dumps(row))

    @torch.no_grad()
    def test(self) -> float:
        """Loss of the averaged weights on held-back speakers, always with the same noise."""
        generator = torch.Generator(self.device).manual_seed(3)
        self.average.swap()
        value = sum(float(self._loss(batch, generator)) for batch in self.tests) / len(self.tests)
        self.average.swap()
        log.info("step %d held-out loss %.4f", self.trained, value)
        return round(value, 4)

    def save(self) -> None:
        out = self.out
        out.mkdir(parents=True, exist_ok=True)
        save_carried(self.average.mean, out, "dit")
        note = {"trained": self.trained, "config": asdict(self.model.config), "history": self.history[-200:]}
        if self.teacher is not None:
            note["inference"] = {"steps": self.course.sampling_steps, "guidance": 0.0, "sway": -1.0}
        (out / "dit.json").write_text(json.dumps(note), encoding="utf-8")
        model = {name: p.detach() for name, p in self.model.named_parameters()}
        state = {
            "model": model,
            "average": self.average.mean,
            "adam": self.adam.state_dict(),
            "muon": self.muon.state(),
        }
        save_state({**state, "trained": self.trained}, out / "state.pt")


def _is_matrix(name: str, parameter: Tensor) -> bool:
    return parameter.ndim == 2 and "attn_norm" not in name


def _to(batch: Batch, device: torch.device) -> Batch:
    return Batch(batch.frames.to(device), batch.tokens.to(device), batch.spans.to(device))


def _share_gradients(gradients: list[Tensor], world: int) -> None:
    flat = torch.cat([gradient.flatten() for gradient in gradients])
    dist.all_reduce(flat)
    pieces = flat.div_(world).split([gradient.numel() for gradient in gradients])
    torch._foreach_copy_(
        gradients, [piece.view_as(gradient) for piece, gradient in zip(pieces, gradients, strict=True)]
    )


def work(rank: int, course: Course) -> None:
    """One process: rank 0 speaks and saves."""
    logging.basicConfig(level=logging.INFO if rank == 0 else logging.WARNING, format="%(asctime)s %(name)s %(message)s")
    device = (
        torch.device("cuda", course.gpus[rank]) if torch.cuda.is_available() and course.gpus else torch.device("cpu")
    )
    if device.type == "cuda":
        torch.cuda.set_device(device)
        torch.set_float32_matmul_precision("high")
    if len(course.gpus) > 1:
        os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
        os.environ.setdefault("MASTER_PORT", "29517")
        dist.init_process_group("nccl" if device.type == "cuda" else "gloo", rank=rank, world_size=len(course.gpus))
    trainer = Trainer(course, rank, device)
    trainer.learn()
    if course.student_minutes:
        trainer.become_student()
        trainer.learn()
    if len(course.gpus) > 1:
        dist.destroy_process_group()
