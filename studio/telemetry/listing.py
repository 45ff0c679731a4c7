"""List requests for the Monitor page. Only the session of a request sees its id."""

from engines.scheduling.manager import QueueEntry
from studio.telemetry.snapshot import ListedRequest, Queued


def listed(entry: QueueEntry, session_id: str) -> ListedRequest:
    """Return a request in the scheduler as a session sees it."""
    mine = entry.session_id == session_id
    return ListedRequest(
        ticket_id=entry.ticket_id if mine else "",
        mine=mine,
        engine=entry.engine,
        state=entry.status.state,
        rank=entry.status.rank,
        progress=entry.status.progress,
        eta_s=entry.status.eta_s,
    )


def listed_before_scheduler(one: Queued, rank: int, session_id: str) -> ListedRequest:
    """Return a request in the page's queue as a session sees it."""
    return ListedRequest(
        ticket_id="",
        mine=one.session_id == session_id,
        engine=one.engine,
        state="queued",
        rank=rank,
        progress=0.0,
        eta_s=one.eta_s,
    )
