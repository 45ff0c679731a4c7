"""The table of trials in SQLite: one row for each trial; of simultaneous votes only the first is stored."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from pydantic import TypeAdapter
from sqlmodel import Field, Session, SQLModel, col, select

from studio.disk.database import SESSION_COLUMN, open_database, transaction
from studio.disk.descriptions import Descriptions
from studio.listening.trial import Choice, Contender, Side, Trial, UnknownTrial

# The adapter drops unknown keys and fills in defaults, so rows of older and newer versions stay readable.
CONTENDER = TypeAdapter(Contender)
CHOICE: TypeAdapter[Choice | None] = TypeAdapter(Choice | None)


class TrialRow(SQLModel, table=True):
    """A trial. Times are seconds since 1970, UTC."""

    __tablename__ = "trial"

    id: str = Field(primary_key=True)
    session_id: str = Field(index=True, sa_column_kwargs=SESSION_COLUMN)
    opened_at: float
    a: str
    b: str
    a_token: str = Field(unique=True)
    b_token: str = Field(unique=True)
    a_fetched_at: float | None = None
    b_fetched_at: float | None = None
    a_heard_s: float = 0.0
    b_heard_s: float = 0.0
    choice: str | None = None
    voted_at: float | None = None
    sealed_at: float | None = None

    @classmethod
    def of(cls, trial: Trial) -> "TrialRow":
        return cls(
            id=trial.id,
            session_id=trial.session_id,
            opened_at=trial.opened_at,
            a=CONTENDER.dump_json(trial.a.contender).decode(),
            b=CONTENDER.dump_json(trial.b.contender).decode(),
            a_token=trial.a.token,
            b_token=trial.b.token,
        )

    def trial(self) -> Trial:
        return Trial(
            id=self.id,
            session_id=self.session_id,
            a=_side(self.a, self.a_token, self.a_fetched_at, self.a_heard_s),
            b=_side(self.b, self.b_token, self.b_fetched_at, self.b_heard_s),
            opened_at=self.opened_at,
            choice=CHOICE.validate_python(self.choice),
            voted_at=self.voted_at,
            sealed_at=self.sealed_at,
        )


def _side(contender: str, token: str, fetched_at: float | None, heard_s: float) -> Side:
    return Side(contender=CONTENDER.validate_json(contender), token=token, fetched_at=fetched_at, heard_s=heard_s)


class Trials:
    """The trials of each session; trials of other sessions are unknown."""

    def __init__(self, data_dir: Path) -> None:
        self._described = Descriptions(data_dir / "trials", TrialRow)
        self._database = open_database(data_dir, TrialRow)
        self._adopt()

    def begin(self, trial: Trial, now: float) -> None:
        """Add a trial, and end the session's other trials: those with a vote are sealed, the others are removed."""
        others = select(TrialRow).where(TrialRow.session_id == trial.session_id, col(TrialRow.sealed_at).is_(None))
        with transaction(self._database) as session:
            for other in session.exec(others):
                if other.choice is None:
                    self._forget(session, other)
                else:
                    other.sealed_at = now
                    self._described.write(other.id, other)
            session.add(row := TrialRow.of(trial))
            self._described.write(row.id, row)

    def get(self, session_id: str, id: str) -> Trial:
        """Return a trial. Raises UnknownTrial."""
        return self._one(session_id, lambda trial: trial.id == id)

    def of_token(self, session_id: str, token: str) -> Trial:
        """Return the trial that has this token on one of its sides. Raises UnknownTrial."""
        return self._one(session_id, lambda trial: token in (trial.a.token, trial.b.token))

    def all(self, session_id: str) -> Sequence[Trial]:
        """Return a session's trials, oldest first."""
        chosen = select(TrialRow).where(TrialRow.session_id == session_id).order_by(col(TrialRow.opened_at))
        with Session(self._database) as session:
            trials = [row.trial() for row in session.exec(chosen).all()]
        # Of several votes on a pair, the first remains.
        voted = {trial.pair: trial for trial in reversed(trials) if trial.sealed_at}
        return [replace(trial, repeats=voted.get(trial.pair, trial) is not trial) for trial in trials]

    def change(self, trial: Trial, **values: object) -> bool:
        """Write values into an unsealed trial. Return False if the trial has changed since the caller read it."""
        with transaction(self._database) as session:
            row = session.get(TrialRow, trial.id)
            if row is None or row.choice != trial.choice or row.sealed_at is not None:
                return False
            row.sqlmodel_update(values)
            self._described.write(row.id, row)
            return True

    def forget(self, trial: Trial) -> None:
        """Remove a trial that has no vote."""
        with transaction(self._database) as session:
            row = session.get(TrialRow, trial.id)
            if row is not None and row.choice is None:
                self._forget(session, row)

    def _forget(self, session: Session, row: TrialRow) -> None:
        session.delete(row)
        self._described.remove(row.id)

    def _adopt(self) -> None:
        """Add rows for trials that the database lacks, and write missing descriptions of trials from older studios."""
        with transaction(self._database) as session:
            rows = session.exec(select(TrialRow)).all()
            described = self._described.names()
            for row in rows:
                if row.id not in described:
                    self._described.write(row.id, row)
            for lost, _ in self._described.unknown({row.id for row in rows}):
                session.add(TrialRow(**lost.model_dump()))

    def _one(self, session_id: str, fits: Callable[[Trial], bool]) -> Trial:
        found = next(filter(fits, self.all(session_id)), None)
        if found is None:
            raise UnknownTrial("this pair is over; press Next pair")
        return found
