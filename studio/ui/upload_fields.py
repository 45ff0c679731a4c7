"""The forms of Gradio's uploads: what is no file in them has to be short, since Gradio keeps it in memory."""

from gradio import route_utils
from starlette.formparsers import MultiPartException

FIELD_BYTES = 4_096


class ShortFields(route_utils.GradioMultiPartParser):
    """Gradio's parser, which has no limit of its own for fields."""

    def on_part_data(self, data: bytes, start: int, end: int) -> None:
        if self._current_part.file is None and len(self._current_part.data) + end - start > FIELD_BYTES:
            raise MultiPartException("a field of this form is too long; send files as `files`, each with a filename")
        super().on_part_data(data, start, end)


def limit_fields() -> None:
    """Have Gradio read forms by this parser; its upload route takes no other by any setting."""
    route_utils.GradioMultiPartParser = ShortFields  # type: ignore[misc]
