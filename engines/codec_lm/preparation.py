"""Prepare a request: read its text and its reference without a device, then build the active request."""

from engines import text as writing
from engines.base import EngineJob
from engines.codec_lm import plan as planning
from engines.codec_lm.active_request import ActiveRequest
from engines.codec_lm.decode_state import Sampling
from engines.codec_lm.plan import CodecLmPlan
from engines.codec_lm.runtime import Runtime
from engines.errors import BadText
from engines.registry import Spec
from engines.types import Request


def make_plan(runtime: Runtime, spec: Spec, request: Request) -> CodecLmPlan:
    """Read a request's text and transcript. Any thread may call this. Raises EngineError."""
    model, length = runtime.model, runtime.decoder.state.length
    settings = spec.chosen(request.settings, model.defaults.settings)
    prompt = model.prompt.chosen(settings)
    reference = runtime.references.read(request.reference, prompt)
    room_s = (length - reference.positions) / model.frames.step_rate
    script = writing.parse(request.text, markers=model.defaults.directions)
    groups = planning.groups(script, model.defaults, room_s)
    if not groups:
        raise BadText("this text has no words; type at least one")
    return CodecLmPlan(reference, prompt, groups, Sampling.of(request.seed, settings))


def activate(runtime: Runtime, spec: Spec, job: EngineJob) -> ActiveRequest:
    """Build the active request of a job, whose plan may be made already. Raises EngineError."""
    request = job.request
    plan = job.prepared if isinstance(job.prepared, CodecLmPlan) else make_plan(runtime, spec, request)
    reference = runtime.references.prepare(request.reference, plan.reference)
    return ActiveRequest(job, reference, plan.prompt, plan.groups, plan.sampling)
