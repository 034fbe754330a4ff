"""Types of arrays."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]
"""Numbers of double precision, of any shape."""

RealArray: TypeAlias = npt.NDArray[np.floating[Any]]
"""Numbers of whatever precision they are stored in, of any shape."""
