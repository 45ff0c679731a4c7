"""What Gradio's own parts stand on. Colours are variables of assets/ui/css/tokens.css: one switch changes all."""

import gradio as gr

# Literal, because Gradio paints them before any of our style is there, after the system's theme; the same as --ground and
# --ink in tokens.css.
GROUND_LIGHT, INK_LIGHT = "#f2f5f4", "#131918"
GROUND_DARK, INK_DARK = "#0f1213", "#e8ecea"
FONTS = ("Inter", "system-ui", "-apple-system", "Segoe UI", "Roboto", "sans-serif")
MONOSPACE = ("ui-monospace", "SF Mono", "Cascadia Mono", "Menlo", "monospace")


def theme() -> gr.themes.Base:
    """Gradio's plainest theme with bundled or system fonts, our ground and ink; nothing is fetched."""
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
