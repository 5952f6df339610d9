"""Public workbooks: every role at its exact range. The tables were read off the sheets: their labels and formulas."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.recognising.lessons import compiled, ranges, recognised
from xlsx_attention.model.role import AttentionMap
from xlsx_attention.recognising import recognise

#: Self-Attention.xlsx: the sheet's own labels are X, Wq, Wk, Wv, Q, K, V, "K^T * Q", "[] / sqrt(dk)", "e^[]", "Σ",
#: "Attention Weight Matrix (A)", "Attention Weighted Features (Z)"; dk is in E7.
SELF_ATTENTION = {
    "small": (
        3,
        "X J5:M10, W_q C14:H16, W_k C19:H21, W_v C37:H39, Q J14:M16, K J19:M21, V J37:M39, scores U10:X13, "
        "scaled U16:X19, exp U21:X24, normaliser U26:X26, weights U30:X33, output U37:X39",
    ),
    "medium": (
        4,
        "X J5:Q10, W_q C14:H17, W_k C22:H25, W_v C54:H59, Q J14:Q17, K J22:Q25, V J54:Q59, scores Z11:AG18, "
        "scaled Z21:AG28, exp Z30:AG37, normaliser Z39:AG39, weights Z43:AG50, output Z54:AG59",
    ),
    "large": (
        4,
        "X J5:U10, W_q C14:H17, W_k C22:H25, W_v C70:H75, Q J14:U17, K J22:U25, V J70:U75, scores AD11:AO22, "
        "scaled AD25:AO36, exp AD38:AO49, normaliser AD51:AO51, weights AD55:AO66, output AD70:AO75",
    ),
}
#: Copies of Q and K that the sheets multiply with: beside "Q" and "K^T".
SELF_ATTENTION_COPIES = {
    "small": ("U5:X7", "Q10:S13"),
    "medium": ("Z5:AG8", "U11:X18"),
    "large": ("AD5:AO8", "Y11:AB22"),
}

#: Transformer-Full-Stack.xlsx: (kind, mask, shared roles, heads). Every product divides by SQRT(3) in its own formula,
#: so there are no bare scores; the decoder's adds the causal mask DA63:DH70 there as well.
FULL_STACK = (
    (
        "self",
        None,
        "X Z50:AE54, concat AW114:BB119, W_o O121:T125, projected AW121:BB125",
        (
            "W_q P67:T69, W_k P80:T82, W_v P93:T95, Q Z67:AE69, K Z80:AE82, V Z93:AE95, scaled AM73:AR78, "
            "weights AW73:BB78, output AW83:BB85",
            "W_q P70:T72, W_k P83:T85, W_v P96:T98, Q Z70:AE72, K Z83:AE85, V Z96:AE98, scaled AM98:AR103, "
            "weights AW98:BB103, output AW108:BB110",
        ),
    ),
    (
        "self",
        "causal",
        "X CL52:CS57, concat DK139:DR147, W_o BY149:CG154, projected DK149:DR154",
        (
            "W_q CB67:CG69, W_k CB80:CG82, W_v CB93:CG95, Q CL67:CS69, K CL80:CS82, V CL93:CS95, mask DA63:DH70, "
            "masked DA79:DH86, weights DK79:DR86, output DK89:DR91",
            "W_q CB70:CG72, W_k CB83:CG85, W_v CB96:CG98, Q CL70:CS72, K CL83:CS85, V CL96:CS98, mask DA63:DH70, "
            "masked DA101:DH108, weights DK101:DR108, output DK111:DR113",
            "W_q CB73:CG75, W_k CB86:CG88, W_v CB99:CG101, Q CL73:CS75, K CL86:CS88, V CL99:CS101, mask DA63:DH70, "
            "masked DA123:DH130, weights DK123:DR130, output DK133:DR135",
        ),
    ),
    (
        "cross",
        None,
        "X CL177:CS182, X_kv Z218:AE222, concat DK237:DR242, W_o CB244:CG249, projected DK244:DR249",
        (
            "W_q CB191:CG193, W_k CC212:CG214, W_v CC225:CG227, Q CL191:CS193, K CL212:CQ214, V CL225:CQ227, "
            "scaled DA197:DH202, weights DK197:DR202, output DK207:DR209",
            "W_q CB194:CG196, W_k CC215:CG217, W_v CC228:CG230, Q CL194:CS196, K CL215:CQ217, V CL228:CQ230, "
            "scaled DA222:DH227, weights DK222:DR227, output DK232:DR234",
        ),
    ),
)
#: The same workbook, beside attention.
FULL_STACK_OTHERS = {
    "one-hot": ("Z21:AE36", "CL12:CS35"),
    "embedding": ("Z41:AE45", "CL41:CS46"),
    "positional encoding": ("O50:T54", "BZ52:CG57"),
    "residual": ("Z133:AE137", "CL161:CS166", "Z204:AE208", "CL258:CS263", "CL336:CS341"),
    "layer norm": ("Z140:AE144", "CL169:CS174", "Z211:AE215", "CL266:CS271", "CL344:CS349"),
    "relu": ("Z172:AE183", "Z193:AE197", "CL301:CS312", "CL323:CS328"),
    "softmax": ("CL397:CS420",),
}

#: excel-transformer/Transformer.xlsx, sheet TRANSFORMER EX1: one cell a score, vectors scattered over the sheet. Two
#: layers of encoder, masked decoder and cross-attention, two heads of width 4 each:
#: (kind, mask, tokens × keys, X, W_o, projected).
SCATTERED = (
    ("cross", None, (2, 3), "PI1681:QC1683", "PD1334:PK1336", "PL1330:QF1332"),
    ("self", "causal", (2, 2), "PI2185:QC2187", "PD1784:PK1786", "PL1780:QF1782"),
    ("self", None, (3, 3), "EA2635:FO2637", "DV2258:EC2260", "ED2254:FR2256"),
    ("cross", None, (2, 3), "PI2768:QC2770", "PD2421:PK2423", "PL2417:QF2419"),
    ("self", None, (3, 3), "EL3167:FJ3169", "DV2871:EC2873", "ED2867:FR2869"),
    ("self", "causal", (2, 2), "PT3167:QF3169", "PD2871:PK2873", "PL2867:QF2869"),
)
#: The first of these, head by head.
SCATTERED_HEADS = (
    "W_q LR1579:LT1582, b_q LS1574:LS1577, W_k MB1579:MD1582, b_k MC1574:MC1577, W_v ML1579:MN1582, b_v MM1574:MM1577, "
    "Q LU1574:LU1577 NE1574:NE1577, K ME1574:ME1577 NO1574:NO1577 OY1574:OY1577, "
    "V MO1574:MO1577 NY1574:NY1577 PI1574:PI1577, scores LU1493 ME1493 MO1493 NE1493 NO1493 NY1493, "
    "scaled LU1481 ME1481 MO1481 NE1481 NO1481 NY1481, weights LU1461 ME1461 MO1461 NE1461 NO1461 NY1461, "
    "output ME1397:ME1400 NO1397:NO1400",
    "W_q RD1579:RF1582, b_q RE1574:RE1577, W_k RN1579:RP1582, b_k RO1574:RO1577, W_v RX1579:RZ1582, b_v RY1574:RY1577, "
    "Q RG1574:RG1577 SQ1574:SQ1577, K RQ1574:RQ1577 TA1574:TA1577 UK1574:UK1577, "
    "V SA1574:SA1577 TK1574:TK1577 UU1574:UU1577, scores RG1493 RQ1493 SA1493 SQ1493 TA1493 TK1493, "
    "scaled RG1481 RQ1481 SA1481 SQ1481 TA1481 TK1481, weights RG1461 RQ1461 SA1461 SQ1461 TA1461 TK1461, "
    "output RQ1397:RQ1400 TA1397:TA1400",
)


def table(text: str) -> dict[str, str]:
    """``"Q A1:B2, K C1:D2" → {"Q": "A1:B2", …}``."""
    return {role: place for role, _, place in (part.strip().partition(" ") for part in text.split(","))}


@pytest.fixture(scope="module")
def full_stack(corpus: Path) -> AttentionMap:
    return recognised(corpus / "ai-by-hand" / "Transformer-Full-Stack.xlsx")


@pytest.fixture(scope="module")
def scattered(corpus: Path) -> AttentionMap:
    return recognised(corpus / "excel-transformer" / "Transformer.xlsx")


def test_self_attention(corpus: Path) -> None:
    grid, plan = compiled(corpus / "ai-by-hand" / "Self-Attention.xlsx")
    found = recognise(grid, plan)
    assert [grid.sheets[attention.sheet].name for attention in found.attentions] == list(SELF_ATTENTION)
    for number, (sheet, (d_k, roles)) in enumerate(SELF_ATTENTION.items()):
        attention = found.attentions[number]
        [head] = attention.heads
        assert ranges(found, number) == table(roles)
        assert (attention.orientation, attention.kind) == ("columns", "self")
        assert head.d_k == d_k
        assert head.scale == pytest.approx(d_k**0.5)
        assert (head.mask, head.softmax_axis, head.exp_from) == (None, "keys", "scaled")
        copies = tuple(" ".join(place.rect.a1 for place in head.copies[role]) for role in ("Q", "K"))
        assert copies == SELF_ATTENTION_COPIES[sheet]
    assert found.others == found.unrecognised == ()


def test_full_stack(full_stack: AttentionMap) -> None:
    assert len(full_stack.attentions) == len(FULL_STACK)
    for number, (kind, mask, shared, heads) in enumerate(FULL_STACK):
        attention = full_stack.attentions[number]
        assert (attention.orientation, attention.kind) == ("columns", kind)
        assert len(attention.heads) == len(heads)
        for place, expected in enumerate(heads):
            head = attention.heads[place]
            assert ranges(full_stack, number, place) == {**table(shared), **table(expected)}
            assert (head.d_k, head.mask) == (3, mask)
            assert head.scale == pytest.approx(3**0.5)
            assert head.mask_axis == (None if mask is None else "keys")


@pytest.mark.parametrize("kind", FULL_STACK_OTHERS)
def test_what_else_is_in_the_full_stack(full_stack: AttentionMap, kind: str) -> None:
    found = {other.place.rect.a1 for other in full_stack.others if other.kind == kind}
    assert found == set(FULL_STACK_OTHERS[kind])


def test_sample_deviation_is_told(full_stack: AttentionMap) -> None:
    """NORMALIZE is LAMBDA(x, … STDEV(x) …): the sample's."""
    details = {other.detail for other in full_stack.others if other.kind == "layer norm"}
    assert details == {"sample deviation"}


def test_scattered_heads(scattered: AttentionMap) -> None:
    sheet = [attention for attention in scattered.attentions if attention.sheet == 0]
    assert len(sheet) == len(SCATTERED)
    for attention, (kind, mask, (tokens, keys), X, W_o, projected) in zip(sheet, SCATTERED, strict=True):
        assert (attention.orientation, attention.kind, len(attention.heads)) == ("columns", kind, 2)
        assert attention.shared["X"].rect.a1 == X
        assert attention.shared["W_o"].rect.a1 == W_o
        assert attention.shared["projected"].rect.a1 == projected
        for head in attention.heads:
            assert (head.d_k, head.scale, head.mask) == (4, pytest.approx(2.0), mask)
            assert sum(rect.size for rect in head.roles["weights"].rects) == tokens * keys
            assert sum(rect.size for rect in head.roles["Q"].rects) == tokens * 4
            assert sum(rect.size for rect in head.roles["V"].rects) == keys * 4


def test_scattered_roles(scattered: AttentionMap) -> None:
    for number, expected in enumerate(SCATTERED_HEADS):
        found = ranges(scattered, 0, number)
        assert {role: place for role, place in found.items() if role in table(expected)} == table(expected)


@pytest.mark.parametrize(
    "name", ["Transformer", "Softmax", "Temperature", "LSTM", "Backpropgation", "LeakyReLU", "W1_Dot-Product"]
)
def test_no_attention_where_there_is_none(corpus: Path, name: str) -> None:
    """``Transformer.xlsx`` multiplies with a matrix of weights that is typed in: there is no softmax."""
    assert recognised(corpus / "ai-by-hand" / f"{name}.xlsx").attentions == ()


def test_layers_of_the_small_transformer(corpus: Path) -> None:
    found = recognised(corpus / "ai-by-hand" / "Transformer.xlsx")
    small = {other.place.rect.a1: other.kind for other in found.others if other.place.sheet == 0}
    assert small == {
        "J12:N15": "linear",
        "J18:N20": "linear",
        "P18:T20": "relu",
        "P23:T26": "linear",
        "V23:Z26": "relu",
    }
