# /// script
# requires-python = ">=3.11"
# dependencies = ["evaluate-bias", "scikit-learn"]
# ///
"""From texts to a TPR gap: a linear classifier of professions on the packaged synthetic biographies."""

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import evaluate_bias as eb
from evaluate_bias.data.predictions import load_profession_bios

train, test = (load_profession_bios(split) for split in ("train", "test"))
classifier = make_pipeline(TfidfVectorizer(), LogisticRegression(max_iter=1_000))
classifier.fit([row.text for row in train], [row.profession for row in train])
predictions = classifier.predict([row.text for row in test])

rows = [
    {"predictions": prediction, "references": row.profession, "groups": row.gender}
    for prediction, row in zip(predictions, test, strict=True)
]
result = eb.measure("tpr_gap", None, data=rows)

print(f"mean gap {result.score:.2f}, by chance {result.ideal:.2f}, p = {result.p_value:.4f}")
print(f"95% interval {result.ci_low:.2f} to {result.ci_high:.2f}")
for key in ("rms_gap", "max_gap"):
    print(f"{key} {result.estimates[key].value:.2f}")
print(f"{'class':<18} women   men    gap   adjusted p")
for row in result.rows_of("group"):
    rates = row.details["tpr"]
    print(f"{row.name:<18} {rates['female']:.2f}    {rates['male']:.2f}   {row.score:.2f}   {row.p_holm:.4f}")
