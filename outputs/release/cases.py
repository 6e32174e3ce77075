"""The test cases of a release as rows of their own, cases/<language>.parquet, and the prompts that ask for them.

Of a set, test cases are asked, few-shot cases are shown, and classes are held back from training data. Few-shot cases
share no class, no item and no word with test cases. Clusters are made of well-known items: of five cases drawn at
random from the sample, at least one shares a class, an item or a word with a sixth in 26 % of draws in English and 87 %
in Korean (2026-11). A model could copy the answer.
"""

import hashlib
import hmac
import io
import uuid
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, Final, NamedTuple, TypeAlias

import orjson
import pyarrow as pa

from wikisem.arrow.parquet import CheckedWriter
from wikisem.outputs.groupfile import encode_group
from wikisem.records import Group, Member, Outlier
from wikisem.typed_json import packaged_tables

# An outlier with the group whose cluster it is put into.
Case: TypeAlias = tuple[Group, Outlier]

# What a model may be shown, one row per test case; ``answer`` is the index of the outlier in ``choices``. The names of
# cases and classes are hashes: an outlier is often the item with the number farthest from the others.
CASES: Final = pa.schema(
    [
        ("id", pa.string()),
        ("class", pa.string()),
        ("language", pa.string()),
        ("level", pa.string()),
        ("question", pa.string()),
        ("outlier_class", pa.int8()),
        ("choices", pa.list_(pa.string())),
        ("answer", pa.int8()),
        ("margin", pa.float64()),
        ("coherence", pa.float64()),
    ]
)
# What gives a case away, by its ``id``: the item and the label of its class, the items of ``choices``, the outlier.
ITEMS: Final = pa.schema(
    [
        ("id", pa.string()),
        ("language", pa.string()),
        ("class_item", pa.string()),
        ("label", pa.string()),
        ("items", pa.list_(pa.string())),
        ("outlier", pa.string()),
    ]
)


def cases_of(groups: Iterable[Group]) -> list[Case]:
    """List all cases of groups, in the order of the groups."""
    return [(group, outlier) for group in groups for outlier in group.outliers]


def case_rows(cases: Sequence[Case], seed: int) -> list[dict[str, Any]]:
    """List a row, of ``CASES`` and ``ITEMS``, for each case: the outlier among the cluster, in a seeded order.

    All cases with the same number of choices take turns, in a seeded order: the outlier comes first, second, and so on.
    So each index is the answer equally often. By a hash alone, one of nine had 18 to 20 % of the cases, not 11 %. The
    cluster is also in a seeded order, which differs from case to case.
    """
    by_size: defaultdict[int, list[str]] = defaultdict(list)
    for group, outlier in cases:
        by_size[len(group.cluster) + 1].append(_name(group, outlier))
    answers = {}
    for size, names in by_size.items():
        for rank, name in enumerate(sorted(names, key=lambda name: seeded_key(seed, "place", name))):
            answers[name] = rank % size
    rows = []
    for group, outlier in cases:
        name = _name(group, outlier)
        members: list[Member] = sorted(group.cluster, key=lambda member: seeded_key(seed, "word", name, member.id))
        members.insert(answers[name], outlier)
        rows.append(
            {
                "id": case_id(group, outlier),
                "class": _hash(group.qid),
                "class_item": group.qid,
                "label": group.label,
                "language": group.language,
                "level": group.level,
                "question": prompt_in(group.language).question,
                "outlier_class": outlier.outlier_class,
                "choices": [member.surface for member in members],
                "items": [member.id for member in members],
                "answer": answers[name],
                "outlier": outlier.surface,
                "margin": outlier.margin,
                "coherence": group.coherence,
            }
        )
    return rows


def case_id(group: Group, outlier: Outlier) -> str:
    """Name a test case by its language and a hash: the same name in every release that has the case."""
    return f"{group.language}-{_hash(_name(group, outlier))}"


def _name(group: Group, outlier: Outlier) -> str:
    return f"{group.language}-{group.qid}-{outlier.id}"


def _hash(name: str) -> str:
    return hashlib.blake2b(name.encode(), digest_size=8).hexdigest()


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


class Prompt(NamedTuple):
    """What models are asked: a question, the word before the answer, the request to give one of ``{answers}`` alone."""

    question: str
    answer: str
    request: str


_DATA: Final = packaged_tables(__package__, "prompts.toml")
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


# The shots of a language: five, or one for every ten groups. No language may lose more than a third of its cases.
MOST_SHOTS: Final = 5
_GROUPS_A_SHOT: Final = 10
_MOST_LOST: Final = 1 / 3


class Split(NamedTuple):
    """The test cases and the few-shot cases of each language; those that are in neither share something with both."""

    test: Mapping[str, list[Case]]
    shots: Mapping[str, list[Case]]


def split_cases(groups: Mapping[str, Sequence[Group]], seed: int) -> Split:
    """Divide the cases of all languages into test cases and few-shot cases (shots), which share no class, item or word.

    Cases that share one with a shot are lost, so shots are taken from the classes that cost the fewest cases. A class
    with shots has no test case in any language. A language of fewer than ten groups has no shots.

    >>> from wikisem.records import Outlier
    >>> rivers = Group(id="Q4022", cluster=(Member(surface="Rhine"),), outliers=(Outlier(surface="Oslo"),))
    >>> split = split_cases({"en": [rivers]}, 500)
    >>> len(split.test["en"]), len(split.shots["en"])
    (1, 0)
    """
    every = {code: cases_of(of_language) for code, of_language in groups.items()}
    # Try five shots a language, then four, and so on, until no language loses too many test cases to them.
    for most in range(MOST_SHOTS, 0, -1):
        wanted = Counter({code: min(most, len(of_language) // _GROUPS_A_SHOT) for code, of_language in groups.items()})
        shots: dict[str, list[Case]] = {code: [] for code in groups}
        taken: set[str] = set()  # keys of the classes, items and words of shots
        for shots_of_class in _classes_by_cost(groups, wanted, seed) if wanted.total() else ():
            for code, case in shots_of_class.items():
                if wanted[code]:
                    wanted[code] -= 1
                    shots[code].append(case)
                    taken.update(_keys(*case))
        test = {}
        for code, of_language in groups.items():
            apart = cases_of(group for group in of_language if taken.isdisjoint(_keys(group)))
            test[code] = [(group, outlier) for group, outlier in apart if taken.isdisjoint(_member_keys(outlier))]
        if all(len(test[code]) >= (1 - _MOST_LOST) * len(cases) for code, cases in every.items()):
            return Split(test, shots)
    return Split(every, {code: [] for code in groups})


def _classes_by_cost(
    groups: Mapping[str, Sequence[Group]], wanted: Mapping[str, int], seed: int
) -> list[dict[str, Case]]:
    """Rank the classes by how many test cases a few-shot case (shot) of theirs costs, and return the shots of each.

    A class has one shot in each language that wants any. It costs all its own cases, and those of other classes that
    share a key with a shot: a string for a class, an item or a word. The cheapest classes come first.
    """
    by_class: defaultdict[str, dict[str, Group]] = defaultdict(dict)
    for code, of_language in groups.items():
        for group in of_language:
            by_class[group.qid][code] = group
    # In how many cases each key is: among those of one class, and in all.
    cases_of_class, cases_with = defaultdict[str, Counter[str]](Counter), Counter[str]()
    for qid, by_language in by_class.items():
        for group in by_language.values():
            for key in _keys(group):
                cases_of_class[qid][key] += len(group.outliers)
            for outlier in group.outliers:
                cases_of_class[qid].update(_member_keys(outlier))
        cases_with.update(cases_of_class[qid])
    # The shot of each class in each language, and what these cost together, per shot.
    ranked = []
    for qid, by_language in by_class.items():
        shots: dict[str, Case] = {}
        for code, group in by_language.items():
            if wanted[code]:
                # One outlier class is drawn, for the cheapest of all outliers would nearly always be of the same one.
                numbers = {outlier.outlier_class for outlier in group.outliers}
                drawn = min(numbers, key=lambda number: seeded_key(seed, "outlier class", qid, str(number)))
                outliers = [outlier for outlier in group.outliers if outlier.outlier_class == drawn]
                costs = [(sum(cases_with[key] for key in _member_keys(outlier)), outlier.id) for outlier in outliers]
                shots[code] = (group, outliers[costs.index(min(costs))])
        if shots:
            keys = {key for case in shots.values() for key in _keys(*case)}
            of_others = sum(cases_with[key] - cases_of_class[qid][key] for key in keys)  # one case may count twice
            cost = (cases_of_class[qid][f"class {qid}"] + of_others) / len(shots)
            ranked.append((cost, seeded_key(seed, "shots", qid), shots))
    return [shots for *_, shots in sorted(ranked, key=lambda row: row[:2])]


def _keys(group: Group, *outliers: Outlier) -> Iterator[str]:
    """Yield the class, the items and the words of a group or case, each as a string of its own."""
    yield f"class {group.qid}"
    for member in (*group.cluster, *outliers):
        yield from _member_keys(member)


def _member_keys(member: Member) -> Iterator[str]:
    if member.id:
        yield member.id
    yield f"word {member.surface.replace('_', ' ').casefold()}"


# What keeps a set apart from training data: a canary in every file, and a half of the classes that is held back.

# The folder of a release with the held halves of earlier ones.
HELD: Final = "held"
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
    """Add the canary, a sentence to search training data for, to a file: as a comment, or to JSON lines as a key.

    Of JSON lines the first gets it. Other formats, such as Parquet and JSON, have it in their metadata. Classes that
    earlier releases held back, in ``held/``, are not changed.
    """
    path = PurePosixPath(name)
    if path.parts[0] == HELD:
        return data
    if path.suffix == ".jsonl":
        return b'{"canary":' + orjson.dumps(canary) + b"," + data.removeprefix(b"{")
    kind = path.suffix or path.name  # ".md", or "LICENSE" for a file without a suffix
    comment = _COMMENTS.get(kind, "").format(canary).encode()
    return data + comment if kind in _AT_THE_END else comment + data


def is_held(qid: str, secret: bytes) -> bool:
    """Test whether a class is held back; the secret alone decides, so that a class stays on its side."""
    return bool(hmac.digest(secret, qid.encode(), "sha256")[0] & 1)
