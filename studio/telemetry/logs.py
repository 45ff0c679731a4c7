"""Write log lines with the id of their request, as text or as JSON."""

import json
import logging
from datetime import UTC, datetime
from typing import Literal

from studio.telemetry.origin import current

LogFormat = Literal["text", "json"]
TEXT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class RequestIdFilter(logging.Filter):
    """Adds `request_id` to each record of a handler."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = current().request_id
        return True


class TextLines(logging.Formatter):
    """Writes the id of the request in square brackets at the end of the first line."""

    def __init__(self) -> None:
        super().__init__(TEXT)

    def formatMessage(self, record: logging.LogRecord) -> str:
        first, newline, rest = super().formatMessage(record).partition("\n")
        id = getattr(record, "request_id", "")
        return f"{first} [{id}]{newline}{rest}" if id else first + newline + rest


class JsonLines(logging.Formatter):
    """Writes one JSON object per line; a traceback is a member of the object."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if id := getattr(record, "request_id", ""):
            line["request_id"] = id
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line)


def configure_logs(format: LogFormat = "text") -> None:
    """Write the log of the whole process to standard error."""
    handler = logging.StreamHandler()
    handler.addFilter(RequestIdFilter())
    handler.setFormatter(JsonLines() if format == "json" else TextLines())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
