# The types of the bzip2 decoder in C (native/module.c, which also describes them). There is no such module where it
# could not be compiled.
from typing import Literal, final

from _typeshed import ReadableBuffer

@final
class BlockDecoder:
    def __new__(cls, *, portable: bool = False) -> BlockDecoder: ...
    def decode(self, data: ReadableBuffer, bit: int, /) -> tuple[bytes, int]: ...
    @property
    def instructions(self) -> Literal["avx2", "portable"]: ...

def find_marks(data: ReadableBuffer, mark: int, /) -> list[int]: ...
