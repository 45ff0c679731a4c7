"""Train the codec for the time of one call, and save the state from which the next call continues."""

import logging
import signal
import time
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from engines.originals import fish_codec
from training.adversary import AdversarialWeights, Adversary
from training.compilation import compiled_or_not
from training.corpus.recordings import await_recordings
from training.parallel import ProcessGroup
from training.s1.codec import ctc, losses, network, quantization, validation, weights
from training.s1.codec.crops import Crops
from training.s1.codec.functions import CodecFunctions
from training.s1.codec.optimizer import CodecOptimizer
from training.s1.codec.options import CodecOptions
from training.shards import save_state

log = logging.getLogger(__name__)
COMMITMENT_WEIGHT = 0.05
Z_POOL = 24_000  # number of latents from which the codebooks are initialised
CLOCK_STEPS = 10  # steps between checks of the clock, which all GPUs do together
REPORT_S = 10.0


class CodecTrainer:
    """The model in training, its moving average, and the state for a later call."""

    def __init__(self, options: CodecOptions, group: ProcessGroup, device: torch.device) -> None:
        self.options, self.group, self.device, self.began = options, group, device, time.monotonic()
        torch.manual_seed(options.seed)
        torch.set_float32_matmul_precision("high")
        torch.backends.cudnn.benchmark = True
        self.config = weights.read_config(options.resume) or fish_codec.read_text(options.config or fish_codec.CONFIG)
        model: Any = network.fold(fish_codec.build(fish_codec.parse_config(self.config)))
        network.start(model)
        self.model: nn.Module = model.to(device).train()
        self.sample_rate, self.frame = int(model.sample_rate), int(model.frame_length)
        self.head = ctc.CTCHead(quantization.semantic_width(model)).to(device)
        self.codebooks: quantization.CodebookAverages | None = None
        self.step, self.stopping = 0, False
        self.optimizer: CodecOptimizer  # set by _restore
        balance = AdversarialWeights(options.score_weight, options.feature_weight)
        self.adversary = Adversary(group, device, balance, options.resume) if options.adversarial_from < 1 else None
        self.head_steps = 0  # steps of this call in which only the head learns
        self.functions = CodecFunctions(model, not options.no_compile)
        self.minutes_gone = self.elapsed
        self._restore()
        if options.rehearsal:
            self._rehearse(options.rehearsal)
            await_recordings(options.data, 60 * options.minutes)
        self._read_corpus(options.data)

    def _rehearse(self, corpus: Path) -> None:
        """Compile on a small corpus, in steps that are undone."""
        self._read_corpus(corpus)
        for _ in range(max(2, self.options.letters_every)):
            self._step_safely()
        self._restore()

    def _read_corpus(self, folder: Path) -> None:
        options, seed = self.options, self.options.seed * 100_003 + self.step * 17 + self.group.rank
        self.crops = Crops(folder, self.device, seed, options.augment)
        self.lines = self.crops.lines_within(self.crops.kept_lines, options.letters_frames, self.frame)
        torch.manual_seed(seed)  # from here on, every GPU draws different crops

    def train(self) -> None:
        """Train until the time is over or the process gets SIGTERM. Save at intervals and at the end."""
        signal.signal(signal.SIGTERM, self._stop)
        saved = logged = time.monotonic()
        while self._goes_on():
            figures = self._step_safely()
            now = time.monotonic()
            if now - logged > REPORT_S and self.group.rank == 0:
                self._report(figures)
                logged = now
            if now - saved > self.options.save_seconds and self.group.rank == 0:
                self.save()
                saved = time.monotonic()
        if self.group.rank == 0:
            self.save()

    def _goes_on(self) -> bool:
        if self.steps_here % CLOCK_STEPS == 0:
            ends = self.stopping or self.elapsed >= self.options.minutes or self.steps_here >= self.options.steps
            self.minutes_gone, over = self.group.broadcast_numbers((self.elapsed, float(ends)), self.device)
            return not over
        return self.steps_here < self.options.steps

    @property
    def elapsed(self) -> float:
        """Return the minutes since the start of this call, by the clock of this process."""
        return (time.monotonic() - self.began) / 60

    @property
    def progress(self) -> float:
        """Return the progress of the whole training from 0 to 1. It is equal on every GPU."""
        return min(1.0, (self.done + self.minutes_gone) / self.total_minutes)

    def advance(self) -> dict[str, Tensor]:
        """Make one step. Return its figures, which stay on the device."""
        if self.codebooks is None and self.step >= self.options.open_steps:
            self._start_codebooks()
        real = self.crops.draw(self.options.batch, self.options.crop_frames * self.frame)
        made, commitment = self._copy(real)
        distance, mel = losses.spectral_distance(made, real, self.sample_rate)
        cepstral = losses.cepstral_distance(made, real, self.sample_rate)
        loss = distance + self.options.cepstral_weight * cepstral + COMMITMENT_WEIGHT * commitment
        figures = {"mel": mel, "cepstral": cepstral.detach(), "commitment": commitment.detach()}
        if self._counts_letters():
            letters = self.letters_loss()
            loss = loss + self.options.letters_weight * letters
            figures["letters"] = letters.detach()
        if self.adversary is not None and self.progress > self.options.adversarial_from:
            adversarial = self.adversary.step(made, real, self.optimizer.share(self.progress))
            loss, figures["adversarial"] = loss + adversarial, adversarial.detach()
        figures["norm"] = self.optimizer.step(loss, self.progress, self.warm_steps)
        self.optimizer.average(self.step)
        self.step += 1
        self.steps_here += 1
        self.warm_steps += 1
        return {"loss": loss.detach(), **figures}

    def _copy(self, real: Tensor) -> tuple[Tensor, Tensor]:
        """Return a sound after encoding and decoding, and the commitment loss."""
        with torch.set_grad_enabled(not self.options.decoder_only):
            z, commitment = self._quantized(real)
        with torch.autocast(self.device.type, torch.bfloat16):
            return self.functions.decode(z), commitment

    def _quantized(self, real: Tensor) -> tuple[Tensor, Tensor]:
        """Return the decoder's input for a sound, and the commitment loss. The codebooks are updated."""
        with torch.autocast(self.device.type, torch.bfloat16):
            z = self.functions.encode(real)
        z, commitment = z.float(), z.new_zeros((), dtype=torch.float32)
        if self.codebooks is None:
            return z, commitment
        dropout = 0.0 if self.options.decoder_only else self.options.dropout
        depth = quantization.draw_depth(len(z), len(self.codebooks.sizes), dropout, self.device)
        z, commitment, codes, latents = self.functions.quantize(z, depth)
        if not self.options.decoder_only:
            self.codebooks.update(codes, latents)
            if self.step % 50 == 0 and self.progress < 0.85:
                self.codebooks.replace_dead(latents)
        return z, commitment

    def _counts_letters(self) -> bool:
        """Return True if this step's loss includes the letters."""
        every = 0 if self.options.decoder_only or self.codebooks is None else self.options.letters_every
        return every > 0 and self.step % every == 0

    def letters_loss(self) -> Tensor:
        """Return the CTC loss per letter of whole utterances, through the semantic level alone."""
        size = self.options.letters_batch
        chosen = self.crops.rng.choice(self.lines, size, replace=len(self.lines) < size)
        lines = self.crops.lines(chosen.tolist(), self.options.letters_frames, self.frame)
        with torch.autocast(self.device.type, torch.bfloat16):
            z = self.functions.encode(lines.audio)
        vectors = quantization.semantic_vectors(self.model, z.float())
        logits = self.head(vectors.detach() if self.steps_here < self.head_steps else vectors)
        return ctc.loss(logits, lines.frames, lines.letters, lines.counts)

    def _start_codebooks(self) -> None:
        """Fit the quantiser to the encoder's present latents, and restart the average."""
        found: list[Tensor] = []
        while sum(map(len, found)) < Z_POOL and len(found) < 100:
            real = self.crops.draw(self.options.batch, self.options.crop_frames * self.frame)
            with torch.no_grad(), torch.autocast(self.device.type, torch.bfloat16):
                found.append(network.encode(self.model, real).float().flatten(0, 1))
        self.codebooks = quantization.start_codebooks(self.model, torch.cat(found)[:Z_POOL], self.group)
        self.optimizer.restart_average()
        self.warm_steps = 0
        log.info("codebooks started at step %d", self.step)

    def _step_safely(self) -> dict[str, Tensor]:
        """Make a step. If compiled code fails, this step and all later steps run without compilation."""
        figures = compiled_or_not(self.advance, self.functions.compiled, self.functions.give_up)
        if self.steps_here == 1:
            log.info("first step after %.1f s, compiled: %s", self.elapsed * 60, self.functions.compiled)
        return figures

    def _report(self, figures: dict[str, Tensor]) -> None:
        numbers = " ".join(f"{name} {float(value):.4f}" for name, value in figures.items())
        used = "" if self.codebooks is None else " used " + "/".join(f"{p:.0f}" for p in self.codebooks.perplexity())
        speed = self.steps_here / (self.elapsed * 60)
        log.info("step %d %.0f%% %s %.1f/s%s", self.step, self.progress * 100, numbers, speed, used)

    def _stop(self, *_: object) -> None:
        self.stopping = True

    def save(self) -> None:
        """Save the averaged weights, and the full state for use on this machine."""
        averaged, books, out = self.optimizer.averaged, self.codebooks, self.options.out
        model, head, frames = averaged["codec"], averaged["head"], self.options.letters_frames
        letters = validation.letter_error_rate(model, head, self.crops, frames) if books is not None else 1.0
        progress = {
            "step": self.step,
            "minutes": round(self.done + self.elapsed, 3),
            "quantised": books is not None,
            "held_out_mel": round(validation.mel_distance(model, self.crops), 4),
            "held_out_letters": round(letters, 4),
        }
        log.info("saved: %s", progress)
        weights.save(model, head, out, progress, self.config)
        state = {
            "model": self.model.state_dict(),
            "head": self.head.state_dict(),
            "decoder_only": self.options.decoder_only,
            "codebooks": None if books is None else [books.counts, books.sums],
            **self.optimizer.state(),
            **progress,
        }
        save_state(state, out / "state.pt")
        if self.adversary is not None:
            self.adversary.save(out)

    def _restore(self) -> None:
        """Continue from a full state, or else from saved or exported weights; without any, start anew."""
        folder, options = self.options.resume, self.options
        state = weights.read_full(folder, options.decoder_only, self.device)
        self.steps_here, self.warm_steps = 0, 0
        if state:
            self.model.load_state_dict(state["model"])
            self.head.load_state_dict(state["head"])
        elif folder:
            weights.fill(self.model, weights.read_state(folder))
            state = weights.read_progress(folder)
            if weights.is_exported(folder):
                self.head_steps = options.open_steps
            else:
                weights.fill(self.head, weights.read_state(folder, "head"))
        self.step = int(state.get("step", 0))
        self.done = float(state.get("minutes", 0.0) if options.done_minutes is None else options.done_minutes)
        self.total_minutes = options.total_minutes or self.done + options.minutes
        if state.get("quantised"):
            self.codebooks = quantization.CodebookAverages(self.model, self.group)
        self.optimizer = CodecOptimizer(self.model, self.head, self.group, options)
        if "averages" in state:
            self.optimizer.restore(state)
            if self.codebooks is not None:
                self.codebooks.counts, self.codebooks.sums = state["codebooks"]
        found = "a full state" if "averages" in state else "carried weights" if state else "nothing"
        log.info("starting from %s at step %d, %.1f of %.1f min", found, self.step, self.done, self.total_minutes)


def work(group: ProcessGroup, device: torch.device, options: CodecOptions) -> None:
    """Run the part of one process in a call. The first process reports and saves."""
    CodecTrainer(options, group, device).train()
