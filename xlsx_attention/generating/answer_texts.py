"""What each kind of planted mistake is, in one plain sentence."""

from __future__ import annotations

from typing import Final

HEADERS: Final[dict[str, tuple[str, ...]]] = {
    "en": ("#", "sheet", "cells", "step", "kind", "what stands there", "what belongs there", "number there",
           "right number", "why it is wrong"),
    "zh": ("#", "工作表", "单元格", "步骤", "类型", "现在的内容", "应有的内容", "现在的数", "正确的数", "错在哪里"),
}  # fmt: skip
TITLES: Final = {"en": "Answers: the planted mistakes", "zh": "答案：埋下的错误"}
EXPLANATIONS: Final[dict[str, dict[str, str]]] = {
    "en": {
        "stale-cache": "The formula is right, but the stored number is from before a change: recalculate.",
        "pasted-value": "A number was typed over the formula, and it is not what the formula gives.",
        "rounded-value": "A rounded number was typed over the formula; what follows inherits the rounding.",
        "text-for-a-number": "The cell holds text that only looks like a number.",
        "formula-unlike-its-block": "This one cell has another formula than all the others of its block.",
        "wrong-range": "The ranges leave out the first term.",
        "missing-dollar": "The $ are missing. The number is still right here, but filling the formula on breaks it.",
        "wrong-scale": "The scores are divided by d_k instead of its square root.",
        "wrong-axis": "The exponentials are summed over the queries instead of over the keys, so that the weights of a "
        "query do not add up to 1.",
        "missing-transpose": "K is not transposed: queries are multiplied with features, not with keys.",
        "swapped-operands": "K·Qᵀ stands where Q·Kᵀ belongs: queries and keys have changed places.",
        "mask-missing": "The mask is not used: hidden tokens get weight.",
        "mask-on-rows": "The mask hides the queries of the padding; it must hide the keys.",
        "mask-after-softmax": "The mask is multiplied in after softmax, so that the weights no longer add up to 1.",
        "wrong-projection": "The projection uses the weights of another one.",
    },
    "zh": {
        "stale-cache": "公式没错，但存下的数是改动之前的：需要重新计算。",
        "pasted-value": "公式被一个手输的数盖掉了，而且这个数不对。",
        "rounded-value": "公式被四舍五入后的数盖掉了，后面的步骤都带上了这个误差。",
        "text-for-a-number": "单元格里是看起来像数字的文本。",
        "formula-unlike-its-block": "只有这一格的公式和同一块里其他格不一样。",
        "wrong-range": "区域漏掉了第一项。",
        "missing-dollar": "少了 $。这一格的数碰巧还对，但往外一填充就错。",
        "wrong-scale": "打分除以了 d_k，应该除以它的平方根。",
        "wrong-axis": "指数沿查询方向求和，应该沿键的方向求和，否则每个查询的权重加起来不是 1。",
        "missing-transpose": "K 没有转置。",
        "swapped-operands": "写成了 K·Qᵀ，应该是 Q·Kᵀ：查询和键对调了。",
        "mask-missing": "没有用掩码：被遮住的词元也分到了权重。",
        "mask-on-rows": "掩码遮住了填充词元的查询，应该遮住它们的键。",
        "mask-after-softmax": "掩码乘在 softmax 之后，权重加起来不再是 1。",
        "wrong-projection": "投影用错了权重矩阵。",
    },
}
