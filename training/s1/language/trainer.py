"""Train the dual-AR model on a frozen codec's codes, on one or several GPUs, for a stated time."""

import json
import logging
import signal
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from training.f5.weights import Average, save_state
from training.muon import Muon
from training.parallel import Company
from training.prefetching import ahead, to
from training.s1.codec import ctc, weights
from training.s1.language import batches, checkpoint, prompts, sampling
from training.s1.language.batches import Batch, Builder
from training.s1.language.dual_ar import DualAR, Shape
from training.s1.language.tokens import encode_corpus
from training.schedule import Pace

log = logging.getLogger(__name__)
GAUGE_STEPS = 10  # between looks at the clock, which all GPUs take together


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """One portion of a training; minutes are wall time, the corpus's encoding included."""

    data: Path
    codec: Path  # folder of the codec's carried weights
    out: Path
    minutes: float
    total_minutes: float
    done_minutes: float = 0.0
    resume: Path | None = None
    state: Path | None = None  # folder of the full state, for later calls on the same machine; None: out
    gpus: tuple[int, ...] = (0,)
    seed: int = 1
    steps: int = 10**9  # at most, in this portion
    positions: int = 16_384  # a step and GPU
    fast_frames: int = 4096  # a step and GPU that learn their residual codes
    depth: int = 8
    dropout: float = 0.1
    muon_rate: float = 0.01
    adam_rate: float = 1e-3
    letters_weight: float = 0.2
    smoothing: float = 0.0
    average: float = 0.999
    save_seconds: float = 100.0
    spoken: int = 16  # held-out lines spoken at each save
    spoken_frames: int = 220
    compiled: bool = True
    persons: bool = False  # every speaker is another person than was recorded


class Trainer:
    """One process's model, optimisers and data."""

    def __init__(self, course: Course, company: Company, device: torch.device) -> None:
        self.course, self.company, self.device = course, company, device
        self.pace = Pace(course.minutes, course.total_minutes, course.done_minutes)
        torch.set_float32_matmul_precision("high")
        self.tokens = encode_corpus(course.data, course.codec, company, device, course.persons)
        torch.manual_seed(course.seed)
        shape = Shape(n_layer=course.depth, num_codebooks=self.tokens.codes.shape[1])
        self.model = DualAR(shape, course.dropout).to(device)
        self.letters = nn.Linear(shape.dim, batches.AHEAD * ctc.CLASSES).to(device)
        self.live = nn.ModuleDict({"model": self.model, "letters": self.letters})
        self.trained, self.best, self.stopping = 0, float("inf"), False
        self.history: list[dict[str, float]] = []
        self._optimise()
        self._resume()
        self._split()
        self._compile(course.compiled)
        torch.manual_seed(course.seed * 1000 + self.trained + company.rank)

    def _optimise(self) -> None:
        named = list(self.live.named_parameters())
        matrices = [p for n, p in named if p.ndim == 2 and "layers." in n]
        chosen = {id(p) for p in matrices}
        self.parameters = [p for _, p in named]
        for parameter in self.parameters:
            parameter.grad = torch.zeros_like(parameter)
        self.muon = Muon(matrices)
        rest = [p for p in self.parameters if id(p) not in chosen]
        self.adam = torch.optim.AdamW(rest, lr=self.course.adam_rate, betas=(0.9, 0.98), weight_decay=0.01, fused=True)
        self.average = Average(self.live, self.course.average)

    def _resume(self) -> None:
        folder = self.course.resume
        kept = [place / "state.pt" for place in (self.course.state, folder) if place and (place / "state.pt").exists()]
        if folder and kept:
            state = torch.load(kept[0], map_location=self.device, weights_only=True)
            self.live.load_state_dict(state["live"])
            self.average.mean = state["average"]
            self.adam.load_state_dict(state["adam"])
            self.muon.restore(state["muon"])
            self.trained, self.best = int(state["trained"]), float(state["best"])
        elif folder and checkpoint.is_exported(folder):
            weights.fill(self.model, checkpoint.read_state(folder))
            self.average = Average(self.live, self.course.average)
        elif folder:
            weights.fill(self.live, weights.load_shards(folder, "language"))
            self.average = Average(self.live, self.course.average)
            self.trained = int(json.loads(weights.read_notes(folder, "language")["progress"])["trained"])
        log.info(
            "starting at step %d with %d parameters", self.trained, sum(p.numel() for p in self.model.parameters())
        )

    def _split(self) -> None:
        speakers = sorted(set(self.tokens.speakers.tolist()))
        kept = max(1, len(speakers) // 100)
        course, rank = self.course, self.company.rank
        groups = batches.by_speaker(self.tokens, set(speakers[:-kept]))
        self.held = batches.by_speaker(self.tokens, set(speakers[-kept:]))
        rng = np.random.default_rng((course.seed, self.trained, rank))
        builder = Builder(self.tokens, course.fast_frames)
        self.batches = ahead(batches.stream(builder, groups, course.positions, rng), self.device)
        clean = Builder(self.tokens, min(course.fast_frames, 2048), noise=0.0)
        test = batches.stream(clean, self.held, min(course.positions, 8192), np.random.default_rng(5))
        self.tests = [to(batch, self.device) for batch, _ in zip(test, range(4), strict=False)]
        log.info("%d speakers to learn, %d held out", len(groups), len(self.held))

    def _compile(self, compiled: bool) -> None:
        self.compiled = compiled
        for block in [*self.model.layers, *self.model.fast_layers]:
            block._compiled_call_impl = None
            if compiled:
                torch._dynamo.config.recompile_limit = 64  # lengths change with every batch
                block.compile(dynamic=True)

    def losses(self, batch: Batch) -> dict[str, Tensor]:
        """Mean losses of the semantic token, the other codes and the letters; the share of semantic tokens right."""
        with torch.autocast(self.device.type, torch.bfloat16):
            last, middle = self.model(batch.rows)
            hidden = last.flatten(0, 1)
            logits = self.model.semantic_logits(hidden[batch.places])
            fast = self.model.fast_logits(hidden[batch.fast_places], batch.fast_codes)
            said = self.letters(middle.flatten(0, 1)[batch.places]).unflatten(-1, (batches.AHEAD, -1))
        total, smoothing = batch.weights.sum(), self.course.smoothing if self.live.training else 0.0
        each = F.cross_entropy(logits.float(), batch.labels, reduction="none", label_smoothing=smoothing)
        right = (logits.argmax(-1) == batch.labels).float()
        return {
            "semantic": (each * batch.weights).sum() / total,
            "fast": F.cross_entropy(fast.float().flatten(0, 1), batch.fast_codes[:, 1:].flatten()),
            "letters": F.cross_entropy(said.float().flatten(0, 1), batch.letters.flatten(), ignore_index=-1),
            "right": (right * batch.weights).sum() / total,
        }

    def learn(self) -> None:
        signal.signal(signal.SIGTERM, self._stop)
        self.pace.begin()
        share, saved, told = 0.0, time.monotonic(), time.monotonic()
        for step, batch in enumerate(self.batches):
            figures = self._step_safely(batch, self.pace.rate(share, step))
            if (step + 1) % GAUGE_STEPS and step + 1 < self.course.steps:
                continue
            ends = self.stopping or step + 1 >= self.course.steps or self.pace.share() >= 1.0
            share, over = self.company.agree((self.pace.share(), float(ends)), self.device)
            if over:
                break
            if self.company.rank == 0 and (step + 1) % (20 * GAUGE_STEPS) == 0:
                speed, told = 20 * GAUGE_STEPS / (time.monotonic() - told), time.monotonic()
                self._tell(figures, speed)
            if self.company.rank == 0 and time.monotonic() - saved > self.course.save_seconds:
                self.save()
                saved = told = time.monotonic()
        if self.company.rank == 0:
            self.save()

    def _step_safely(self, batch: Batch, rate: float) -> dict[str, Tensor]:
        """A step; where compiled code fails, once more and ever after without."""
        try:
            return self._step(batch, rate)
        except Exception:
            if not self.compiled:
                raise
            log.exception("compiled training failed; going on without compilation")
            self._compile(False)
            return self._step(batch, rate)

    def _step(self, batch: Batch, rate: float) -> dict[str, Tensor]:
        torch._foreach_zero_([p.grad for p in self.parameters if p.grad is not None])
        figures = self.losses(batch)
        books = self.model.shape.num_codebooks
        loss = figures["semantic"] + figures["fast"] * (books - 1) / books
        (loss + self.course.letters_weight * figures["letters"]).backward()
        gradients = [p.grad for p in self.parameters if p.grad is not None]
        self.company.average(gradients)
        norm = nn.utils.clip_grad_norm_(self.parameters, 1.0, foreach=True)
        for gradient in gradients:
            gradient.nan_to_num_(0.0, 0.0, 0.0).mul_(torch.isfinite(norm))  # a step that broke is a step not taken
        self.adam.param_groups[0]["lr"] = self.course.adam_rate * rate
        self.adam.step()
        self.muon.step(self.course.muon_rate * rate)
        self.trained += 1
        self.average.update(self.trained)
        return {name: value.detach() for name, value in figures.items()} | {"norm": norm.detach()}

    def _tell(self, figures: dict[str, Tensor], speed: float) -> None:
        row = {name: round(float(value), 4) for name, value in figures.items()}
        self.history.append({"step": self.trained, "steps_per_s": round(speed, 2), **row})
        log.info("%s", json.dumps(self.history[-1]))

    def _stop(self, *_: object) -> None:
        self.stopping = True

    @torch.no_grad()
    def test(self) -> dict[str, float]:
        """The averaged weights on held-out speakers: losses, and letters wrong in lines spoken freely."""
        self.average.swap()
        self.live.eval()
        with torch.compiler.set_stance("force_eager"):  # these shapes are not worth compiling for
            rows = [self.losses(batch) for batch in self.tests]
        found = {name: float(torch.stack([row[name] for row in rows]).mean()) for name in rows[0]}
        found["spoken_errors"], found["spoken_frames"] = self._speak()
        self.live.train()
        self.average.swap()
        return {name: round(value, 4) for name, value in found.items()}

    def _speak(self) -> tuple[float, float]:
        """Held-out lines from a reference of their own speaker: letter errors through the codec's reader; frames made
        for each frame of the original."""
        pairs = [(group[i], group[i + 1]) for i in range(0, 20, 2) for group in self.held if len(group) > i + 1]
        pairs = [pair for pair in pairs if self.tokens.counts[pair[1]] < self.course.spoken_frames * 0.7]
        pairs = pairs[: self.course.spoken]
        if not pairs:
            return 1.0, 0.0
        tokens, books = self.tokens, self.model.shape.num_codebooks
        codes = [tokens.codes[tokens.starts[i] : tokens.starts[i] + tokens.counts[i]] for i, _ in pairs]
        wanted = [
            prompts.prompt(tokens.texts[line], [(tokens.texts[reference], heard)], books)
            for (reference, line), heard in zip(pairs, codes, strict=True)
        ]
        made = sampling.speak(self.model, wanted, self.course.spoken_frames, seed=1)
        codec = weights.load(self.course.codec)
        heard_letters = hear(codec, weights.load_reader(self.course.codec, codec), made)
        errors = ctc.letter_errors(heard_letters, [tokens.letters[line] for _, line in pairs])
        return errors, sum(map(len, made)) / float(sum(tokens.counts[line] for _, line in pairs))

    def save(self) -> None:
        """The full state for this machine; for any other the averaged weights, where held-out loss is not worse."""
        found = self.test()
        value = found["semantic"] + found["fast"]
        better = value <= self.best + 0.01
        self.best = min(self.best, value)
        self.history.append({"step": self.trained, "held_out": 1.0, **found})
        log.info("step %d held out: %s%s", self.trained, json.dumps(found), "" if better else " (worse: not kept)")
        if better:
            progress = {"trained": self.trained, "held_out": found, "history": self.history[-120:]}
            notes = {"shape": json.dumps(asdict(self.model.shape)), "progress": json.dumps(progress)}
            weights.save_shards(dict(self.average.mean), self.course.out, "language", notes)
        state: dict[str, Any] = {
            "live": self.live.state_dict(),
            "average": self.average.mean,
            "adam": self.adam.state_dict(),
            "muon": self.muon.state(),
            "trained": self.trained,
            "best": self.best,
        }
        folder = self.course.state or self.course.out
        folder.mkdir(parents=True, exist_ok=True)
        save_state(state, folder / "state.pt")


def hear(codec: Any, reader: ctc.Reader, made: list[Any]) -> list[list[int]]:
    """Letters read off the semantic codes of what was spoken."""
    heard = []
    for codes in made:
        if len(codes) == 0:
            heard.append([])
            continue
        logits = reader(ctc.code_vectors(codec, torch.from_numpy(codes[None, :, 0].astype(np.int64))))
        heard += ctc.read(logits, [len(codes)])
    return heard


def work(company: Company, device: torch.device, course: Course) -> None:
    """One process's share of a portion; the first one speaks and saves."""
    level = logging.INFO if company.rank == 0 else logging.WARNING
    logging.basicConfig(level=level, format="%(asctime)s language %(message)s", datefmt="%H:%M:%S")
    Trainer(course, company, device).learn()
