"""The Monitor page: device, cost of takes, and waiting requests. It is drawn by assets/ui/js/monitor."""

import gradio as gr

from studio.ui.components.island import island


def monitor_page() -> None:
    with gr.Column(elem_id="page-monitor", elem_classes="page"):
        island("monitor")
