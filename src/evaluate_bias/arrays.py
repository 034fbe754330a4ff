"""Types of arrays."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["FloatArray"]

FloatArray: TypeAlias = npt.NDArray[np.float64]
"""Numbers of double precision, of any shape."""
