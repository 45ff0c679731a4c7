"""A place on the page that one of our own modules fills and keeps alive."""

import gradio as gr

from studio.ui.assets import ROOT


def island(name: str) -> gr.HTML:
    """An empty element, drawn by the module that assets/ui/js/islands.js names as soon as it is on the page."""
    module = f"new URL('.{ROOT}/js/islands.js', document.baseURI)"  # a proxy may serve the page under a prefix
    return gr.HTML(
        html_template="",
        js_on_load=f"import({module}).then((islands) => islands.mount('{name}', element));",
        apply_default_css=False,
        elem_id=f"island-{name}",
        elem_classes="island",
    )
