"""Wire the services of scripts."""

from collections.abc import Generator
from datetime import UTC, datetime

from engines.scheduling.manager import Manager
from engines.types import Take
from studio.history import History
from studio.named_voices import NamedVoices
from studio.order import Order
from studio.script.deliveries import FOLDER, TRANSFERS, Deliveries
from studio.script.format.script import Project
from studio.script.lexicons import Lexicons
from studio.script.line_takes import CheckTake
from studio.script.namesakes import Namesakes
from studio.script.planning import Readings
from studio.script.project_changes import ProjectChanges
from studio.script.projects import Projects
from studio.script.render_queue import RenderQueue
from studio.script.renderer import Renderer
from studio.script.rendering import PlannedTake
from studio.script.reselecting import Reselector
from studio.script.scripts import Scripts
from studio.script.sheet_changes import SheetChanges
from studio.script.sheet_files import SheetFiles
from studio.script.sheet_updates import SheetUpdates
from studio.script.timing import fitted
from studio.script.views import ScriptViews
from studio.script.word_alignment import WordAlignment
from studio.settings import Settings
from studio.speaking import SpeechService
from studio.stores.factory import open_delivery_stores


def open_scripts(
    settings: Settings,
    manager: Manager,
    speaking: SpeechService,
    history: History,
    voices: NamedVoices,
    check_take: CheckTake,
    alignment: WordAlignment,
) -> Scripts:
    """Create the services of scripts for a data folder. Rendering begins when the renderer is started."""
    projects = Projects(settings.data_dir)

    def readings(project: Project) -> Readings:
        return Readings(project, voices, directions=settings.stage_directions)

    def make(piece: PlannedTake) -> Generator[Order, Take, Take]:
        reading = piece.reading
        known = manager.status(reading.order.engine).settings.values()
        return fitted(reading.order, reading.limit, known, reading.edges_s)

    renderer = Renderer(RenderQueue(projects, readings), projects, history, speaking, manager, make, check_take)
    deliveries = Deliveries(
        projects,
        history,
        settings.data_dir / FOLDER,
        open_delivery_stores(settings.stores, settings.data_dir / FOLDER / TRANSFERS),
        alignment=alignment,
        readings=readings,
        reselect=Reselector(projects, renderer, readings),
    )
    views = ScriptViews(projects, renderer, readings)
    changes = ProjectChanges(projects, views, history, voices)
    lexicons = Lexicons(projects, views, voices)
    return _services(projects, views, changes, lexicons, Namesakes(projects, voices), renderer, deliveries)


def _services(
    projects: Projects,
    views: ScriptViews,
    changes: ProjectChanges,
    lexicons: Lexicons,
    namesakes: Namesakes,
    renderer: Renderer,
    deliveries: Deliveries,
) -> Scripts:
    updates = SheetUpdates(projects, _now)
    return Scripts(
        views=views,
        projects=changes,
        lexicons=lexicons,
        namesakes=namesakes,
        sheets=SheetChanges(projects, views, _now),
        files=SheetFiles(projects, views, updates, namesakes),
        updates=updates,
        renderer=renderer,
        deliveries=deliveries,
    )


def _now() -> datetime:
    return datetime.now(UTC)
