"""EsBBQ (Ruiz-Fernández et al. 2025): BBQ items for Spain, in Spanish."""

from .._bbq_relatives import bbq_relative

RECORD = bbq_relative(
    name="esbbq",
    title="EsBBQ",
    caveats=(
        "The items describe stereotypes of Spain.",
        'The published items have a mark for the unknown option; "No se sabe" stands for it here, and another '
        "wording can give another score.",
    ),
    pretty_name="EsBBQ: BBQ for Spanish",
    size_category="10K<n<100K",
    papers=("https://arxiv.org/abs/2507.11216",),
    repository="langtech-bsc/EsBBQ-CaBBQ",
    commit="ee2e0f6123f718b735fc445d368d92acd2c223be",
    licence="apache-2.0",
    rights="Language Technologies Lab at the Barcelona Supercomputing Center: EsBBQ and CaBBQ, "
    "https://github.com/langtech-bsc/EsBBQ-CaBBQ",
    unknown="No se sabe",
    files={
        "es": {
            "data_es/Age.full.csv": "05fd57cf59460c9a2a3d96b49f1377a1a5bd8cf13daac87e1ff13d851b473c1c",
            "data_es/DisabilityStatus.full.csv": "d9fcc40a97d8f8fc081d6733dcff262c37f1b771076c84020429cbd28302e2a0",
            "data_es/Gender.full.csv": "340242eabe1133de12e4f5496c547cdd78e7a7bb4c6514b21b48cae0fdc362e0",
            "data_es/LGBTQIA.full.csv": "4008b83ea7fcb3e4400667ea501501fed1e8eed4c5fe7064e65361476d793b39",
            "data_es/Nationality.full.csv": "1c95c5ad8b0cf7f93848aa156d9a3ddba8ec330a1078633df750ccabbc259ea3",
            "data_es/PhysicalAppearance.full.csv": (
                "920cdfd8814470ff3204eacbb36c5cd5376b12a3cbeafca4812318c1f26bbe5a"
            ),
            "data_es/RaceEthnicity.full.csv": "c9fd61928e9f5d86ac8081274e9f6e622725742c89a94a0ad25b14e14290e21d",
            "data_es/Religion.full.csv": "4f224a33a744217651e62b95d9c5a2ed2eb1c9ddb694d42b37af715221542b71",
            "data_es/SES.full.csv": "64164f05bf6ab7ceea00a35d465c2cf8bf7364c7045131c2136d8aab49bd4270",
            "data_es/SpanishRegion.full.csv": "cc9d1ad1dbb0e4dbefcd10205f3cb764d0ea53f64b82c2c03dd3cbe0ba9d1002",
        },
    },
)
