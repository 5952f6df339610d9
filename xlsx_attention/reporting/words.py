"""What the reports say, in English and Chinese. One table, so that a word is said the same way everywhere."""

from __future__ import annotations

from xlsx_attention.model.report import Text
from xlsx_attention.reporting.words_book import BOOK_WORDS

WORDS: dict[str, Text] = {
    "agrees": Text("agree", "一致"),
    "origin": Text("origin", "差异起点"),
    "inherited": Text("inherited", "受上游影响"),
    "overridden": Text("overridden", "被覆盖"),
    "no-cached-value": Text("without a stored value", "无缓存值"),
    "volatile": Text("volatile", "易变"),
    "external": Text("external", "外部引用"),
    "circular": Text("circular", "循环引用"),
    "finding": Text("finding", "发现"),
    "sheet": Text(
        "{name}: {cells} computed cells in {blocks} blocks:", "{name}：{cells} 个计算单元格，{blocks} 个区域："
    ),
    "not-computed": Text("not computed", "未计算"),
    "lacking": Text("not computed: {name} ({cells})", "未计算：{name}（{cells}）"),
    "values": Text("stored {cached}, recomputed {recomputed}", "存储值 {cached}，重算值 {recomputed}"),
    "formula": Text("formula {formula}", "公式 {formula}"),
    "block-formula": Text("its block has {formula}", "所在区域的公式 {formula}"),
    "spoils": Text("spoils {count} downstream", "影响下游{count}"),
    "alike": Text("and {count} more of the same kind: {cells}", "另有 {count} 个同类单元格：{cells}"),
    "more-origins": Text(
        "and {count} more; --format json lists them all", "另有 {count} 个；用 --format json 查看全部"
    ),
    "more-notices": Text("and {count} more notices", "另有 {count} 条提示"),
    "published": Text("published figures: {agree} of {total} agree", "文章中的数字：{total} 个中 {agree} 个一致"),
    "figure": Text(
        "{step} printed {printed}, recomputed {recomputed} ({cell})",
        "{step} 文中为 {printed}，重算为 {recomputed}（{cell}）",
    ),
    "ok": Text("OK", "通过"),
    "not-judged": Text("NOT JUDGED", "未判断"),
    "nothing-stored": Text(
        "{cells} store no result to compare with: open the file in Excel or LibreOffice, save it, and verify again",
        "{cells}没有存储结果，无从比较：请用 Excel 或 LibreOffice 打开并保存后再验证",
    ),
    "nothing-computed": Text(
        "no formula, and no attention in its numbers: there is nothing to judge",
        "没有公式，数字中也未识别出注意力：没有可判断的内容",
    ),
    "not-ok": Text("DIVERGES", "有差异"),
    "summary": Text(
        "{agrees} of {computed} cells agree ({bits} to the last bit), {origins} accused, {findings}; "
        "rtol {rtol}, {seconds} s",
        "{computed} 个单元格中 {agrees} 个一致（{bits} 个逐位相同），{origins} 个被指出，{findings}；"
        "rtol {rtol}，{seconds} 秒",
    ),
    "total": Text(
        "{files} files: {agree} agree, {diverge} diverge, {unread} could not be read",
        "{files} 个文件：{agree} 个一致，{diverge} 个有差异，{unread} 个无法读取",
    ),
}

CAUSES: dict[str, Text] = {
    "text-for-a-number": Text("a text stands where a number is due", "应为数字，却是文本"),
    "rounded-value": Text("the value was rounded", "数值被四舍五入"),
    "pasted-value": Text(
        "a typed or pasted number instead of the block's formula", "该处应为公式，却是手工输入或粘贴的数字"
    ),
    "missing-dollar": Text("a reference lacks its $ (or has one too many)", "引用缺少 $（或多了 $）"),
    "wrong-range": Text("the formula takes other cells than its block does", "公式引用的区域与同块公式不同"),
    "formula-unlike-its-block": Text("the formula is unlike its block's", "公式与所在区域的公式不同"),
    "stale-cache": Text("the stored value is not what the cell's own formula gives", "存储值与该单元格公式的结果不符"),
    "wrong-scale": Text("the scores are scaled by something else than √d", "打分未按 √d 缩放"),
    "wrong-axis": Text("computed along the wrong axis", "计算方向（轴）错误"),
    "missing-transpose": Text("a transpose is missing", "缺少转置"),
    "swapped-operands": Text("the operands are swapped", "两个操作数颠倒"),
    "mask-missing": Text("the mask is not applied", "未应用掩码"),
    "mask-on-rows": Text("the mask lies on rows instead of columns", "掩码作用在行而非列上"),
    "mask-after-softmax": Text("the mask is applied after softmax", "掩码在 softmax 之后才应用"),
    "wrong-projection": Text("projected with another matrix than its role asks", "使用了错误的投影矩阵"),
    "exp-missing": Text("exp is missing", "缺少指数 exp"),
    "wrong-row-maximum": Text("the maximum is another row's", "取了另一行的最大值"),
    "wrong-normaliser": Text("divided by another sum than that of its own query", "除以的不是该查询自己的和"),
    "unmasked-weights": Text("weights that were never masked", "使用了未经掩码的权重"),
    "unnormalised-weights": Text("weights that do not add up to 1", "权重没有归一化"),
    "keys-for-values": Text("keys or queries where the values V belong", "应为值 V，却用了键或查询"),
    "population-or-sample": Text("population against sample deviation", "总体标准差与样本标准差混用"),
    "unexplained": Text("no known slip gives this number", "没有已知的错误能得出这个数"),
}

#: Things that are counted: one, several, Chinese.
_COUNTED: dict[str, tuple[str, str, str]] = {
    "finding": ("{} finding", "{} findings", "{} 条发现"),
    "cell": ("{} cell", "{} cells", " {} 个单元格"),
}

_ALL: dict[str, Text] = {**BOOK_WORDS, **WORDS}


def say(key: str, language: str, **values: object) -> str:
    """A sentence of the table, filled in."""
    text = _ALL[key][language]
    return text.format(**values) if values else text


def counted(number: int, thing: str, language: str) -> str:
    """``1 finding``, ``2 findings``, ``2 条发现``."""
    one, several, chinese = _COUNTED[thing]
    return (chinese if language == "zh" else one if number == 1 else several).format(f"{number:,}")


def cause_words(cause: str, language: str) -> str:
    """A cause in plain words; one that the table does not have, by its own name."""
    return CAUSES[cause][language] if cause in CAUSES else cause


def verdict_words(verdict: str, language: str) -> str:
    """A verdict as a name: ``agrees``, ``受上游影响``."""
    return verdict if language == "en" else WORDS[verdict].zh
