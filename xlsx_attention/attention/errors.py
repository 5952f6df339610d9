"""What the reference says when its inputs do not fit. Each is a :class:`ValueError` too, as NumPy's users expect."""

from __future__ import annotations

from xlsx_attention.errors import UsageError


class AttentionError(UsageError, ValueError):
    """The inputs of a step cannot be used: not numbers, an unknown option, a width that no head divides."""

    CODE = "attention-input"

    def __init__(self, message: str, *, where: str = "") -> None:
        super().__init__(self.CODE, message, where=where)

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.message, self.where))


class ShapeError(AttentionError):
    """Two shapes do not fit together; the message names both."""

    CODE = "attention-shape"


class MaskError(AttentionError):
    """The mask is neither a vector over the columns nor a matrix over the scores, or holds values that mean nothing."""

    CODE = "attention-mask"


class MaskedRowError(AttentionError):
    """A query may look at no key at all, so that its softmax has no answer."""

    CODE = "attention-masked-row"


def _rebuild(kind: type[AttentionError], message: str, where: str) -> AttentionError:
    return kind(message, where=where)
