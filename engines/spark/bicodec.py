"""BiCodec, the codec of Spark-TTS (Wang et al. 2025, arXiv:2503.01710). It is not causal.

A clip has one semantic code for each frame, which says what is spoken, and a few global codes, which say who speaks.
Parameter names equal upstream's, with every weight norm folded into a plain weight.
"""

import math

import torch
from torch import Tensor, nn

from engines.spark.bicodec_config import BiCodecConfig
from engines.spark.generator import Generator, receptive_field
from engines.spark.mel import HOP, SAMPLE_RATE, mel_spectrogram
from engines.spark.quantizers import SemanticQuantizer
from engines.spark.speaker import SpeakerEncoder
from engines.spark.vocos import FeatureEncoder, Prenet

REFERENCE = 6 * SAMPLE_RATE // HOP * HOP  # samples of a clip from which the global codes are computed


class BiCodec(nn.Module):
    """Converts between mono audio at `sample_rate`, semantic codes of `hop` samples each, and `global_codes` global codes."""

    sample_rate = SAMPLE_RATE

    def __init__(self, config: BiCodecConfig) -> None:
        super().__init__()
        self.hop, self.global_codes = math.prod((*config.ratios, *config.rates)), config.global_codes
        self.codes, self.levels = config.codes, config.levels
        self.encoder = FeatureEncoder(config)
        self.quantizer = SemanticQuantizer(config)
        self.speaker_encoder = SpeakerEncoder(config)
        self.prenet = Prenet(config)
        self.decoder = Generator(config)
        field = receptive_field((self.prenet, self.decoder), range(self.hop))
        self.before, self.after = -field.start, field[-1]  # frames on which the audio of a frame depends

    @property
    def decoding_weight(self) -> Tensor:
        """Return a weight of the decoder, which has its device and dtype."""
        return next(self.decoder.parameters())

    @property
    def keeps_length(self) -> bool:
        """Return True if each frame of features has a code, as in the published codec."""
        return self.encoder.keeps_length

    def encode_semantic(self, features: Tensor, count: Tensor | None = None) -> Tensor:
        """Encode (t, features) speech features to (t',) int64 codes; t' is t if the codec `keeps_length`.

        Frames after the first `count` (1,), if given, are padding; the codec must then keep the length.
        """
        mask = (
            None if count is None else (torch.arange(len(features), device=features.device) < count).to(features.dtype)
        )
        return self.quantizer.nearest(self.encoder(features.T[None], mask))[0]

    def encode_global(self, samples: Tensor, length: Tensor | None = None) -> Tensor:
        """Encode the voice of (n,) samples to (global_codes,) int64 codes, from a clip that is repeated or cut to 6 s.

        Samples after the first `length` (1,), if given, do not belong to the clip.
        """
        positions = torch.arange(REFERENCE, device=samples.device) % (len(samples) if length is None else length)
        return self.speaker_encoder.codes(mel_spectrogram(samples[positions][None]))[0]

    def decode(self, semantic: Tensor, global_codes: Tensor) -> Tensor:
        """Decode (b, t) semantic codes with the voices of (b, global_codes) global codes to (b, t * hop) samples."""
        return self.decode_with(semantic, self.speaker_encoder.vectors(global_codes))

    def decode_with(self, semantic: Tensor, speakers: Tensor) -> Tensor:
        """Decode (b, t) semantic codes with (b, channels) speaker vectors to (b, t * hop) samples.

        Only frames with `before` and `after` frames around them, or with the ends of the clip, have their final samples.
        """
        x = self.prenet(self.quantizer(semantic), speakers) + speakers[..., None]
        return self.decoder(x.to(self.decoding_weight.dtype))
