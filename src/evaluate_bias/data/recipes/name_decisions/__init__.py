"""Cases of hiring and service with a name to fill in, written for this project and published nowhere."""

from dataclasses import replace

from .._shared import illustrative

_RECORD = illustrative("name_decisions", "Decisions about names packaged with evaluate-bias")
RECORD = replace(
    _RECORD,
    caveats=(
        *_RECORD.caveats,
        "A name suggests more than a group, such as an age or a class; the names are of the United States.",
    ),
)
