"""The page: Gradio for layout, fields, queue and named endpoints; assets/ui for everything heard and drawn."""

from studio.ui.page import build, mount_assets, mount_page

__all__ = ["build", "mount_assets", "mount_page"]
