"""What every method returns: a :class:`Result` with its :class:`Row` objects."""

from .result import SCHEMA_VERSION as SCHEMA_VERSION
from .result import Finding as Finding
from .result import Result as Result
from .result import format_p as format_p
from .result import set_presenters as set_presenters
from .row import FOLLOWS_OPTION_ORDER as FOLLOWS_OPTION_ORDER
from .row import NOTHING_TO_TEST as NOTHING_TO_TEST
from .row import OWN_PART as OWN_PART
from .row import RAW as RAW
from .row import SCORE_WITHOUT_TIES as SCORE_WITHOUT_TIES
from .row import Coverage as Coverage
from .row import Direction as Direction
from .row import Estimate as Estimate
from .row import Row as Row
from .row import Scored as Scored
from .row import Skipped as Skipped
from .row import option_order as option_order
from .sampled import Sampled as Sampled
