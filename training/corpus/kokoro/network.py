"""Kokoro's network (StyleTTS 2 with an iSTFTNet decoder) for batches whose rows have equal lengths, without masks.

The layers are those of hexgrad's `kokoro` package (Apache-2.0), with plain weights; `weights.py` reads them from the ONNX
export.
"""

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

STYLE, WIDTH, BERT, HEADS = 128, 512, 768, 12
SYMBOLS, LONGEST_DURATION = 178, 50
HARMONICS, SINE, NOISE, VOICED_HZ, RATE_HZ = 9, 0.1, 0.003, 10.0, 24_000
FRAME = 600  # samples in a frame of the predicted durations
FFT, HOP, UPSAMPLING = 20, 5, (10, 6)


class Albert(nn.Module):
    """One transformer layer that is applied twelve times."""

    def __init__(self, layers: int = 12) -> None:
        super().__init__()
        self.layers = layers
        self.word, self.position = nn.Embedding(SYMBOLS, 128), nn.Embedding(512, 128)
        self.kind = nn.Embedding(2, 128)
        self.first_norm, self.widen = nn.LayerNorm(128, eps=1e-12), nn.Linear(128, BERT)
        self.query, self.key, self.value, self.dense = (nn.Linear(BERT, BERT) for _ in range(4))
        self.attention_norm, self.last_norm = nn.LayerNorm(BERT, eps=1e-12), nn.LayerNorm(BERT, eps=1e-12)
        self.up, self.down = nn.Linear(BERT, 2048), nn.Linear(2048, BERT)

    def forward(self, tokens: Tensor) -> Tensor:
        place = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.first_norm(self.word(tokens) + self.position(place) + self.kind.weight[0])
        x = self.widen(x)
        for _ in range(self.layers):
            parts = [
                layer(x).unflatten(-1, (HEADS, -1)).transpose(1, 2) for layer in (self.query, self.key, self.value)
            ]
            read = F.scaled_dot_product_attention(*parts).transpose(1, 2).flatten(2)
            x = self.attention_norm(x + self.dense(read))
            x = self.last_norm(x + self.down(F.gelu(self.up(x), approximate="tanh")))
        return x


class ChannelNorm(nn.Module):
    """Layer norm over the channels of (b, channels, t)."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.gamma, self.beta = nn.Parameter(torch.ones(channels)), nn.Parameter(torch.zeros(channels))

    def forward(self, x: Tensor) -> Tensor:
        return F.layer_norm(x.mT, (len(self.gamma),), self.gamma, self.beta, 1e-5).mT


class TextEncoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(SYMBOLS, WIDTH)
        self.cnn = nn.ModuleList(
            nn.Sequential(nn.Conv1d(WIDTH, WIDTH, 5, padding=2), ChannelNorm(WIDTH)) for _ in range(3)
        )
        self.lstm = nn.LSTM(WIDTH, WIDTH // 2, batch_first=True, bidirectional=True)

    def forward(self, tokens: Tensor) -> Tensor:
        """Encode tokens: (b, t) -> (b, t, WIDTH)."""
        x = self.embedding(tokens).mT
        for block in self.cnn:
            x = F.leaky_relu(block(x), 0.2)
        read: Tensor = self.lstm(x.mT)[0]
        return read


class StyledNorm(nn.Module):
    """Layer norm over the channels of (b, t, channels), scaled and shifted by a style."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.fc = nn.Linear(STYLE, 2 * channels)

    def forward(self, x: Tensor, style: Tensor) -> Tensor:
        gamma, beta = self.fc(style)[:, None].chunk(2, -1)
        return (1 + gamma) * F.layer_norm(x, x.shape[-1:], eps=1e-5) + beta


class StyledInstanceNorm(nn.Module):
    """Instance norm over the time of (b, channels, t), scaled and shifted by a style."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.fc = nn.Linear(STYLE, 2 * channels)

    def forward(self, x: Tensor, style: Tensor) -> Tensor:
        gamma, beta = self.fc(style)[..., None].chunk(2, 1)
        return (1 + gamma) * F.instance_norm(x) + beta


class StyledBlock(nn.Module):
    def __init__(self, inward: int, outward: int, doubled: bool = False) -> None:
        super().__init__()
        self.conv1, self.conv2 = nn.Conv1d(inward, outward, 3, padding=1), nn.Conv1d(outward, outward, 3, padding=1)
        self.norm1, self.norm2 = StyledInstanceNorm(inward), StyledInstanceNorm(outward)
        self.conv1x1 = nn.Conv1d(inward, outward, 1, bias=False) if inward != outward else None
        self.pool = (
            nn.ConvTranspose1d(inward, inward, 3, 2, padding=1, output_padding=1, groups=inward) if doubled else None
        )

    def forward(self, x: Tensor, style: Tensor) -> Tensor:
        y = F.leaky_relu(self.norm1(x, style), 0.2)
        y = self.conv1(self.pool(y) if self.pool else y)
        y = self.conv2(F.leaky_relu(self.norm2(y, style), 0.2))
        if self.pool:
            x = x.repeat_interleave(2, -1)
        x = self.conv1x1(x) if self.conv1x1 else x
        return (x + y) * math.sqrt(0.5)


class Prosody(nn.Module):
    """Predicts durations, pitch and loudness of a line."""

    def __init__(self) -> None:
        super().__init__()
        self.lstms = nn.ModuleList(
            StyledNorm(WIDTH) if place % 2 else nn.LSTM(WIDTH + STYLE, WIDTH // 2, batch_first=True, bidirectional=True)
            for place in range(6)
        )
        self.lstm = nn.LSTM(WIDTH + STYLE, WIDTH // 2, batch_first=True, bidirectional=True)
        self.duration = nn.Linear(WIDTH, LONGEST_DURATION)
        self.shared = nn.LSTM(WIDTH + STYLE, WIDTH // 2, batch_first=True, bidirectional=True)
        self.F0, self.N = self._blocks(), self._blocks()
        self.F0_proj, self.N_proj = nn.Conv1d(WIDTH // 2, 1, 1), nn.Conv1d(WIDTH // 2, 1, 1)

    @staticmethod
    def _blocks() -> nn.ModuleList:
        half = WIDTH // 2
        return nn.ModuleList((StyledBlock(WIDTH, WIDTH), StyledBlock(WIDTH, half, True), StyledBlock(half, half)))

    def read(self, x: Tensor, style: Tensor) -> tuple[Tensor, Tensor]:
        """Return features (b, t, WIDTH + STYLE) and durations (b, t) in frames, from (b, t, WIDTH)."""
        wide = style[:, None].expand(-1, x.shape[1], -1)
        x = torch.cat((x, wide), -1)
        for place, layer in enumerate(self.lstms):
            x = torch.cat((layer(x, style), wide), -1) if place % 2 else layer(x)[0]
        return x, self.duration(self.lstm(x)[0]).sigmoid().sum(-1)

    def melody(self, x: Tensor, style: Tensor) -> tuple[Tensor, Tensor]:
        """Return pitch in Hz and loudness, (b, 2 n) each, from (b, n, WIDTH + STYLE)."""
        shared = self.shared(x)[0].mT
        pitch = loudness = shared
        for one, other in zip(self.F0, self.N, strict=True):
            pitch, loudness = one(pitch, style), other(loudness, style)
        return self.F0_proj(pitch)[:, 0], self.N_proj(loudness)[:, 0]


class SnakeBlock(nn.Module):
    def __init__(self, channels: int, taps: int) -> None:
        super().__init__()
        self.convs1 = nn.ModuleList(
            nn.Conv1d(channels, channels, taps, dilation=d, padding=d * (taps - 1) // 2) for d in (1, 3, 5)
        )
        self.convs2 = nn.ModuleList(nn.Conv1d(channels, channels, taps, padding=(taps - 1) // 2) for _ in range(3))
        self.adain1 = nn.ModuleList(StyledInstanceNorm(channels) for _ in range(3))
        self.adain2 = nn.ModuleList(StyledInstanceNorm(channels) for _ in range(3))
        self.alpha1 = nn.ParameterList(torch.ones(1, channels, 1) for _ in range(3))
        self.alpha2 = nn.ParameterList(torch.ones(1, channels, 1) for _ in range(3))

    def forward(self, x: Tensor, style: Tensor) -> Tensor:
        layers: Any = zip(self.convs1, self.convs2, self.adain1, self.adain2, self.alpha1, self.alpha2, strict=True)
        for first, second, norm1, norm2, alpha1, alpha2 in layers:
            x = x + second(snake(norm2(first(snake(norm1(x, style), alpha1)), style), alpha2))
        return x


def snake(x: Tensor, alpha: Tensor) -> Tensor:
    alpha = alpha.to(x.dtype)
    return x + torch.sin(alpha * x).square() / alpha


class Generator(nn.Module):
    """Generates (b, n * FRAME) samples from (b, 512, 2 n) and pitch."""

    def __init__(self) -> None:
        super().__init__()
        self.sines = nn.Linear(HARMONICS, 1)
        self.noise_convs = nn.ModuleList((nn.Conv1d(FFT + 2, 256, 12, 6, padding=3), nn.Conv1d(FFT + 2, 128, 1)))
        self.noise_res = nn.ModuleList((SnakeBlock(256, 7), SnakeBlock(128, 11)))
        self.ups = nn.ModuleList(
            nn.ConvTranspose1d(512 // 2**i, 256 // 2**i, 2 * rate, rate, padding=rate // 2)
            for i, rate in enumerate(UPSAMPLING)
        )
        self.resblocks = nn.ModuleList(SnakeBlock(256 // 2**i, taps) for i in range(2) for taps in (3, 7, 11))
        self.conv_post = nn.Conv1d(128, FFT + 2, 7, padding=3)

    def forward(self, x: Tensor, style: Tensor, pitch: Tensor) -> Tensor:
        window = torch.hann_window(FFT, device=x.device)
        with torch.autocast(x.device.type, enabled=False):
            spectrum = torch.stft(self.source(pitch.float()), FFT, HOP, window=window, return_complex=True)
            source = torch.cat((spectrum.abs(), spectrum.angle()), 1)
        for i, up in enumerate(self.ups):
            noise = self.noise_res[i](self.noise_convs[i](source), style)
            x = up(F.leaky_relu(x, 0.1))
            x = F.pad(x, (1, 0), mode="reflect") if i else x
            x = x + noise
            x = sum(block(x, style) for block in self.resblocks[3 * i : 3 * i + 3]) / 3
        x = self.conv_post(F.leaky_relu(x)).float()
        magnitude, phase = x[:, : FFT // 2 + 1].exp(), x[:, FFT // 2 + 1 :].sin()
        return torch.istft(torch.polar(magnitude, phase), FFT, HOP, window=window)

    def source(self, pitch: Tensor) -> Tensor:
        """Return harmonics where there is a pitch, and noise elsewhere: (b, 2 n) Hz -> (b, 2 n * 300)."""
        scale = HOP * math.prod(UPSAMPLING)
        steps = pitch[:, None] * torch.arange(1, HARMONICS + 1, device=pitch.device)[:, None] / RATE_HZ % 1
        phase = torch.cumsum(steps.double(), -1) * scale
        phase = F.interpolate(phase, scale_factor=scale, mode="linear").float().mul(2 * math.pi)
        voiced = (pitch > VOICED_HZ).float().repeat_interleave(scale, -1)[:, None]
        noise = voiced * NOISE + (1 - voiced) * SINE / 3
        waves = torch.sin(phase) * SINE * voiced + noise * torch.randn_like(phase)
        return torch.tanh(self.sines(waves.mT))[..., 0]


class Decoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        wide = 1024 + 2 + 64
        self.encode = StyledBlock(WIDTH + 2, 1024)
        self.decode = nn.ModuleList((*(StyledBlock(wide, 1024) for _ in range(3)), StyledBlock(wide, 512, True)))
        self.F0_conv, self.N_conv = (nn.Conv1d(1, 1, 3, 2, padding=1) for _ in range(2))
        self.asr_res = nn.Conv1d(WIDTH, 64, 1)
        self.generator = Generator()

    def forward(self, text: Tensor, pitch: Tensor, loudness: Tensor, style: Tensor) -> Tensor:
        """Decode text (b, WIDTH, n), pitch and loudness (b, 2 n) to samples (b, n * FRAME)."""
        prosody = torch.cat((self.F0_conv(pitch[:, None]), self.N_conv(loudness[:, None])), 1)
        x, read = self.encode(torch.cat((text, prosody), 1), style), self.asr_res(text)
        for block in self.decode:
            x = block(torch.cat((x, read, prosody), 1), style)
        sound: Tensor = self.generator(x, style, pitch)
        return sound


class Kokoro(nn.Module):
    """The network. Styles are (b, 2 * STYLE): timbre, then prosody."""

    def __init__(self) -> None:
        super().__init__()
        self.bert, self.bert_encoder = Albert(), nn.Linear(BERT, WIDTH)
        self.text_encoder, self.predictor, self.decoder = TextEncoder(), Prosody(), Decoder()

    def read(self, tokens: Tensor, styles: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return text (b, t, WIDTH), prosody (b, t, WIDTH + STYLE) and durations (b, t) in frames, from tokens (b, t)."""
        how, durations = self.predictor.read(self.bert_encoder(self.bert(tokens)), styles[:, STYLE:])
        return self.text_encoder(tokens), how, durations
