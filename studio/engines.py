"""Create the engine manager from the settings. This part of the composition needs no page."""

from engines.registry import EngineOptions
from engines.scheduling.manager import Manager, Policy
from studio.checkpoints import checkpoints
from studio.settings import Settings


def device(settings: Settings) -> EngineOptions:
    return EngineOptions(
        name=settings.device,
        compile=settings.compile,
        quantize=settings.quantize,
        cpu_precision=settings.cpu_precision,
        max_batch=settings.max_batch,
        threads=settings.threads,
        cache_dir=str(settings.data_dir / "cache"),
        weights_budget_bytes=int(settings.weights_budget_gb * 1e9),
    )


def open_manager(settings: Settings) -> Manager:
    """Create the manager of the chosen engines. Engines load when the manager starts."""
    known = checkpoints(settings)
    policy = Policy(
        queue_size=settings.queue_size,
        request_timeout_s=settings.request_timeout_s,
        step_timeout_s=settings.step_timeout_s,
        memory_budget_bytes=int(settings.memory_budget_gb * 1e9),
    )
    return Manager({name: known[name] for name in settings.engines}, device(settings), policy)
