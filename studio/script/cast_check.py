"""Check that the voices of a cast can speak, and share the clips of the cast with the project."""

from engines.errors import BadInput
from studio.named_voices import NamedVoices
from studio.script.format.script import Cast, CastClip, Project
from studio.script.planning import casting_order

CASTINGS_MAX = 16  # maximum number of voices for a character in one emotion


def check_cast(cast: Cast, voices: NamedVoices, project: Project, session_id: str) -> None:
    """Check every casting. `session_id` is the session whose clips the cast may use. Raises EngineError."""
    for by_emotion in cast.values():
        for castings in by_emotion.values():
            if len(castings) > CASTINGS_MAX or len({each.voice for each in castings}) < len(castings):
                raise BadInput(f"choose at most {CASTINGS_MAX} different voices for one character")
            for casting in castings:
                casting_order(voices, casting)
                if casting.clip is not None:
                    _share(casting.clip, voices, project, session_id)


def _share(clip: CastClip, voices: NamedVoices, project: Project, session_id: str) -> None:
    """Share a clip of the cast with the project's session, in which renders and checks run. Raises BadInput, UnknownClip."""
    if not clip.transcript.strip():
        raise BadInput("a clip needs its transcript; type what is said in the clip")
    known = project.session_id if voices.has_clip(clip.clip_id, project.session_id) else session_id
    voices.share_clip(clip.clip_id, known, (project.session_id, ""))
