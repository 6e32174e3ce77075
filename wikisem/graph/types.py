"""What the arrays of the class graph are, for type checkers and readers."""

from typing import Any

import numpy as np
import numpy.typing as npt

# Places of nodes or items, of any width of whole number.
Ints = npt.NDArray[np.integer[Any]]
# Offsets, item numbers and places that must not overflow.
Index = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
# Sets of up to 64 classes, one bit a class.
Words = npt.NDArray[np.uint64]
