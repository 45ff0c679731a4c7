"""Prepare a request: read its text and its reference without a device, then build the active request."""

from dataclasses import replace

from engines import text as writing
from engines.base import EngineJob
from engines.codec_lm import plan as planning
from engines.codec_lm.active_request import ActiveRequest
from engines.codec_lm.decode_state import Sampling
from engines.codec_lm.parts import CodecLm
from engines.codec_lm.plan import CodecLmPlan, Group
from engines.codec_lm.references import LEVEL_RMS, EncodedReference
from engines.codec_lm.runtime import Runtime
from engines.errors import BadSetting, BadText
from engines.references import check_performance
from engines.registry import Spec
from engines.types import NO_REFERENCE, Request

VOICE_POSITIONS = 80  # upper bound of the prompt positions of a designed voice and its description
DESIGNED = "designed"  # in place of the digest of a reference: all designed voices have the same prefix


def make_plan(runtime: Runtime, spec: Spec, request: Request) -> CodecLmPlan:
    """Read a request's text and transcript. Any thread may call this. Raises EngineError."""
    model, length = runtime.model, runtime.decoder.state.length
    settings = spec.chosen(request.settings, model.defaults.settings)
    prompt, sampling = model.prompt.with_settings(settings), Sampling.of(request.seed, settings)
    reference = None if request.design is not None else runtime.references.read(request.reference, prompt)
    if request.performance is not None:
        check_performance(request.performance)
        return CodecLmPlan(reference, prompt, [Group(text="")], sampling)
    room_s = (length - (VOICE_POSITIONS if reference is None else reference.positions)) / model.frames.step_rate
    script = writing.parse(request.text, markers=model.defaults.directions, language=request.language)
    groups = planning.groups(script, model.defaults, room_s)
    if not groups:
        raise BadText("this text has no words; type at least one")
    return CodecLmPlan(reference, prompt, groups, sampling)


def activate(runtime: Runtime, spec: Spec, job: EngineJob) -> ActiveRequest:
    """Build the active request of a job, whose plan may be made already. Raises EngineError."""
    request = job.request
    plan = job.prepared if isinstance(job.prepared, CodecLmPlan) else make_plan(runtime, spec, request)
    if request.design is not None or plan.reference is None:
        return _designed(runtime.model, job, plan)
    reference = runtime.references.prepare(request.reference, plan.reference)
    if not plan.prompt.reads_reference:  # the checkpoint speaks with its own voice, at its own level
        reference = replace(reference, gain=1.0)
    performance = runtime.references.encode(request.performance) if request.performance is not None else None
    return ActiveRequest(job, reference, plan.prompt, plan.groups, plan.sampling, performance=performance)


def _designed(model: CodecLm, job: EngineJob, plan: CodecLmPlan) -> ActiveRequest:
    """Build the active request of a voice that is generated first. Raises BadSetting."""
    if model.designer is None or (design := job.request.design) is None:
        raise BadSetting(f"{model.name} cannot design a voice; choose another checkpoint")
    first = next(group.text for group in plan.groups if group.text)
    voice = model.designer.start(design, first, plan.sampling)
    reference = EncodedReference("", voice.codes, VOICE_POSITIONS, DESIGNED, NO_REFERENCE.audio, LEVEL_RMS, 1.0)
    return ActiveRequest(job, reference, plan.prompt, plan.groups, plan.sampling, voice=voice)
