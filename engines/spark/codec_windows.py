"""BiCodec for streams: each frame has a semantic code and the global codes of its voice."""

from dataclasses import dataclass

from torch import Tensor

from engines.spark.bicodec import BiCodec

# Frames of 20 ms that are decoded around a packet. Audio depends on 67 frames on each side. With fewer, it differs by -71 and
# -90 dB in two codecs of full size with random weights.
BEFORE, AFTER = 24, 16


@dataclass(frozen=True, slots=True, eq=False)
class WindowedBiCodec:
    """Decodes windows; `engines.codec_lm.windowed_streams.WindowedCodec` describes it."""

    codec: BiCodec
    before: int = BEFORE
    after: int = AFTER
    parts: int = 1
    parts_after: int = AFTER

    @property
    def codebooks(self) -> int:
        """Return the codes of a frame."""
        return 1 + self.codec.global_codes

    @property
    def hop(self) -> int:
        """Return the samples of a frame."""
        return self.codec.hop

    @property
    def decoding_weight(self) -> Tensor:
        """Return a weight of the decoder."""
        return self.codec.decoding_weight

    def decode_windows(self, starts: Tensor, codes: Tensor) -> Tensor:
        """Decode (b, codebooks, t) codes to (b, t * hop); the first frame gives the voice."""
        return self.codec.decode(codes[:, 0], codes[:, 1:, 0]).float()
