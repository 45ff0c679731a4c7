"""Triton's interpreter with the numpy of today."""

from typing import Any


def mend_indexing() -> None:
    """Let interpreted numbers be indices, in whose place numpy no longer takes Triton 3.6's arrays."""
    import triton.runtime.interpreter as interpreter

    plain = interpreter._patch_lang_tensor

    def patched(tensor: Any, scope: Any) -> None:
        plain(tensor, scope)
        scope.set_attr(tensor, "__index__", lambda self: self.handle.data.item())

    interpreter._patch_lang_tensor = patched
