"""The words on the sheet, in both languages."""

from __future__ import annotations

from typing import Final

#: Role → what it is called beside its symbol.
NAMES: Final[dict[str, dict[str, str]]] = {
    "zh": {
        "table": "嵌入表", "ids": "编号", "pos": "位置", "dim": "维度", "E": "词嵌入", "PE": "位置编码", "X": "输入",
        "W_q": "查询权重", "W_k": "键权重", "W_v": "值权重", "W_o": "输出权重",
        "b_q": "查询偏置", "b_k": "键偏置", "b_v": "值偏置",
        "Q": "查询", "K": "键", "V": "值", "KT": "键的转置", "scores": "打分", "scaled": "缩放", "mask": "掩码",
        "causal": "因果掩码", "masked": "加掩码", "row_max": "最大值", "exp": "指数", "normaliser": "求和",
        "weights": "注意力权重", "output": "输出", "concat": "拼接", "projected": "投影输出",
    },
    "en": {
        "table": "embedding table", "ids": "id", "pos": "position", "dim": "dimension", "E": "embedding",
        "PE": "positional encoding", "X": "input", "W_q": "query weights", "W_k": "key weights",
        "W_v": "value weights", "W_o": "output weights", "b_q": "query bias", "b_k": "key bias", "b_v": "value bias",
        "Q": "query", "K": "key", "V": "value", "KT": "K transposed", "scores": "scores", "scaled": "scaled",
        "mask": "mask", "causal": "causal mask", "masked": "masked", "row_max": "maximum", "exp": "exponential",
        "normaliser": "sum", "weights": "attention weights", "output": "output", "concat": "concatenated",
        "projected": "projected output",
    },
}  # fmt: skip

#: Key without its head's number → the symbol in titles, where it is not the key itself.
SYMBOLS: Final[dict[str, str]] = {
    "row_sum": "row sum", "row_max": "row max", "table": "T",
}  # fmt: skip
#: The same with tokens in columns, where softmax runs down.
DOWN: Final[dict[str, str]] = {"row_sum": "column sum", "row_max": "column max"}

TITLES: Final[dict[str, dict[str, str]]] = {
    "zh": {
        "attention": "自注意力，一步一步", "multihead": "多头注意力，一步一步",
        "causal": "因果（带掩码的）自注意力，一步一步",
        "cross": "交叉注意力，一步一步",
    },
    "en": {
        "attention": "Self-attention, step by step", "multihead": "Multi-head attention, step by step",
        "causal": "Causal (masked) self-attention, step by step", "cross": "Cross-attention, step by step",
    },
}  # fmt: skip

SHEETS: Final[dict[str, str]] = {
    "attention": "self-attention",
    "multihead": "multi-head",
    "causal": "causal",
    "cross": "cross-attention",
}

PHRASES: Final[dict[str, dict[str, str]]] = {
    "zh": {
        "input": "输入",
        "masked": "{keep} 为 1 处取 {scores}，否则 −1e9",
        "legend": "橙色格是输入，可以改动；其余都是公式。",
        "head": "第 {n} 个头",
        "tokens in rows": "每个词元一行。",
        "tokens in columns": "每个词元一列。",
        "hidden": "填充 <PAD> 被掩码设为 −1e9，softmax 后权重恰为 0。",
        "exercise": "练习：填黄色格（数字或公式）。旁边的 ✓ 或 ✗ 说明对不对，… 表示还没填完；"
        "每一步都按你自己前面填的数检查，误差不超过 {tol} 算对。",
        "mask": "1 表示保留，0 表示遮住。",
        "key": "答案：与练习逐格对应。",
        "right": "已对",
        "number": "第 {n} 份",
        "invalid": "请填一个数字，或以 = 开头的公式。",
        "find": "找错：这张表里有 {n} 处错误，找出来。",
        "page": "第 &P 页，共 &N 页",
    },
    "en": {
        "input": "input",
        "masked": "{scores} where {keep} = 1, else −1e9",
        "legend": "Orange cells are inputs: change them. Everything else is a formula.",
        "head": "Head {n}",
        "tokens in rows": "One token a row.",
        "tokens in columns": "One token a column.",
        "hidden": "The mask sets <PAD> to −1e9, so its weight after softmax is exactly 0.",
        "exercise": "Exercise: fill in the yellow cells, numbers or formulas. ✓ or ✗ says whether a token is right, … "
        "that something is missing. Each step is checked from your own numbers before it, to within {tol}.",
        "mask": "1 keeps a token, 0 hides it.",
        "key": "Key: cell by cell as the exercise.",
        "right": "right so far",
        "number": "version {n}",
        "invalid": "Enter a number, or a formula that begins with =.",
        "find": "Find the mistakes: this sheet holds {n}.",
        "page": "Page &P of &N",
    },
}


def bare(key: str) -> str:
    """A block's key without its head's number: ``W_q2`` → ``W_q``."""
    return key.rstrip("0123456789")


def symbol(key: str, columns: bool) -> str:
    """The symbol of a block in titles, its head's number as a subscript: ``W_q2`` → ``W_q₂``."""
    name = bare(key)
    number = key[len(name) :].translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))
    if name == "KT":
        return f"K{number}ᵀ"
    shown = (DOWN.get(name) if columns else None) or SYMBOLS.get(name, name)
    return shown + number
