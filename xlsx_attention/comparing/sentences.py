"""What findings say: where, what, and why it matters, in English and Chinese. A row a sentence."""

from __future__ import annotations

from xlsx_attention.model.report import Text

SENTENCES: dict[str, Text] = {
    "typed-projection": Text(
        "{cells} ({role}): these are typed numbers, not formulas; they are X·{w} ({weights}) now, and will stay as "
        "they are when X or {w} changes.",
        "{cells}（{role}）：这里是手工输入的数字而不是公式；它们现在等于 X·{w}（{weights}），"
        "但 X 或 {w} 改变时不会随之更新。",
    ),
    "typed-otherwise": Text(
        "{cells} ({role}): these are typed numbers and not X·{w}; no formula reads {w} ({weights}).",
        "{cells}（{role}）：这里是手工输入的数字，且不等于 X·{w}；没有任何公式引用 {w}（{weights}）。",
    ),
    "short-product": Text(
        "{cells} ({role}): the products are summed over one term too few, so that a part of every vector counts "
        "for nothing.",
        "{cells}（{role}）：乘积求和少了一项，每个向量都有一个分量没有参与计算。",
    ),
    "short-maximum": Text(
        "{cells} ({role}): the maximum leaves out one of the scores, so that exp may overflow where that one is "
        "the largest.",
        "{cells}（{role}）：求最大值时漏掉了一个分数；当它恰好最大时，exp 可能溢出。",
    ),
    "short-sum": Text(
        "{cells} ({role}): the sum leaves out one of the exponentials, so that the weights of a query no longer "
        "add up to 1.",
        "{cells}（{role}）：求和漏掉了一个指数，因此每个查询的权重之和不再是 1。",
    ),
    "scale": Text(
        "{cells} ({role}): the scores are {scale}, where ÷√d_k = ÷√{d_k} = ÷{divisor} belongs; "
        "the softmax comes out too {shape}.",
        "{cells}（{role}）：分数{scale}，而应除以 √d_k = √{d_k} = {divisor}；softmax 因此过于{shape}。",
    ),
    "mask-on-queries": Text(
        "{cells} ({role}): the mask hides the rows of padded queries; it must hide the columns of padded keys, "
        "or every token still attends to padding.",
        "{cells}（{role}）：掩码盖住了填充查询所在的行；它应当盖住填充键所在的列，否则每个词仍会关注填充位置。",
    ),
    "mask-turned": Text(
        "{cells} ({role}): the causal mask hides what comes before each query and leaves what comes after it; "
        "it must be the other way round.",
        "{cells}（{role}）：因果掩码盖住了查询之前的位置，却露出了之后的位置；方向应当相反。",
    ),
    "mask-multiplies": Text(
        "{cells} ({role}): the mask multiplies hidden scores to 0, and exp(0) = 1 still gives them weight; "
        "they must become −1e9 or −∞.",
        "{cells}（{role}）：掩码把被盖住的分数乘成 0，而 exp(0) = 1 仍会给它们权重；应当变为 −1e9 或 −∞。",
    ),
    "mask-missing": Text(
        "{cells} ({role}): no mask hides the padding (see {tokens}), so that real tokens give weight to nothing.",
        "{cells}（{role}）：填充（见 {tokens}）没有被掩码盖住，真实的词把权重分给了空位。",
    ),
    "mask-unused": Text(
        "{cells} ({role}): the mask in {mask} is read by no formula, so that what it should hide still gets weight.",
        "{cells}（{role}）：{mask} 的掩码没有被任何公式引用，本应盖住的位置仍然得到权重。",
    ),
    "masked-unused": Text(
        "{cells} ({role}): exp takes the scores as they were; the masked ones in {mask} are used by no formula, "
        "so that "
        "what they hide still gets weight.",
        "{cells}（{role}）：exp 用的是掩码前的分数；{mask} 中掩码后的分数没有被任何公式使用，"
        "应盖住的位置仍然得到权重。",
    ),
    "mask-after": Text(
        "{cells} ({role}): the mask is multiplied in after the softmax, so that the weights of a query no longer "
        "add up to 1; "
        "mask the scores before exp.",
        "{cells}（{role}）：掩码在 softmax 之后才乘上去，每个查询的权重之和不再是 1；应在取 exp 之前掩盖分数。",
    ),
    "column-maximum": Text(
        "{cells} ({role}): the maximum runs over the queries of one key, where that over the keys of one query "
        "belongs.",
        "{cells}（{role}）：最大值沿查询方向（同一个键）求得，而应沿键方向（同一个查询）求得。",
    ),
    "other-row-maximum": Text(
        "{cells} ({role}): the maximum is that of another query's row; it cancels out while exp does not "
        "overflow, and only then.",
        "{cells}（{role}）：取的是另一个查询那一行的最大值；只有 exp 不溢出时它才会被约掉。",
    ),
    "column-sums": Text(
        "{cells} ({role}): the exponentials are summed over the queries of one key; a softmax sums over the keys "
        "of one query, "
        "or a query's weights do not add up to 1.",
        "{cells}（{role}）：指数沿查询方向（同一个键）求和；softmax 应沿键方向（同一个查询）求和，"
        "否则每个查询的权重之和不是 1。",
    ),
    "exp-missing-in-sum": Text(
        "{cells} ({role}): the scores are summed as they are, without exp, so that the weights do not add up to 1.",
        "{cells}（{role}）：求和的是分数本身而不是它们的指数，因此权重之和不是 1。",
    ),
    "grand-total": Text(
        "{cells} ({role}): the sum is that of the whole block; each query is divided by its own sum.",
        "{cells}（{role}）：这是整个区域的总和；每个查询应除以它自己那一行的和。",
    ),
    "other-row-sum": Text(
        "{cells} ({role}): the sum is that of another query's row, so that the weights of a query do not add up to 1.",
        "{cells}（{role}）：取的是另一个查询那一行的和，因此每个查询的权重之和不是 1。",
    ),
    "column-quotient": Text(
        "{cells} ({role}): each exponential is divided by the sum that belongs to its key, not to its query, "
        "so that a query's weights do not add up to 1.",
        "{cells}（{role}）：每个指数除以的是它的键的和，而不是它的查询的和，因此每个查询的权重之和不是 1。",
    ),
    "column-softmax": Text(
        "{cells} ({role}): the softmax runs over the queries of one key; it must run over the keys of one query, "
        "whose weights then add up to 1.",
        "{cells}（{role}）：softmax 沿查询方向（同一个键）计算；应沿键方向（同一个查询）计算，"
        "使每个查询的权重之和为 1。",
    ),
    "exp-missing": Text(
        "{cells} ({role}): the scores are divided by their sum without exp; that is no softmax, and a score below "
        "0 gives a "
        "weight below 0.",
        "{cells}（{role}）：分数没有取 exp 就除以它们的和；这不是 softmax，负分数会得到负权重。",
    ),
    "unmasked-weights": Text(
        "{cells} ({role}): the values are weighted by weights that were never masked, so that hidden tokens have "
        "their say.",
        "{cells}（{role}）：加权时用的是未经掩码的权重，被盖住的词仍然起作用。",
    ),
    "keys-for-values": Text(
        "{cells} ({role}): the weights are multiplied by the keys K; the values V are what attention mixes.",
        "{cells}（{role}）：权重乘的是键 K；注意力混合的应当是值 V。",
    ),
    "queries-for-values": Text(
        "{cells} ({role}): the weights are multiplied by the queries Q; the values V are what attention mixes.",
        "{cells}（{role}）：权重乘的是查询 Q；注意力混合的应当是值 V。",
    ),
    "unnormalised": Text(
        "{cells} ({role}): the values are weighted by the exponentials, which do not add up to 1; divide by their "
        "sum first.",
        "{cells}（{role}）：加权时直接用了指数，它们之和不是 1；应先除以它们的和。",
    ),
    "scores-for-weights": Text(
        "{cells} ({role}): the values are weighted by the scores; they must go through the softmax first.",
        "{cells}（{role}）：加权时直接用了分数；分数应先经过 softmax。",
    ),
    "weights-turned": Text(
        "{cells} ({role}): the weights are turned: each output mixes values by the weights that others give to it.",
        "{cells}（{role}）：权重被转置了：每个输出用的是别的词给它的权重。",
    ),
    "missing-transpose": Text(
        "{cells} ({role}): Q is multiplied by K as it stands, so that features meet tokens; Q·Kᵀ compares each "
        "query with each key.",
        "{cells}（{role}）：Q 乘的是未转置的 K，特征与词对错了位；应为 Q·Kᵀ，即每个查询与每个键比较。",
    ),
    "swapped-operands": Text(
        "{cells} ({role}): Q and K are swapped: each row compares one key with all queries; Q·Kᵀ is what the "
        "softmax asks for.",
        "{cells}（{role}）：Q 与 K 颠倒：每一行是一个键与所有查询的比较；softmax 需要的是 Q·Kᵀ。",
    ),
    "wrong-projection": Text(
        "{cells} ({role}): {role} is made with the same matrix {matrix} as {other}, so that both hold the same "
        "numbers; "
        "{role} has a matrix of its own.",
        "{cells}（{role}）：{role} 与 {other} 用了同一个矩阵 {matrix}，两者数值相同；{role} 应有自己的矩阵。",
    ),
    "stray": Text(
        "{cells} ({role}): its formula gives {own}, where the step that all others of {others} follow gives {due}.",
        "{cells}（{role}）：它的公式得到 {own}，而 {others} 其余单元格所遵循的步骤在此应得 {due}。",
    ),
    "line-left-out": Text(
        "{cells} ({role}): these cells do not follow the step that all others of {others} follow.",
        "{cells}（{role}）：这些单元格没有遵循 {others} 其余单元格所遵循的步骤。",
    ),
    "causal-leak": Text(
        "{cells} ({role}): the mask is causal but for this cell, where token {query} sees token {seen}, which comes "
        "after it.",
        "{cells}（{role}）：掩码除此处外都是因果的；这里第 {query} 个词能看到后面的第 {seen} 个词。",
    ),
    "causal-self": Text(
        "{cells} ({role}): the mask is causal but for this cell, where token {query} does not see itself.",
        "{cells}（{role}）：掩码除此处外都是因果的；这里第 {query} 个词看不到它自己。",
    ),
    "weights-total": Text(
        "{cells} ({role}): the weights of this query add up to {total}; a softmax over its keys adds up to 1.",
        "{cells}（{role}）：这个查询的权重之和为 {total}；对它的键做 softmax，权重之和应为 1。",
    ),
    "rounded": Text(
        "{cells} ({role}): the block rounds to {digits} decimals on the way, and everything after it carries that "
        "error; "
        "show fewer decimals by the number format.",
        "{cells}（{role}）：中间结果被四舍五入到 {digits} 位小数，误差会传到后面的每一步；想少显示小数，请用数字格式。",
    ),
    "deviation": Text(
        "{cells}: this layer norm divides by the {own} deviation, others on the sheet by the {other} one; "
        "layer norm is defined with the population deviation.",
        "{cells}：这个层归一化用的是{own}标准差，而表中其他处用的是{other}标准差；层归一化的定义是总体标准差。",
    ),
    "deviation-said": Text(
        "{cells}: the label says {other} deviation, and the formula takes the {own} one.",
        "{cells}：标签写明用{other}标准差，而公式用的是{own}标准差。",
    ),
    "position-and-feature": Text(
        "{cells}: in the positional encoding, position and feature have changed places: the angle is feature ÷ "
        "{base}^(position/d), "
        "where position ÷ {base}^(feature/d) belongs.",
        "{cells}：位置编码中位置与特征颠倒：角度写成了 特征 ÷ {base}^(位置/d)，而应为 位置 ÷ {base}^(特征/d)。",
    ),
}

#: How the scores are scaled instead: no scale, d_k itself, the root of another width, that width, some number.
SCALES: dict[str, Text] = {
    "none": Text("not scaled", "没有缩放"),
    "width": Text("divided by {name} = {value}, without the root", "除以了 {name} = {value}（没有开方）"),
    "root": Text("divided by √{name} = √{value}", "除以了 √{name} = √{value}"),
    "number": Text("divided by {value}", "除以了 {value}"),
}
SHAPES: dict[str, Text] = {"sharp": Text("sharp", "尖锐"), "flat": Text("flat", "平缓")}
DEVIATIONS: dict[str, Text] = {"sample": Text("sample", "样本"), "population": Text("population", "总体")}


def say(key: str, **values: str | Text) -> Text:
    """A sentence, filled in; a value in two languages is taken in each."""

    def filled(language: str) -> str:
        plain = {name: value[language] if isinstance(value, Text) else value for name, value in values.items()}
        return SENTENCES[key][language].format(**plain)

    return Text(filled("en"), filled("zh"))


def filled(text: Text, **values: str) -> Text:
    return Text(text.en.format(**values), text.zh.format(**values))
