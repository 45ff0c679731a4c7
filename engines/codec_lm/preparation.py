"""Prepare a request: read its text and its reference without a device, then build the active request."""

from engines import text as writing
from engines.base import EngineJob
from engines.codec_lm import plan as planning
from engines.codec_lm.active_request import ActiveRequest
from engines.codec_lm.decode_state import Sampling
from engines.codec_lm.plan import CodecLmPlan, Group
from engines.codec_lm.runtime import Runtime
from engines.errors import BadAudio, BadText
from engines.registry import Spec
from engines.types import Audio, Request

LONGEST_PERFORMANCE_S = 60.0
SHORTEST_PERFORMANCE_S = 0.2


def make_plan(runtime: Runtime, spec: Spec, request: Request) -> CodecLmPlan:
    """Read a request's text and transcript. Any thread may call this. Raises EngineError."""
    model, length = runtime.model, runtime.decoder.state.length
    settings = spec.chosen(request.settings, model.defaults.settings)
    prompt = model.prompt.chosen(settings)
    reference, sampling = runtime.references.read(request.reference, prompt), Sampling.of(request.seed, settings)
    if request.performance is not None:
        _check_performance(request.performance)
        return CodecLmPlan(reference, prompt, [Group(text="")], sampling)
    room_s = (length - reference.positions) / model.frames.step_rate
    script = writing.parse(request.text, markers=model.defaults.directions)
    groups = planning.groups(script, model.defaults, room_s)
    if not groups:
        raise BadText("this text has no words; type at least one")
    return CodecLmPlan(reference, prompt, groups, sampling)


def activate(runtime: Runtime, spec: Spec, job: EngineJob) -> ActiveRequest:
    """Build the active request of a job, whose plan may be made already. Raises EngineError."""
    request = job.request
    plan = job.prepared if isinstance(job.prepared, CodecLmPlan) else make_plan(runtime, spec, request)
    reference = runtime.references.prepare(request.reference, plan.reference)
    performance = runtime.references.encode(request.performance) if request.performance is not None else None
    return ActiveRequest(job, reference, plan.prompt, plan.groups, plan.sampling, performance)


def _check_performance(performance: Audio) -> None:
    """Raise BadAudio for a recording that is too short, too long or silent."""
    seconds = performance.duration_s
    if not SHORTEST_PERFORMANCE_S <= seconds <= LONGEST_PERFORMANCE_S:
        raise BadAudio(
            f"the recording lasts {seconds:.1f} s; use {SHORTEST_PERFORMANCE_S:g} to {LONGEST_PERFORMANCE_S:.0f} s"
        )
    if not performance.samples.any():
        raise BadAudio("the recording is silent; record it again")
