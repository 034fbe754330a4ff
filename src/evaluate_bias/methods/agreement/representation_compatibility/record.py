"""What the library knows about representation_compatibility."""

from ....method_record import MethodRecord
from ... import record_parts as parts

RECORD = MethodRecord(
    name="representation_compatibility",
    revision=5,
    title="Representation compatibility",
    summary=(
        "Mean correlation of the association scores that different representations of words give to the same subsets "
        "of words."
    ),
    **parts.compatibility_of("representation", "representation"),
)
