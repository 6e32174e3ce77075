"""Pseudorandom choices that depend on the seed and the key only, not on a worker, the order of arrival or the run.

``h(seed, n)`` is the SplitMix64 finaliser (Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
OOPSLA 2014; constants as in Vigna's public-domain splitmix64.c) applied to the seed, then to the seed's hash plus n
steps of the golden-ratio increment. It is a bijection in n for every seed, so that no two items ever share a hash key.

A hash *domain* separates choices that would otherwise be the same. The class Q5 and the item Q5 have the same number:
in one domain the class would start on the ring at the place of its own item, and take it whenever it can.
"""

from typing import Final, Literal

import numpy as np
import numpy.typing as npt

_INCREMENT: Final = np.uint64(0x9E3779B97F4A7C15)
_FIRST: Final = np.uint64(0xBF58476D1CE4E5B9)
_SECOND: Final = np.uint64(0x94D049BB133111EB)

Domain = Literal["item", "class", "place", "wall"]
# Steps of the increment that lead from the hash of the seed to that of the domain; items have that of the seed itself.
_DOMAIN_STEPS: Final[dict[Domain, int]] = {"item": 0, "class": 1, "place": 2, "wall": 3}


def _mix(z: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    z = (z ^ (z >> np.uint64(30))) * _FIRST
    z = (z ^ (z >> np.uint64(27))) * _SECOND
    return z ^ (z >> np.uint64(31))


def hash_keys(seed: int, numbers: npt.ArrayLike, domain: Domain = "item") -> npt.NDArray[np.uint64]:
    """h(seed, domain, n) for numbers of shape ``(n,)``, as uint64 of the same shape."""
    base = _mix(np.asarray([seed % 2**64], dtype=np.uint64) + _INCREMENT)
    if steps := _DOMAIN_STEPS[domain]:
        base = _mix(base + np.uint64(steps * int(_INCREMENT) % 2**64))
    return _mix(base + np.asarray(numbers).astype(np.uint64) * _INCREMENT)


def hash_key(seed: int, number: int, domain: Domain = "item") -> int:
    """h(seed, domain, n) of one number, as a Python integer."""
    return int(hash_keys(seed, [number], domain)[0])
