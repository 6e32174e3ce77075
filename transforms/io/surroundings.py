"""The surroundings of a wiki's links in the folder of its mentions, where the stages after it find them."""

import orjson

from wikisem.transforms.io.files import create_binary, list_files, open_binary
from wikisem.typed_json import decode_json
from wikisem.wikipedia.link_surroundings import LinkSurroundings


def write_surroundings(folder: str, found: LinkSurroundings) -> None:
    """Write them beside the mentions."""
    with create_binary(_path(folder)) as sink:
        sink.write(orjson.dumps(found.to_plain()))


def read_surroundings(folder: str) -> LinkSurroundings:
    """Read them; none where mentions were counted without."""
    if not list_files(_path(folder)):
        return LinkSurroundings()
    with open_binary(_path(folder)) as source:
        return decode_json(source.read(), LinkSurroundings, _path(folder), "the surroundings of links")


def _path(folder: str) -> str:
    return f"{folder}/surroundings.json"
