"""Run f5-tts's sampler and network with our weights and our noise."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from engines.originals.imports import open_packages, stand_in

# Modules that f5-tts imports but never calls in the code used here.
UNUSED = ("librosa", "librosa.filters", "rjieba", "pypinyin")


def prepare_imports() -> None:
    """Make the sampler importable without the other requirements of the package, and without its trainer."""
    stand_in(UNUSED)
    open_packages("f5_tts", "f5_tts.model", "f5_tts.model.backbones")


def sampler(
    network: nn.Module, arch: dict[str, object], symbols: int, dtype: torch.dtype
) -> Callable[[Tensor, Tensor, Tensor, int], Tensor]:
    """Return upstream's sampler: noise (n, 100), reference (r, 100), token ids (t,), steps -> new mel (n - r, 100)."""
    prepare_imports()
    from f5_tts.model.backbones.dit import DiT
    from f5_tts.model.cfm import CFM

    theirs = DiT(**arch, text_num_embeds=symbols, mel_dim=100, text_mask_padding=True)
    theirs.load_state_dict(network.state_dict(), strict=False)
    device = next(network.parameters()).device
    model = CFM(transformer=theirs, num_channels=100).to(device, dtype).eval()

    def take(noise: Tensor, reference: Tensor, tokens: Tensor, steps: int) -> Tensor:
        draw, torch.randn = torch.randn, lambda *size, **options: noise.to(dtype)
        try:
            mel, _ = model.sample(
                reference[None].to(dtype),
                tokens[None] - 1,  # upstream adds 1 for its filler later
                len(noise),
                steps=steps,
                cfg_strength=2.0,
                sway_sampling_coef=-1.0,
            )
        finally:
            torch.randn = draw
        return mel[0, len(reference) :]

    return take
