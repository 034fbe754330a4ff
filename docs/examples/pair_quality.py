# /// script
# requires-python = ">=3.11"
# dependencies = ["evaluate-bias[models]"]
# ///
"""How many pairs of every data set have a flag, and how far a score moves without them."""

from collections import Counter

import evaluate_bias as eb
from evaluate_bias.data import load_bec_pro, load_sentence_pairs, load_stereoset
from evaluate_bias.data.pair_flags import FLAGS, pair_flags
from evaluate_bias.data.sentence_pairs import load_pronoun_pairs

crows = load_sentence_pairs("crows_pairs")
sets = {
    "CrowS-Pairs, en": crows,
    "StereoSet, intrasentence": load_stereoset("stereoset", task="intrasentence"),
    "WinoBias, test": load_pronoun_pairs("winobias"),
    "Winogender": load_pronoun_pairs("winogender"),
    "packaged pairs, en": load_sentence_pairs(),
    "packaged pairs, es": load_sentence_pairs(language="es"),
    "packaged pairs, zh": load_sentence_pairs(language="zh"),
}
flags = {name: [row.flags for row in rows] for name, rows in sets.items()}

# BEC-Pro has one sentence a row: two of one template, profession and pair of person words make a pair.
sentences = {}
for row in load_bec_pro("en"):
    key = row.template, row.profession_en, row.pair
    sentences.setdefault(key, {})[row.gender] = row.sentence
flags["BEC-Pro, en"] = [pair_flags(pair["female"], pair["male"]) for pair in sentences.values()]

shown = [flag for flag in FLAGS if flag != "token_count"]
print(f"{'':26}{'pairs':>6}{'any':>5}" + "".join(f"{flag:>18}" for flag in shown))
for name, found in flags.items():
    counts = Counter(flag for own in found for flag in own)
    cells = "".join(f"{counts[flag]:>18}" for flag in shown)
    print(f"{name:26}{len(found):>6}{sum(map(bool, found)):>5}" + cells)

model = eb.load_model("demo-mlm-en")
tokens = model.tokenizer.tokenize
unequal = sum("token_count" in pair_flags(p.sent_more, p.sent_less, tokenize=tokens) for p in crows)
print(f"\n{unequal} of {len(crows)} pairs of CrowS-Pairs have different numbers of tokens of {model.name}")

result = eb.measure("aul", model, data=crows)
share = result.estimates["score_without_ties"].value
print(f"\nAUL of {model.name}: {share:.1f} % of the decided pairs")
print(f"{'without':18}{'flagged':>8}{'left':>6}{'score':>7}{'change':>8}  95% interval")
for row in eb.flag_effects(result, crows):
    change = row.estimates["change"]
    print(
        f"{row.name:18}{row.details['n_flagged']:>8}{row.n:>6}{row.score:>7.1f}{change.value:>+8.2f}"
        f"  {change.low:+.2f} to {change.high:+.2f}"
    )
