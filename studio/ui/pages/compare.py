"""The Compare page for blind tests, drawn by assets/ui/js/compare, and the endpoints `/compare` and `/vote`."""

from collections.abc import Callable
from typing import Any

import gradio as gr
from gradio.events import api
from pydantic import TypeAdapter, ValidationError

from engines.errors import EngineError
from studio.listening import Ballot
from studio.listening.serializers import trial_json
from studio.studio import Studio
from studio.ui.components.island import island
from studio.web.session import SESSION_HEADER

BALLOT = TypeAdapter(Ballot)
TrialJson = dict[str, Any]


def compare_page(studio: Studio) -> None:
    with gr.Column(elem_id="page-compare", elem_classes="page"):
        island("listening")
    api(comparer(studio), api_name="compare", concurrency_limit=None)
    api(voter(studio), api_name="vote", concurrency_limit=None)


def comparer(studio: Studio) -> Callable[..., TrialJson]:
    """Return the listener of `/compare`."""

    def compare(request: gr.Request, take_a: str, take_b: str) -> TrialJson:
        """Begin a blind trial of two takes. The addresses of the two sounds do not reveal the takes."""
        try:
            return trial_json(studio.listening.open(request.headers[SESSION_HEADER], str(take_a), str(take_b)))
        except EngineError as error:
            raise gr.Error(str(error), print_exception=False) from error

    return compare


def voter(studio: Studio) -> Callable[..., TrialJson]:
    """Return the listener of `/vote`."""

    def vote(request: gr.Request, trial: str, choice: str, heard_a_s: float, heard_b_s: float) -> TrialJson:
        """Vote "a", "b" or "tie", with the seconds for which each side was heard. Returns the names of the sides."""
        session_id, listening = request.headers[SESSION_HEADER], studio.listening
        try:
            ballot = BALLOT.validate_python({"choice": choice, "heard_a_s": heard_a_s, "heard_b_s": heard_b_s})
            listening.vote(session_id, str(trial), ballot)
            return trial_json(listening.reveal(session_id, str(trial)))
        except ValidationError as error:
            sentence = (
                'choice must be "a", "b" or "tie", and the two listening times must be numbers of seconds; '
                "correct the values and vote again"
            )
            raise gr.Error(sentence, print_exception=False) from error
        except EngineError as error:
            raise gr.Error(str(error), print_exception=False) from error

    return vote
