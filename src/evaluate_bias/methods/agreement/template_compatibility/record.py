"""What the library knows about template_compatibility."""

from ....method_record import MethodRecord
from ... import record_parts as parts

RECORD = MethodRecord(
    name="template_compatibility",
    revision=5,
    title="Template compatibility",
    summary=(
        "Mean correlation of the association scores that different templates give to the same subsets of words."
    ),
    **parts.compatibility_of("template", "templates"),
)
