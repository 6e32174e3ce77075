"""What keeps a set apart from training data: a canary in every file, and a half of the classes that is held back."""

import hashlib
import hmac
import uuid
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Final

import orjson

from wikisem.outputs.groupfile import encode_group
from wikisem.records import Group

# By the suffix of a file, or the name of one without: how a line of it is a comment.
_COMMENTS: Final = {
    **dict.fromkeys((".cff", ".gitignore", ".py", ".toml", ".yaml"), "# {}\n"),
    **dict.fromkeys((".html", ".md"), "<!-- {} -->\n"),
    ".js": "// {}\n",
    "LICENSE": "\n{}\n",
}
_AT_THE_END: Final = frozenset({".html", ".md", "LICENSE"})


def canary_of(groups: Mapping[str, Sequence[Group]], seed: int) -> str:
    """Write the canary of a set: a sentence to search training data for, whose GUID is a digest of the groups."""
    digest = hashlib.sha256(str(seed).encode())
    for code in sorted(groups):
        for group in groups[code]:
            digest.update(encode_group(group))
    guid = uuid.UUID(bytes=digest.digest()[:16], version=4)
    return f"This is test data of wikisem; do not train on it. Canary GUID {guid}"


def with_canary(name: str, data: bytes, canary: str) -> bytes:
    """Add the canary to a file of text, as a comment or, in JSON lines, as a key of the first.

    Parquet and JSON have it in their metadata, and the held halves of earlier releases are not changed.
    """
    path = PurePosixPath(name)
    if path.parts[0] == HELD:
        return data
    if path.suffix == ".jsonl":
        return b'{"canary":' + orjson.dumps(canary) + b"," + data.removeprefix(b"{")
    kind = path.suffix or path.name
    comment = _COMMENTS.get(kind, "").format(canary).encode()
    return data + comment if kind in _AT_THE_END else comment + data


# The held half. HELD is the folder of a release with those of earlier ones.
HELD: Final = "held"


def is_held(qid: str, secret: bytes) -> bool:
    """Test whether a class is held back; the secret alone decides, so that a class stays on its side."""
    return bool(hmac.digest(secret, qid.encode(), "sha256")[0] & 1)


def held_file(groups: Mapping[str, Sequence[Group]], secret: bytes, canary: str) -> bytes:
    """Encode held groups as JSON lines; the first has the canary, and a nonce without which the hash could be guessed.

    All groups follow from public dumps, so that without the nonce the SHA-256 would show which are held.
    """
    lines = b"".join(encode_group(group) for code in sorted(groups) for group in groups[code])
    nonce = orjson.dumps(hmac.digest(secret, b"nonce", "sha256").hex())
    return with_canary("groups.jsonl", b'{"nonce":' + nonce + b"," + lines.removeprefix(b"{"), canary)
