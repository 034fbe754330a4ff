"""What the library knows about representation_compatibility."""

from ....method_record import MethodRecord
from ...record_parts import compatibility_of

RECORD = MethodRecord(
    name="representation_compatibility",
    revision=5,
    title="Representation compatibility",
    summary=(
        "Mean correlation of the association scores that different representations of words give to the same subsets "
        "of words."
    ),
    **compatibility_of("representation", "representation"),
)
