"""KoBBQ (Jin et al. 2024): BBQ items for Korea, the evaluation set."""

from .._bbq_relatives import bbq_relative

RECORD = bbq_relative(
    name="kobbq",
    title="KoBBQ",
    caveats=("The items describe stereotypes of South Korea.",),
    pretty_name="KoBBQ: BBQ for Korean, the evaluation set",
    size_category="1K<n<10K",
    papers=("https://arxiv.org/abs/2307.16778",),
    repository="naver-ai/KoBBQ",
    commit="0dd165aeaaacd1bd46c63513a9b2e9875eb6dce7",
    licence="mit",
    rights="Copyright 2024-present NAVER Cloud Corp.",
    files={
        "ko": {
            "data/KoBBQ_test_samples.tsv": "6eacb1c0ff995c74b26183d368c500193454b7bf96a2a0f9462641e57972aab7",
        },
    },
)
