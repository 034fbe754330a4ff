"""CaBBQ (Ruiz-Fernández et al. 2025): BBQ items for Spain, in Catalan."""

from .._bbq_relatives import bbq_relative

RECORD = bbq_relative(
    name="cabbq",
    title="CaBBQ",
    caveats=(
        "The items describe stereotypes of Spain.",
        'The published items have a mark for the unknown option; "No se sap" stands for it here, and another '
        "wording can give another score.",
    ),
    pretty_name="CaBBQ: BBQ for Catalan",
    size_category="10K<n<100K",
    papers=("https://arxiv.org/abs/2507.11216",),
    repository="langtech-bsc/EsBBQ-CaBBQ",
    commit="ee2e0f6123f718b735fc445d368d92acd2c223be",
    licence="apache-2.0",
    rights="Language Technologies Lab at the Barcelona Supercomputing Center: EsBBQ and CaBBQ, "
    "https://github.com/langtech-bsc/EsBBQ-CaBBQ",
    unknown="No se sap",
    files={
        "ca": {
            "data_ca/Age.full.csv": "da477fc5c6897ee3424204c396cec66b92b85ff615b122c93fdd054dda9b0d09",
            "data_ca/DisabilityStatus.full.csv": "44ce612d6cd03d0cd10bc27d4c5cbb0495a7a1fa84aaf1f3f04dad2a6f28b4f8",
            "data_ca/Gender.full.csv": "35aea9aeefd666965026ef1b7d02f53959cc9ec2b548d5227914526d9396035d",
            "data_ca/LGBTQIA.full.csv": "89a531f80e0e1d875c4efec64390bcede78ca30a3c8f2aeaba9300b6c020b1f7",
            "data_ca/Nationality.full.csv": "3d586021e8d00ed005fc3ddcf66df6b8d2deec2b7d1e771bc9136b1287e64ae2",
            "data_ca/PhysicalAppearance.full.csv": (
                "f48c9e288feb01a7fc84a5a7022ceb88dec88da615bdf3c3ba011ecf5e77cb88"
            ),
            "data_ca/RaceEthnicity.full.csv": "5f6869eb397d56730921adf1eeec1abb25a4dcf3a541175295c46b5151c2bec9",
            "data_ca/Religion.full.csv": "ff2bdbcaecb2ad96558f961edd671b209447a2cd21802d069530eb9216e789b2",
            "data_ca/SES.full.csv": "b2d4880f5d7aaeb96033b97051f30b8259b397b65326100d331dd15b45428b38",
            "data_ca/SpanishRegion.full.csv": "efe6aac654ddd8b1a154d5c5f69186c2c5b6ce411978863f0881fc3f3cd37be4",
        },
    },
)
