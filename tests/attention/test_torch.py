"""The reference against PyTorch in float64, skipped where torch is not installed (the extra `torch`)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from xlsx_attention.attention import layer_norm, scaled_dot_product, self_attention

torch: Any = pytest.importorskip("torch", reason="PyTorch is not installed (the extra `torch`)")
sdpa = torch.nn.functional.scaled_dot_product_attention
TOLERANCE = 1e-12


def tensors(*values: npt.NDArray[Any]) -> list[Any]:
    return [torch.from_numpy(np.array(value)) for value in values]


def draw(seed: int) -> tuple[np.random.Generator, list[npt.NDArray[np.float64]]]:
    rng = np.random.default_rng(seed)
    s_q, s_k, d_k, d_v = rng.integers(1, 40, 4)
    return rng, [rng.normal(size=shape) for shape in ((s_q, d_k), (s_k, d_k), (s_k, d_v))]


@pytest.mark.parametrize("seed", range(25))
def test_boolean_mask(seed: int) -> None:
    rng, (Q, K, V) = draw(seed)
    mask = rng.random((len(Q), len(K))) < 0.6
    mask[np.arange(len(Q)), rng.integers(0, len(K), len(Q))] = True  # each query keeps a key
    q, k, v, m = tensors(Q, K, V, mask)
    expected = sdpa(q, k, v, attn_mask=m).numpy()
    for filler in (-1e9, -np.inf):
        ours = scaled_dot_product(Q, K, V, mask, mask_value=filler).output
        np.testing.assert_allclose(ours, expected, rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize("seed", range(25))
def test_padding_causal_additive_and_scale(seed: int) -> None:
    rng, (Q, K, V) = draw(100 + seed)
    q, k, v = tensors(Q, K, V)
    keep = rng.random(len(K)) < 0.6
    keep[0] = True
    extra = rng.normal(size=(len(Q), len(K)))
    cases: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({}, {}),
        ({"causal": True}, {"is_causal": True}),
        ({"mask": keep}, {"attn_mask": tensors(np.broadcast_to(keep, extra.shape))[0]}),
        ({"mask": extra}, {"attn_mask": tensors(extra)[0]}),
        ({"scale": 3.0}, {"scale": 1 / 3.0}),
        ({"scale": None}, {"scale": 1.0}),
        (
            {"mask": keep, "causal": True},
            {"attn_mask": tensors(np.tri(*extra.shape, dtype=bool) & keep)[0]},
        ),
    ]
    for ours, theirs in cases:
        np.testing.assert_allclose(
            scaled_dot_product(Q, K, V, **ours).output,
            sdpa(q, k, v, **theirs).numpy(),
            rtol=0,
            atol=TOLERANCE,
            err_msg=str(list(ours)),
        )


@pytest.mark.parametrize("heads", [1, 2, 4])
def test_several_heads_with_biases_and_projection(heads: int) -> None:
    """`torch.nn.MultiheadAttention` keeps its weights transposed, and marks padding where we keep."""
    S, D = 6, 8
    torch.manual_seed(heads)
    layer = torch.nn.MultiheadAttention(D, heads, bias=True, batch_first=True, dtype=torch.float64)
    torch.nn.init.normal_(layer.in_proj_bias)
    torch.nn.init.zeros_(layer.out_proj.bias)
    X = torch.randn(1, S, D, dtype=torch.float64)
    keep = np.array([1, 1, 1, 1, 0, 0])
    with torch.no_grad():
        expected, weights = layer(X, X, X, key_padding_mask=tensors(keep == 0)[0][None], average_attn_weights=False)
        W, b = layer.in_proj_weight.numpy(), layer.in_proj_bias.numpy()
        W_o = layer.out_proj.weight.numpy().T
    W_q, W_k, W_v = (W[i * D : (i + 1) * D].T for i in range(3))
    bias = tuple(b[i * D : (i + 1) * D] for i in range(3))
    ours = self_attention(X[0].numpy(), W_q, W_k, W_v, keep, bias=bias, heads=heads, W_o=W_o)
    np.testing.assert_allclose(ours.projected, expected[0].numpy(), rtol=0, atol=TOLERANCE)
    np.testing.assert_allclose(ours.weights.reshape(heads, S, S), weights[0].numpy(), rtol=0, atol=TOLERANCE)


def test_layer_norm() -> None:
    rng = np.random.default_rng(5)
    X, gamma, beta = rng.normal(size=(7, 12)), rng.normal(size=12), rng.normal(size=12)
    x, g, b = tensors(X, gamma, beta)
    expected = torch.nn.functional.layer_norm(x, (12,), g, b, eps=1e-5).numpy()
    np.testing.assert_allclose(layer_norm(X, gamma, beta, eps=1e-5), expected, rtol=0, atol=TOLERANCE)
