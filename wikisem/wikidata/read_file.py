"""One Wikidata dump file as an Arrow table in memory: the rows that the entities stage writes, without Beam."""

from collections.abc import Callable, Iterator, Sequence
from os import PathLike, fspath
from typing import Final, Literal

import numpy as np
import pyarrow as pa

from wikisem.arrow.numbers import is_in, repeated
from wikisem.arrow.qids import qid_numbers
from wikisem.dumps import plan_ranges, read_ranges
from wikisem.errors import DamagedInputError, MissingInputError
from wikisem.ids import check_language, check_property
from wikisem.records import Reject, report_reject
from wikisem.schemas import ENTITIES
from wikisem.wikidata.chunk_reader import ChunkReader, check_head
from wikisem.wikidata.entity_reader import EntityReader
from wikisem.wikidata.item_values import Fields
from wikisem.wikidata.selection import duplicate_rows, edge_targets, superseded_rows

STAGE: Final = "entities"


def read_entities(
    path: str | PathLike[str],
    *,
    labels: Sequence[str] | None = None,
    properties: Sequence[str] = (),
    ranks: Literal["best", "not-deprecated"] = "best",
    on_reject: Callable[[Reject], object] | None = None,
) -> pa.Table:
    """Read one Wikidata dump file (.json, .gz, .bz2, .zst) into a table of ``schemas.ENTITIES``, in order of QID.

    Kept are the items that have P31 or P279 or are the target of either, each in its latest revision. ``labels`` are
    the languages whose labels are kept, beside ``mul`` (None: all); ``properties`` those whose statements are.
    ``on_reject`` is called with each record that could not be read; without it, the first one raises
    DamagedInputError. MissingInputError if there is no file, DamagedInputError also where a file holds no item.
    """
    fields = Fields(
        None if labels is None else tuple(map(check_language, labels)), tuple(map(check_property, properties)), ranks
    )
    chunks = ChunkReader(EntityReader(fields), linked_only=False, stage=STAGE)
    parts = list(_tables(fspath(path), chunks, on_reject))
    if not parts:
        raise DamagedInputError(f"{fspath(path)}: expected items of a Wikidata JSON dump, saw none")
    rows = pa.concat_tables([table for _, table in parts])
    certain = np.concatenate([np.full(table.num_rows, certainty == "certain") for certainty, table in parts])
    superseded = superseded_rows(duplicate_rows(rows, repeated([qid_numbers(rows["qid"])])), "row")["row"].to_numpy()
    latest = np.delete(np.arange(rows.num_rows), superseded)
    rows, certain = rows.take(pa.array(latest)), certain[latest]
    numbers = qid_numbers(rows["qid"])
    kept = np.flatnonzero(certain | is_in(numbers, edge_targets(rows)))
    return rows.take(pa.array(kept[np.argsort(numbers[kept])])).cast(ENTITIES).combine_chunks()


def _tables(
    path: str, chunks: ChunkReader, on_reject: Callable[[Reject], object] | None
) -> Iterator[tuple[str, pa.Table]]:
    reported = 0
    try:
        ranges = plan_ranges(path)
        closing = check_head(ranges)
        for chunk in read_ranges(ranges, closing=closing):
            yield from chunks.read(chunk)
            for reject in chunks.rejects[reported:]:
                report_reject(reject, on_reject)
            reported = len(chunks.rejects)
    except FileNotFoundError as error:
        raise MissingInputError(f"expected a dump file, saw none at {path}") from error
    yield from chunks.finish()
