"""The Monitor page: device, cost of takes, waiting requests. Drawn by assets/ui/js/monitor."""

import gradio as gr

from studio.ui.components.island import island


def monitor_page() -> None:
    with gr.Column(elem_id="page-monitor", elem_classes="page"):
        island("monitor")
