"""Triton's interpreter with current numpy."""

from typing import Any


def mend_indexing() -> None:
    """Let interpreted numbers be indices, because numpy no longer accepts Triton 3.6's arrays as such."""
    import triton.runtime.interpreter as interpreter

    plain = interpreter._patch_lang_tensor

    def patched(tensor: Any, scope: Any) -> None:
        plain(tensor, scope)
        scope.set_attr(tensor, "__index__", lambda self: self.handle.data.item())

    interpreter._patch_lang_tensor = patched
