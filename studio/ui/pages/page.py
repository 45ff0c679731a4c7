"""Build the studio's Gradio application and mount it."""

import gradio as gr
from fastapi import FastAPI
from starlette.middleware import Middleware

from studio.api.programs import Programs
from studio.studio import Studio
from studio.ui.admission import EndpointRules, GuardedBlocks, Rule, open_to_all
from studio.ui.assets import head, mount_assets
from studio.ui.components.island import island
from studio.ui.gradio_queue import GradioQueue
from studio.ui.mcp_tools import guard_tools, mcp_tools
from studio.ui.pages.champions import champions_page
from studio.ui.pages.compare import compare_page
from studio.ui.pages.monitor import monitor_page
from studio.ui.pages.script import script_page
from studio.ui.pages.speak import speak_page
from studio.ui.refusals import PageRefusals
from studio.ui.relative_links import RelativeLinks
from studio.ui.theme import theme
from studio.ui.upload_fields import limit_fields
from studio.web.ownership import Ownership

__all__ = ["build", "mount_assets", "mount_page"]

TITLE = "Champion Voice Studio"
THREADS = 40  # Gradio's threads for other work; each running request needs an additional thread
ROWS_USUAL = 32  # default number of requests that run together on a GPU
# Gradio keeps a copy of all fields for each session. The studio does not use these copies. Each take on the page is a new
# session of at least 0.15 MB. With Gradio's limit of 10,000 sessions, the process would grow by more than 1.5 GB.
SESSIONS_KEPT = 16


def build(studio: Studio, programs: Programs) -> GuardedBlocks:
    """Build all pages and endpoints of a studio."""
    with GuardedBlocks(title=TITLE, analytics_enabled=False, fill_width=True) as page:
        island("header")
        speak_page(studio)
        script_page(studio)
        compare_page(studio)
        champions_page(studio)
        monitor_page()
        island("compare")
        island("strip")
        mcp_tools(page, studio, programs)
    page.max_threads = THREADS + max(ROWS_USUAL, studio.settings.gpu_concurrency, studio.settings.max_batch)
    page.state_session_capacity = SESSIONS_KEPT
    page.api_open = False  # without this, clients could bypass the queue
    page.has_launched = True  # without this, Gradio would accept any file of this machine, not only uploads
    page.rules = EndpointRules(rules(studio, programs))
    page._queue = queue = GradioQueue(page, studio)
    studio.telemetry.watch(queue.waiting)
    return page


def rules(studio: Studio, programs: Programs) -> dict[str, Rule]:
    """Return the rule of each named endpoint: every visitor, programs with a key, or the owner may call it."""
    keyed, owned = programs.callers.caller, Ownership(studio.settings).require
    owners = dict.fromkeys(("package", "import", "render", "package_champion"), owned)
    everybody = dict.fromkeys(("speak", "compare", "vote"), open_to_all)
    return {**everybody, "list_voices": keyed, "speak_line": keyed, **owners}


def mount_page(application: FastAPI, page: GuardedBlocks) -> FastAPI:
    """Serve the page at the root, with the studio's style and without Gradio's footer, fonts and run history."""
    mounted: FastAPI = gr.mount_gradio_app(
        application,
        page,
        path="",
        theme=theme(),
        head=head(),
        footer_links=[],
        run_history=False,
        show_error=True,
        mcp_server=True,
        app_kwargs={"middleware": [Middleware(PageRefusals), Middleware(RelativeLinks)]},
    )
    guard_tools(page)
    limit_fields()
    return mounted
