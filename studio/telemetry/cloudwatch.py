"""Write metrics for Amazon CloudWatch to standard output, in the embedded metric format (EMF).

CloudWatch Logs reads these lines without an agent, for example in a container of SageMaker or ECS. The metrics have the
names that earlier voice servers used.
"""

import json
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from studio.telemetry.records import RequestRecord
from studio.telemetry.snapshot import Point

NAMESPACE = "ChampionRecap/VoiceGeneration"
DEVICE_S = 60.0  # interval of the GPU metrics
LINES_MAX = 1_000  # lines that wait to be written; older lines are dropped


class CloudWatch:
    """Collects lines from any thread. The telemetry thread writes them, because standard output may block."""

    def __init__(self, write: Callable[[str], object], clock: Callable[[], float] = time.time) -> None:
        self._write, self._clock = write, clock
        self._device_at = 0.0
        self._lines: deque[str] = deque(maxlen=LINES_MAX)

    def flush(self) -> None:
        """Write the collected lines."""
        while self._lines:
            self._write(self._lines.popleft() + "\n")

    def add_request(self, record: RequestRecord) -> None:
        """Add the metrics of a finished request; ignore other requests."""
        if record.outcome == "done":
            inference_ms = 1_000 * (record.inference_s or 0.0)
            units = {"InferenceTime": "Milliseconds", "ModelCacheHit": "Count"}
            further = {"RequestId": record.request_id, "Door": record.door}
            self._add(units, [inference_ms, int(record.loaded)], {"Engine": record.engine}, further)

    def add_load(self, engine: str, seconds: float) -> None:
        """Add the loading time of an engine."""
        self._add({"ModelLoadingTime": "Milliseconds"}, [1_000 * seconds], {"Engine": engine})

    def add_gpu(self, point: Point, total_bytes: int) -> None:
        """Add the utilization of the GPU, at most once a minute."""
        now = self._clock()
        if now - self._device_at >= DEVICE_S and total_bytes:
            self._device_at = now
            units = {"GPUMemoryUtilization": "Percent", "GPUUtilization": "Percent"}
            self._add(units, [100 * point.used_bytes / total_bytes, 100 * point.utilisation], {})

    def _add(
        self,
        units: Mapping[str, str],
        values: list[float],
        dimensions: Mapping[str, str],
        further: Mapping[str, str] | None = None,
    ) -> None:
        directive: dict[str, Any] = {
            "Namespace": NAMESPACE,
            "Dimensions": [list(dimensions)],
            "Metrics": [{"Name": name, "Unit": unit} for name, unit in units.items()],
        }
        about = {"_aws": {"Timestamp": round(1_000 * self._clock()), "CloudWatchMetrics": [directive]}}
        figures = dict(zip(units, values, strict=True))
        self._lines.append(json.dumps({**about, **dimensions, **figures, **(further or {})}))
