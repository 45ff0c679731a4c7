"""Limit the text fields in forms of Gradio's uploads, because Gradio keeps these fields in memory."""

from gradio import route_utils
from starlette.formparsers import MultiPartException

FIELD_BYTES = 4_096


class ShortFields(route_utils.GradioMultiPartParser):
    """Gradio's parser with a limit for text fields."""

    def on_part_data(self, data: bytes, start: int, end: int) -> None:
        if self._current_part.file is None and len(self._current_part.data) + end - start > FIELD_BYTES:
            raise MultiPartException("a field of this form is too long; send files as `files`, each with a filename")
        super().on_part_data(data, start, end)


def limit_fields() -> None:
    """Replace Gradio's parser of forms by ShortFields, because the upload route has no setting for its parser."""
    route_utils.GradioMultiPartParser = ShortFields  # type: ignore[misc]
