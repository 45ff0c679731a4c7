"""Wire the scripts of a data folder."""

from collections.abc import Generator

from engines.scheduling.manager import Manager
from engines.types import Take
from studio.history import History
from studio.named_voices import NamedVoices
from studio.order import Order
from studio.script.deliveries import FOLDER, TRANSFERS, Align, Deliveries
from studio.script.line_takes import Judge
from studio.script.planning import Readings
from studio.script.projects import Projects
from studio.script.render_queue import RenderQueue
from studio.script.renderer import Renderer
from studio.script.rendering import PlannedTake
from studio.script.reselecting import Reselector
from studio.script.script import Project
from studio.script.scripts import Scripts
from studio.script.timing import fitted
from studio.settings import Settings
from studio.speaking import SpeechService
from studio.stores import open_delivery_stores


def open_scripts(
    settings: Settings,
    manager: Manager,
    speaking: SpeechService,
    history: History,
    voices: NamedVoices,
    judge: Judge,
    align: Align,
) -> Scripts:
    """Create the scripts. Rendering begins when their renderer is started."""
    projects = Projects(settings.data_dir)
    queue = RenderQueue(projects, voices, directions=settings.stage_directions)

    def make(piece: PlannedTake) -> Generator[Order, Take, Take]:
        reading = piece.reading
        settings = manager.status(reading.order.engine).settings.values()
        return fitted(reading.order, reading.limit, settings, reading.edges_s)

    stores = open_delivery_stores(settings.stores, settings.data_dir / FOLDER / TRANSFERS)
    renderer = Renderer(queue, projects, history, speaking, manager, make, judge)

    def readings(project: Project) -> Readings:
        return Readings(project, voices, directions=settings.stage_directions)

    deliveries = Deliveries(
        projects,
        history,
        settings.data_dir / FOLDER,
        stores,
        align=align,
        readings=readings,
        reselect=Reselector(projects, renderer, readings),
    )
    return Scripts(projects, renderer, deliveries, history, voices, directions=settings.stage_directions)
