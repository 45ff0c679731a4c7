"""f5-tts's own sampler and network on our weights and our noise."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from training.packages import open_packages, stand_in

# Imported at the top of the modules used here and never called by them.
UNUSED = ("librosa", "librosa.filters", "rjieba", "pypinyin")


def prepare_imports() -> None:
    """Make the sampler importable where its package's other needs are absent, and without its trainer."""
    stand_in(UNUSED)
    open_packages("f5_tts", "f5_tts.model", "f5_tts.model.backbones")


def sampler(
    network: nn.Module, arch: dict[str, object], symbols: int, dtype: torch.dtype
) -> Callable[[Tensor, Tensor, Tensor, int], Tensor]:
    """Upstream's take, of noise (n, 100), reference (r, 100), token ids (t,) and steps -> the new mel (n - r, 100)."""
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
                tokens[None] - 1,  # upstream counts its filler in later
                len(noise),
                steps=steps,
                cfg_strength=2.0,
                sway_sampling_coef=-1.0,
            )
        finally:
            torch.randn = draw
        return mel[0, len(reference) :]

    return take
