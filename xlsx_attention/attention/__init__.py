"""The reference: attention and its neighbours as they are taught, in NumPy, and the √d experiment."""

from __future__ import annotations

from xlsx_attention.attention.arrays import exp, matmul_in_order, sum_in_order
from xlsx_attention.attention.errors import AttentionError, MaskedRowError, MaskError, ShapeError
from xlsx_attention.attention.masking import Mask, make_mask
from xlsx_attention.attention.reference import cross_attention, scaled_dot_product, self_attention
from xlsx_attention.attention.scaling import ScalingRow, format_table, scaling_experiment
from xlsx_attention.attention.steps import layer_norm, linear, positional_encoding, relu, residual, softmax
from xlsx_attention.attention.trace import AttentionTrace, HeadTrace

__all__ = [
    "AttentionError",
    "AttentionTrace",
    "HeadTrace",
    "Mask",
    "MaskError",
    "MaskedRowError",
    "ScalingRow",
    "ShapeError",
    "cross_attention",
    "exp",
    "format_table",
    "layer_norm",
    "linear",
    "make_mask",
    "matmul_in_order",
    "positional_encoding",
    "relu",
    "residual",
    "scaled_dot_product",
    "scaling_experiment",
    "self_attention",
    "softmax",
    "sum_in_order",
]
