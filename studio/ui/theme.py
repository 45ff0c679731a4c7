"""The theme of Gradio's components. Colours are variables of assets/ui/css/tokens.css."""

import gradio as gr

# Literals equal to --ground and --ink in tokens.css. Gradio applies them by the system's theme before the studio's styles
# load.
GROUND_LIGHT, INK_LIGHT = "#f2f5f4", "#131918"
GROUND_DARK, INK_DARK = "#0f1213", "#e8ecea"
FONTS = ("Inter", "system-ui", "-apple-system", "Segoe UI", "Roboto", "sans-serif")
MONOSPACE = ("ui-monospace", "SF Mono", "Cascadia Mono", "Menlo", "monospace")


def theme() -> gr.themes.Base:
    """Return Gradio's plainest theme with bundled or system fonts and the studio's colours. Nothing is fetched."""
    base = gr.themes.Base(
        font=[gr.themes.Font(name) for name in FONTS],
        font_mono=[gr.themes.Font(name) for name in MONOSPACE],
        radius_size=gr.themes.sizes.radius_md,
    )
    return base.set(
        body_background_fill=GROUND_LIGHT,
        body_background_fill_dark=GROUND_DARK,
        body_text_color=INK_LIGHT,
        body_text_color_dark=INK_DARK,
    )
