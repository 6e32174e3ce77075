"""The test cases of a release as rows of their own, cases/<language>.parquet, and the prompts that ask for them."""

import hashlib
import io
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Any, Final, NamedTuple, TypeAlias

import pyarrow as pa

from wikisem.arrow.parquet import CheckedWriter
from wikisem.records import Group, Member, Outlier

# An outlier with the group whose cluster it is put into.
Case: TypeAlias = tuple[Group, Outlier]

# One row per test case; ``answer`` is the index of the outlier in ``choices``.
CASES: Final = pa.schema(
    [
        ("id", pa.string()),
        ("class", pa.string()),
        ("label", pa.string()),
        ("language", pa.string()),
        ("question", pa.string()),
        ("outlier_class", pa.int8()),
        ("choices", pa.list_(pa.string())),
        ("items", pa.list_(pa.string())),
        ("answer", pa.int8()),
        ("outlier", pa.string()),
        ("margin", pa.float64()),
        ("coherence", pa.float64()),
    ]
)


def cases_of(groups: Iterable[Group]) -> list[Case]:
    """List all cases of groups, in the order of the groups."""
    return [(group, outlier) for group in groups for outlier in group.outliers]


def cases_table(cases: Sequence[Case], seed: int) -> pa.Table:
    """Build the table, of schema ``CASES``, of test cases in one language."""
    return pa.Table.from_pylist(list(case_rows(cases, seed)), schema=CASES)


def case_rows(cases: Sequence[Case], seed: int) -> Iterable[dict[str, Any]]:
    """Yield a row for each case: the outlier among the cluster, in an order that gives nothing away.

    The index of the outlier is its rank modulo the number of choices, in a seeded order of all cases of that size, so
    that the frequencies of indices differ by one case at most. By a hash alone, one index had 18 to 20 % of the cases
    where each of nine should have 11 %. The cluster is also in a seeded order, which differs from case to case.
    """
    by_size: defaultdict[int, list[str]] = defaultdict(list)
    for group, outlier in cases:
        by_size[len(group.cluster) + 1].append(case_id(group, outlier))
    answers = {
        case: rank % size
        for size, names in by_size.items()
        for rank, case in enumerate(sorted(names, key=lambda name: seeded_key(seed, "place", name)))
    }
    for group, outlier in cases:
        case = case_id(group, outlier)
        members: list[Member] = sorted(group.cluster, key=lambda member: seeded_key(seed, "word", case, member.id))
        members.insert(answers[case], outlier)
        yield {
            "id": case,
            "class": group.qid,
            "label": group.label,
            "language": group.language,
            "question": prompt_in(group.language).question,
            "outlier_class": outlier.outlier_class,
            "choices": [member.surface for member in members],
            "items": [member.id for member in members],
            "answer": answers[case],
            "outlier": outlier.surface,
            "margin": outlier.margin,
            "coherence": group.coherence,
        }


def case_id(group: Group, outlier: Outlier) -> str:
    """Name a test case by language, class and outlier: the same name in every release that has the case."""
    return f"{group.language}-{group.qid}-{outlier.id}"


def seeded_key(seed: int, *parts: str) -> bytes:
    """Hash the seed and the strings to a key; sorting by keys shuffles."""
    return hashlib.blake2b("\x1f".join([str(seed), *parts]).encode(), digest_size=16).digest()


def parquet_bytes(table: pa.Table, metadata: Mapping[str, str]) -> bytes:
    """Encode a table as a Parquet file with key-value metadata; the same bytes every time."""
    about = {**(table.schema.metadata or {}), **{key.encode(): value.encode() for key, value in metadata.items()}}
    table = table.replace_schema_metadata(about)
    sink = io.BytesIO()
    writer = CheckedWriter(sink, table.schema)
    writer.write(table)
    writer.close()
    return sink.getvalue()


# What language models are asked, in the language of the words: prompts.toml, read once.


class Prompt(NamedTuple):
    """The question, the word before the answer, and the request to answer with one of ``{answers}`` alone."""

    question: str
    answer: str
    request: str


_DATA: Final[dict[str, Any]] = tomllib.loads(files(__package__).joinpath("prompts.toml").read_text(encoding="utf-8"))
PROMPTS: Final = {code: Prompt(*texts) for code, texts in _DATA["languages"].items()}
# Phrasings of the English question; the first is that of PROMPTS["en"].
ENGLISH: Final[tuple[str, ...]] = tuple(_DATA["english"])
SOURCE: Final = f"{_DATA['source']} ({_DATA['date']})"


def prompt_in(language: str) -> Prompt:
    """Look up the prompt for groups of a language; English for a mix of languages and for those without one.

    >>> prompt_in("de").question, prompt_in("de+ja").question
    ('Welches Wort passt nicht zu den anderen?', 'Pick the odd word out.')
    """
    return PROMPTS.get(language, PROMPTS["en"])
