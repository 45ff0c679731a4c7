"""Streams of a codec: packets of frames become audio."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from torch import Tensor

from engines.runtime.launching import KernelPlans
from engines.runtime.transfers import AsyncHostCopy
from engines.types import Audio, BackendChoice, Samples

ROWS_MAX = 32  # streams decoded at once; more would need more memory and save no time


@dataclass(frozen=True, slots=True, eq=False)
class Packet:
    """The next frames of a stream."""

    slot: int
    codes: Tensor  # (codebooks, frames) on the host
    last: bool = False  # True if the stream ends with them


@dataclass(frozen=True, slots=True, eq=False)
class DecodedPackets:
    """The audio of packets, in their order."""

    samples: AsyncHostCopy  # (packets, samples); after a packet's audio follows noise
    lengths: Sequence[int]  # samples of each packet


class CodecStreams(Protocol):
    """Decodes the packets of many streams."""

    @property
    def choice(self) -> BackendChoice:
        """Return the backend in use."""
        ...

    @property
    def compiled(self) -> Any:
        """Return the `WithEagerFallback` of the compiled decoder; None if nothing is compiled."""
        ...

    @property
    def codebooks(self) -> int:
        """Return the number of codes of a frame."""
        ...

    @property
    def delay(self) -> int:
        """Return the frames by which audio follows its codes."""
        ...

    @property
    def buckets(self) -> Sequence[object]:
        """Return the shapes that `warm` prepares."""
        ...

    @property
    def bytes(self) -> int:
        """Return the bytes of the streams' state on the device."""
        ...

    def open(self) -> int:
        """Return the slot of a new stream."""
        ...

    def close(self, slot: int) -> None:
        """Free a slot; work that is already queued still finishes."""
        ...

    def decode(self, packets: Sequence[Packet]) -> DecodedPackets:
        """Decode packets of at most `ROWS_MAX` streams."""
        ...

    def padded(self, frames: int) -> int:
        """Return the bucket size for a packet of this many frames; packets of one size are decoded together."""
        ...

    def go_first(self) -> None:
        """Make the current stream wait for queued codec work."""
        ...

    def kernels(self) -> Iterator[KernelPlans]:
        """Yield the kernels that the buckets launch, so that they can be compiled before warm-up."""
        ...

    def warm(self) -> Iterator[object]:
        """Prepare each bucket; the scheduler steps other work between two items."""
        ...


class PacketFilter(Protocol):
    """Changes the audio of one request, packet by packet."""

    def add(self, samples: Samples) -> Samples:
        """Add (n,) samples; return the (m,) samples that are ready."""
        ...

    def end(self) -> Samples:
        """Return the rest; the next samples start a new part."""
        ...


class Filters(Protocol):
    """Builds the filter of each request."""

    def stream(self, audio: Audio, codes: Tensor, digest: str) -> PacketFilter | None:
        """Return a filter for one request with this reference (audio, codes and digest); None if none is needed."""
        ...
