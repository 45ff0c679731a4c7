"""Records the scheduler's events and the load of the device, for the Monitor page and metrics."""

from studio.telemetry.telemetry import Telemetry

__all__ = ["Telemetry"]
