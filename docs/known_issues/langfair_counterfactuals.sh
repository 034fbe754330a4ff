#!/usr/bin/env bash
# langfair 0.8.0, CounterfactualGenerator.create_prompts: "his" becomes "hers", "boyfriend" becomes "girfriend", and
# prompts with "girlfriend" are left out, since the list has "girfriend". Of "caucasian man" the order of a set makes
# "white man" or, because "asian man" is within it, "caucwhite man": prompts differ with PYTHONHASHSEED.
# word_tokenize is called with preserve_line, for which NLTK needs no downloaded model; texts of one sentence are the same.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check nltk==3.10.4 sacremoses==0.1.1 langchain-core==1.8.3 \
    tiktoken==0.11.0 rich==13.8.0
"$work/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps langfair==0.8.0
cat > "$work/prompts.py" <<'PY'
from functools import partial

from langfair.generator import counterfactual
from nltk.tokenize import word_tokenize

counterfactual.word_tokenize = partial(word_tokenize, preserve_line=True)
generator = counterfactual.CounterfactualGenerator()
gender = generator.create_prompts(["His boyfriend likes his job.", "My girlfriend is a nurse."], attribute="gender")
assert gender["female_prompt"] == ["hers girfriend likes hers job."], gender
race = generator.create_prompts(["The caucasian man works here."], attribute="race")
print(gender["female_prompt"], race["white_prompt"])
PY
for seed in 0 1 2 3 4 5 6 7; do
    PYTHONHASHSEED=$seed "$work/venv/bin/python" "$work/prompts.py" | tail -1
done | sort | uniq -c | tee "$work/outputs"
grep -q "'the white man works here.'" "$work/outputs"
grep -q "'the caucwhite man works here.'" "$work/outputs"
[ "$(wc -l < "$work/outputs")" = 2 ]
