"""The studio's HTTP API: thin routes over its use cases."""

from studio.api.routes import add_routes

__all__ = ["add_routes"]
