"""A part of the page that one of the studio's scripts draws."""

import gradio as gr

from studio.ui.assets import ROOT


def island(name: str) -> gr.HTML:
    """Return an empty element. Its content is drawn by the module that assets/ui/js/islands.js lists under this name."""
    module = f"new URL('.{ROOT}/js/islands.js', document.baseURI)"  # a proxy may serve the page under a prefix
    return gr.HTML(
        html_template="",
        js_on_load=f"import({module}).then((islands) => islands.mount('{name}', element));",
        apply_default_css=False,
        elem_id=f"island-{name}",
        elem_classes="island",
    )
