"""The tables of listening sessions. A JSON file for each row restores a lost database."""

from collections.abc import Sequence
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import TypeAdapter
from sqlalchemy import Engine
from sqlmodel import Field, Session, SQLModel, col, select

from studio.disk.database import open_database, transaction
from studio.disk.descriptions import Descriptions
from studio.listening.sessions.session import ListeningSession, SessionPlan

PLAN = TypeAdapter(SessionPlan)
FOLDER = "listening"  # in the data folder


class SessionRow(SQLModel, table=True):
    """A listening session. Times are seconds since 1970, UTC."""

    __tablename__ = "listening_session"

    id: str = Field(primary_key=True)
    created_at: float
    plan: str  # JSON
    rendering: bool = False
    closed: bool = False
    deleted: bool = False
    failure: str = ""

    def session(self) -> ListeningSession:
        return ListeningSession(
            id=self.id,
            plan=PLAN.validate_json(self.plan),
            created_at=self.created_at,
            rendering=self.rendering,
            closed=self.closed,
            deleted=self.deleted,
            failure=self.failure,
        )


class InvitationRow(SQLModel, table=True):
    """A link with which people take part. Only the digest of its secret is stored."""

    __tablename__ = "listening_invitation"

    id: str = Field(primary_key=True)  # digest of the secret
    listening_id: str = Field(index=True)
    note: str  # for the owner
    created_at: float
    expires_at: float | None = None
    revoked_at: float | None = None


class ListenerRow(SQLModel, table=True):
    """A person who takes part, with the answers to the questions. Only the digest of the secret is stored."""

    __tablename__ = "listening_listener"

    id: str = Field(primary_key=True)  # digest of the secret
    listening_id: str = Field(index=True)
    invitation_id: str
    seed: int  # of the trials
    weights: str = "[]"  # JSON: how often each pair of arms is drawn, in an arena; empty = equally often
    joined_at: float
    completed_at: float | None = None
    completion_code: str = ""
    answers: str = "{}"  # JSON: answers by index of the question


class VoteRow(SQLModel, table=True):
    """A listener's vote on a trial."""

    __tablename__ = "listening_vote"

    id: str = Field(primary_key=True)  # {listener}-{stage}-{number}, so that a trial has at most one vote
    listening_id: str = Field(index=True)
    listener_id: str = Field(index=True)
    stage: str  # "headphones" or "trials"
    number: int  # of the trial within the stage, from 0
    trial: str  # JSON of the trial; its arms are indices
    choice: str | None = None
    scores: str = "{}"  # JSON: scores by index of the side
    took_s: float
    voted_at: float


Row = TypeVar("Row", SessionRow, InvitationRow, ListenerRow, VoteRow)
TABLES = (SessionRow, InvitationRow, ListenerRow, VoteRow)


class SessionTable(Generic[Row]):
    """The rows of one table, each with its JSON file. Thread-safe."""

    def __init__(self, database: Engine, kind: type[Row], data_dir: Path) -> None:
        self._database = database
        self._kind: type[Row] = kind
        name = str(kind.__tablename__).removeprefix("listening_")
        self._described: Descriptions[Row] = Descriptions(data_dir / FOLDER / name, kind)
        self._adopt()

    def add(self, row: Row) -> bool:
        """Store a new row. Return False if a row with its id exists. Raises NotSaved."""
        with transaction(self._database) as session:
            if session.get(self._kind, row.id) is not None:
                return False
            session.add(self._kind(**row.model_dump()))  # a copy, because the row expires
            self._described.write(row.id, row)
        return True

    def change(self, id: str, **values: object) -> bool:
        """Change a row. Return False if the row does not exist. Raises NotSaved."""
        with transaction(self._database) as session:
            row = session.get(self._kind, id)
            if row is None:
                return False
            row.sqlmodel_update(values)
            self._described.write(id, row)
        return True

    def remove(self, id: str) -> bool:
        """Remove a row permanently. Return False if the row does not exist. Raises NotSaved."""
        with transaction(self._database) as session:
            row = session.get(self._kind, id)
            if row is None:
                return False
            session.delete(row)
            self._described.remove(id)
        return True

    def get(self, id: str) -> Row | None:
        with Session(self._database, expire_on_commit=False) as session:
            return session.get(self._kind, id)

    def where(self, **values: object) -> Sequence[Row]:
        """Return the rows with these values of columns."""
        chosen = select(self._kind)
        for name, value in values.items():
            chosen = chosen.where(col(getattr(self._kind, name)) == value)
        with Session(self._database, expire_on_commit=False) as session:
            return session.exec(chosen).all()

    def _adopt(self) -> None:
        """Add rows for files that the database lacks, and write the missing files of rows."""
        with transaction(self._database) as session:
            rows = session.exec(select(self._kind)).all()
            described = self._described.names()
            for row in rows:
                if row.id not in described:
                    self._described.write(row.id, row)
            for lost, _ in self._described.unknown({row.id for row in rows}):
                session.add(self._kind(**lost.model_dump()))


class SessionTables:
    """All tables of listening sessions."""

    def __init__(self, data_dir: Path) -> None:
        database = open_database(data_dir, *TABLES)
        self.sessions = SessionTable(database, SessionRow, data_dir)
        self.invitations = SessionTable(database, InvitationRow, data_dir)
        self.listeners = SessionTable(database, ListenerRow, data_dir)
        self.votes = SessionTable(database, VoteRow, data_dir)
