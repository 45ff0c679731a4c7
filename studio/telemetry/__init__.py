"""What the scheduler did and how full the device is, for the panels and metrics."""

from studio.telemetry.telemetry import Telemetry

__all__ = ["Telemetry"]
