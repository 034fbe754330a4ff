"""What the library knows about template_compatibility."""

from ....method_record import MethodRecord
from ...record_parts import compatibility_of

RECORD = MethodRecord(
    name="template_compatibility",
    revision=5,
    title="Template compatibility",
    summary=(
        "Mean correlation of the association scores that different templates give to the same subsets of words."
    ),
    **compatibility_of("template", "templates"),
)
