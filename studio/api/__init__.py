"""The studio over HTTP: thin routes over its use cases."""

from studio.api.routes import router

__all__ = ["router"]
