"""The codec's residual quantiser in training. Codebooks start from data, then follow moving averages; dead codes are replaced.

The lookup is the package's (nearest by angle in 8 dimensions). Codebooks follow the running mean of the vectors assigned to
them (van den Oord et al. 2017, arXiv:1711.00937, appendix A.1) instead of a codebook loss.
"""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from training.parallel import ProcessGroup

DECAY = 0.98
DEAD = 0.05  # a code whose usage is below this share of the mean is replaced


def levels(model: Any) -> list[Any]:
    """Return the quantisers in order, the semantic one first."""
    return [*model.quantizer.semantic_quantizer.quantizers, *model.quantizer.quantizer.quantizers]


def quantize(model: Any, z: Tensor, depth: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Quantise z (b, t, d) with `depth` levels (b,) in each row.

    Return the quantised z, the commitment loss, and codes and latents by level.
    """
    residual, total, commitment = z, torch.zeros_like(z), z.new_zeros(())
    codes, latents = [], []
    for index, level in enumerate(levels(model)):
        latent = F.linear(residual, level.in_proj.weight[:, :, 0], level.in_proj.bias)
        code = nearest(latent, level.codebook.weight)
        chosen = F.embedding(code, level.codebook.weight).detach()
        kept = (depth > index).to(z.dtype)[:, None, None]
        # So that a deep level has the same weight as the first.
        scale = (chosen.square().mean() + latent.detach().square().mean()) / 2
        error = (latent - chosen).square() / scale.clamp(min=1e-8)
        commitment = commitment + (error * kept).mean()
        through = latent + (chosen - latent).detach()
        step = F.linear(through, level.out_proj.weight[:, :, 0], level.out_proj.bias)
        total, residual = total + step * kept, residual - step
        codes.append(code)
        latents.append(latent.detach())
    return total, commitment, torch.stack(codes), torch.stack(latents)


def semantic_width(model: Any) -> int:
    """Return the width of the vectors of `semantic_vectors`."""
    return int(levels(model)[0].out_proj.out_channels)


def semantic_vectors(model: Any, z: Tensor) -> Tensor:
    """Return z (b, t, d) quantised by the semantic level alone. Gradients pass straight through."""
    level = levels(model)[0]
    latent = F.linear(z, level.in_proj.weight[:, :, 0], level.in_proj.bias)
    chosen = F.embedding(nearest(latent, level.codebook.weight), level.codebook.weight).detach()
    return F.linear(latent + (chosen - latent).detach(), level.out_proj.weight[:, :, 0], level.out_proj.bias)


def code_vectors(model: Any, codes: Tensor) -> Tensor:
    """Return the vectors (b, t, d) of semantic codes (b, t)."""
    level = levels(model)[0]
    return F.linear(level.codebook.weight[codes], level.out_proj.weight[:, :, 0], level.out_proj.bias)


def draw_depth(batch: int, count: int, dropout: float, device: torch.device) -> Tensor:
    """Return the number of levels to keep (b,): all or, for a share of the rows, any number from 2 (semantic and one more)."""
    fewer = torch.randint(2, count + 1, (batch,), device=device)
    return torch.where(torch.rand(batch, device=device) < dropout, fewer, count)


def nearest(latent: Tensor, codebook: Tensor) -> Tensor:
    return (F.normalize(latent, dim=-1) @ F.normalize(codebook, dim=-1).T).argmax(-1)


class CodebookAverages:
    """Running usage and means of all codebooks, in one table of (all codes, 8)."""

    def __init__(self, model: Any, group: ProcessGroup | None = None) -> None:
        self.group = group or ProcessGroup()
        self.levels = levels(model)
        self.sizes = [level.codebook.weight.shape[0] for level in self.levels]
        for level in self.levels:
            level.codebook.weight.requires_grad_(False)
        table = torch.cat([level.codebook.weight for level in self.levels])
        self.counts = table.new_ones(table.shape[0])
        self.sums = table.clone()
        starts = torch.tensor([0, *self.sizes[:-1]], device=table.device).cumsum(0)
        self.starts = starts[:, None]

    @torch.no_grad()
    def update(self, codes: Tensor, latents: Tensor) -> None:
        """Move each code towards its latents, on all GPUs: codes (levels, b, t), latents (levels, b, t, 8).

        If a number of the batch is not finite on any GPU, nothing changes.
        """
        flat = (codes.flatten(1) + self.starts).flatten()
        vectors = latents.flatten(0, 2).float()
        seen = torch.zeros_like(self.counts).index_add_(0, flat, torch.ones_like(vectors[:, 0]))
        total = torch.zeros_like(self.sums).index_add_(0, flat, vectors)
        self.group.add(seen, total)
        fit = torch.isfinite(total).all()
        self.counts.copy_(torch.where(fit, self.counts.lerp(seen, 1 - DECAY), self.counts))
        self.sums.copy_(torch.where(fit, self.sums.lerp(total, 1 - DECAY), self.sums))
        self._write()

    @torch.no_grad()
    def replace_dead(self, latents: Tensor) -> None:
        """Replace rarely used codes by latents of this batch."""
        pairs = zip(torch.split(self.counts, self.sizes), torch.split(self.sums, self.sizes), latents, strict=True)
        for counts, sums, latent in pairs:
            pool = latent.flatten(0, 1).float().nan_to_num(0.0, 0.0, 0.0)
            drawn = pool[torch.randint(len(pool), (len(counts),), device=pool.device)]
            mean = counts.mean()
            dead = counts < DEAD * mean
            sums.copy_(torch.where(dead[:, None], drawn * mean, sums))
            counts.copy_(torch.where(dead, mean, counts))
        self.group.broadcast(self.counts, self.sums)
        self._write()

    def perplexity(self) -> list[float]:
        """Return the effective number of used codes for each level."""
        shares = [counts / counts.sum() for counts in torch.split(self.counts, self.sizes)]
        return [float(torch.exp(-(share * (share + 1e-12).log()).sum())) for share in shares]

    def _write(self) -> None:
        means = self.sums / self.counts.clamp(min=1e-5)[:, None]
        for level, table in zip(self.levels, torch.split(means, self.sizes), strict=True):
            level.codebook.weight.copy_(table)


@torch.no_grad()
def start_codebooks(model: Any, z: Tensor, group: ProcessGroup, rounds: int = 12) -> CodebookAverages:
    """Initialise every level from data z (n, d): projections to the main directions of the residual, and codes by k-means.

    All processes use the result of the first process.
    """
    residual = z.float()
    for level in levels(model):
        size, width = level.codebook.weight.shape
        mean = residual.mean(0)
        _, _, axes = torch.pca_lowrank(residual, q=min(3 * width, residual.shape[1]), center=True)
        axes = axes[:, :width].T.contiguous()
        level.in_proj.weight.copy_(axes[:, :, None])
        level.in_proj.bias.copy_(-axes @ mean)
        level.out_proj.weight.copy_(axes.T[:, :, None])
        level.out_proj.bias.copy_(mean)
        latent = (residual - mean) @ axes.T
        level.codebook.weight.copy_(_cluster(latent, size, rounds))
        chosen = level.codebook.weight[nearest(latent, level.codebook.weight)]
        residual = residual - mean - chosen @ axes
    for level in levels(model):
        parts = (level.in_proj, level.out_proj, level.codebook)
        group.broadcast(*(parameter.data for part in parts for parameter in part.parameters()))
    return CodebookAverages(model, group)


def _cluster(points: Tensor, size: int, rounds: int) -> Tensor:
    """Return the centres of a k-means clustering by angle. A centre without points is drawn again."""
    centres = points[torch.randint(len(points), (size,), device=points.device)].clone()
    for _ in range(rounds):
        code = nearest(points, centres)
        counts = torch.zeros(size, device=points.device).index_add_(0, code, torch.ones_like(points[:, 0]))
        sums = torch.zeros_like(centres).index_add_(0, code, points)
        drawn = points[torch.randint(len(points), (size,), device=points.device)]
        centres = torch.where(counts[:, None] > 0, sums / counts.clamp(min=1)[:, None], drawn)
    return centres
