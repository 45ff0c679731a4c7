"""The studio's HTTP API: thin routes over its use cases."""

from studio.api.routes import router

__all__ = ["router"]
