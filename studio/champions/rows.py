"""Tables of champions in SQLite: the current version of each champion, and the members of every version."""

from sqlmodel import Field, SQLModel


class ChampionRow(SQLModel, table=True):
    """The current version of a champion.

    Exclusive transactions change `version`, so only one of two simultaneous saves succeeds.
    """

    __tablename__ = "champion"

    id: str = Field(primary_key=True)
    version: str
    deleted_at: float | None = None  # seconds since 1970, UTC


class VersionRow(SQLModel, table=True):
    """An immutable version. Saving equal content again gives the same version."""

    __tablename__ = "champion_version"

    champion_id: str = Field(primary_key=True)
    version: str = Field(primary_key=True)
    manifest: str  # JSON of its members
    saved_at: float


class WeightsRow(SQLModel, table=True):
    """Fine-tuned weights that were checked, and the safetensors made from them."""

    __tablename__ = "champion_weights"

    original: str = Field(primary_key=True)  # SHA-256 of model.pt
    verified: str  # SHA-256 of the safetensors made from model.pt
