"""The services of scripts. Routes, the page and the command line use only these."""

from dataclasses import dataclass

from studio.script.deliveries import Deliveries
from studio.script.lexicons import Lexicons
from studio.script.namesakes import Namesakes
from studio.script.project_changes import ProjectChanges
from studio.script.renderer import Renderer
from studio.script.sheet_changes import SheetChanges
from studio.script.sheet_files import SheetFiles
from studio.script.sheet_updates import SheetUpdates
from studio.script.views import ScriptViews


@dataclass(frozen=True, slots=True, kw_only=True)
class Scripts:
    """All services of scripts. Each is thread-safe."""

    views: ScriptViews  # the present state of projects, sheets and renders
    projects: ProjectChanges
    lexicons: Lexicons
    namesakes: Namesakes  # voices with the names of characters
    sheets: SheetChanges
    files: SheetFiles
    updates: SheetUpdates  # comparisons of sheets with their changed files
    renderer: Renderer
    deliveries: Deliveries
