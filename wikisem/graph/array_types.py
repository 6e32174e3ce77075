"""What the arrays of the class graph hold, for type checkers and readers."""

from typing import Any

import numpy as np
import numpy.typing as npt

# Indices of nodes or items, in any integer width.
Ints = npt.NDArray[np.integer[Any]]
# Offsets, item numbers and indices that must not overflow.
Int64s = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
# Sets of up to 64 classes each, one bit a class.
Bitsets = npt.NDArray[np.uint64]
