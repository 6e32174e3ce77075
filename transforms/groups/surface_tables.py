"""The table of a language's surface forms for the groups stage, its counts of affixes, and its profile."""

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import chain
from typing import Final

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow.parquet import read_parquet, read_row_groups, write_parquet
from wikisem.files import open_binary, replace_file
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import CsrRows, Flags, Ints
from wikisem.graph.outlier_sets.class_lists import CandidateClasses, PageLinks, candidate_classes
from wikisem.graph.outlier_sets.overlap import LEADING
from wikisem.graph.store import open_arrays, save_arrays
from wikisem.heuristics.rules.affix import AffixCounts, count_affixes
from wikisem.heuristics.rules.stop_affixes import common_affixes
from wikisem.heuristics.selection.pool import in_range
from wikisem.layout import profile_path, siteinfo_path
from wikisem.sampling import hash_keys
from wikisem.surfaces.table import (
    COLUMNS,
    SOURCES,
    HashedNames,
    SurfaceForms,
    SurfaceTable,
    hash_texts,
    mean_their_items,
)
from wikisem.transforms.groups.shared_files import GroupWork, SurfaceCount
from wikisem.transforms.io.counts import read_json
from wikisem.transforms.mentions import read_link_letters
from wikisem.wikipedia import learning
from wikisem.wikipedia.languages import language_profile
from wikisem.wikipedia.siteinfo import SiteInfo

# Surface forms from Parquet to the table that workers map into memory.

# How many surface forms show the script of a language that wikisem.wikipedia.languages does not know.
SAMPLE: Final = 10_000


def read_surfaces(part: tuple[str, int, Sequence[str]], work: GroupWork) -> tuple[str, int]:
    """Read a part of the surface files, (language, number, paths), into arrays; returns (language, number)."""
    language, number, paths = part
    table = pa.concat_tables(table for path in paths for table in read_row_groups(path, COLUMNS))
    surfaces = SurfaceTable.of_table(table, open_arrays(ClassGraph, work.taxonomy))
    save_arrays(surfaces, work.scratch.surface_part(language, number))
    return language, number


def index_surfaces(parts_of: tuple[str, Iterable[int]], work: GroupWork) -> tuple[None, str]:
    """Write the candidate classes of a language from all its parts, and a table of the surface forms that it needs.

    The number of all surface forms is written, too, and if the recipe needs them, the shapes of forms and the counts of
    affixes. Each step opens what it reads, so that no more than that is mapped at any time.
    """
    language, scratch, recipe = parts_of[0], work.scratch, work.recipe
    parts = [scratch.surface_part(language, number) for number in sorted(parts_of[1])]
    graph = open_arrays(ClassGraph, work.taxonomy)
    has_surface = _has_surface(parts, work.surfaces[language], graph, recipe.surface.minimum_page_share)
    classes = _find_candidates(work, graph, parts, has_surface)
    # Besides the leading instances of candidate classes: the first of all, which show the language's script.
    needed = np.zeros(len(has_surface), dtype=bool)
    needed[classes.leading.targets] = True
    needed[np.flatnonzero(has_surface)[:SAMPLE]] = True
    minimum = recipe.outliers.min_sitelinks  # outliers have at least this many
    needed_parts = [
        part.take(np.flatnonzero(has_surface[part.items] & (needed[part.items] | (part.sitelinks >= minimum))))
        for part in map(_open, parts)
    ]
    table = SurfaceTable.merge(needed_parts)
    rows = np.searchsorted(table.items, classes.leading.targets).astype(np.uint32)
    save_arrays(CandidateClasses(classes.nodes, CsrRows(classes.leading.offsets, rows)), scratch.candidates(language))
    save_arrays(table, scratch.surfaces(language))
    if recipe.outliers.places:
        save_arrays(SurfaceForms.of(table), scratch.forms(language))
    count = SurfaceCount(sum(len(_open(part)) for part in parts), int(has_surface.sum()))
    replace_file(scratch.surface_count(language), msgspec.json.encode(count))
    if recipe.filters.affix == "surprise":
        every = np.uint64(1 + count.every // AFFIX_SAMPLE)
        # Not by the recipe's seed: which clusters begin or end alike must not depend on it.
        samples = (part.texts(np.flatnonzero(hash_keys(0, part.numbers) % every == 0)) for part in map(_open, parts))
        write_affixes(scratch.affixes(language), count_affixes(chain.from_iterable(samples)))
    return None, language


def _find_candidates(work: GroupWork, graph: ClassGraph, parts: Sequence[str], has_surface: Flags) -> CandidateClasses:
    """The candidate classes of a language, of those that the recipe names if it names any, with items of the graph."""
    cluster, outliers = work.recipe.cluster, work.recipe.outliers
    may_lead = has_surface & in_range(graph.items, work.recipe.items, "clusters")
    if cluster.fame != "all":  # outliers are to be as well known as members, or as little
        may_lead &= graph.sitelinks >= outliers.min_sitelinks
    # Some of the first may be of another level, contradict themselves, break a rule together, or have no evidence.
    looks_on = outliers.certificate or work.recipe.filters.replace or cluster.coherence is not None
    most = LEADING if looks_on else cluster.size
    is_local = cluster.prominence == "local"
    links = PageLinks.of((part.items, part.totals) for part in map(_open, parts)) if is_local else None
    classes = candidate_classes(graph, may_lead, cluster.minimum, most, cluster.fame, links)
    if work.chosen is None:
        return classes
    rows = np.flatnonzero(np.isin(graph.nodes[classes.nodes], work.chosen))
    return CandidateClasses(classes.nodes[rows], classes.leading.take(rows))


def _has_surface(parts: Sequence[str], folder: str, graph: ClassGraph, least: float) -> Flags:
    """Which of the items of the graph have a surface form that means them.

    The links of the wiki have said so of an anchor. A label or a title counts if its item has the share ``least`` of
    the sitelinks of all items with the same surface form, or with the same label or alias in ``folder``.
    """
    means = _column(parts, "sources") == SOURCES.index("anchor")
    if least and not means.all():
        # A part at a time, so that no more than its surface forms is mapped.
        surfaces = HashedNames(np.concatenate([hash_texts(_open(part)) for part in parts]), _column(parts, "sitelinks"))
        others = HashedNames.by_others(folder, surfaces, _column(parts, "items"), graph)
        means |= mean_their_items(surfaces, others, least)
        del surfaces, others
    else:
        means[:] = True
    has_surface = np.zeros(len(graph.items), dtype=bool)
    has_surface[_column(parts, "items")[means]] = True
    return has_surface


def _column(parts: Sequence[str], name: str) -> Ints:
    """One array of all parts."""
    return np.concatenate([getattr(_open(part), name) for part in parts])


_open = partial(open_arrays, SurfaceTable)

# The affixes of a language's surface forms, counted once and kept beside its other inputs.

# One row for each affix; the empty one, which all surface forms have at both sides, says how many these are.
AFFIX_COLUMNS: Final = pa.schema([("side", pa.string()), ("affix", pa.string()), ("count", pa.int64())])
_NO_AFFIX: Final = ""
# If a language has more surface forms, about this many of them are read: what four of eight may share is 700 of them,
# give or take 26.
AFFIX_SAMPLE: Final = 200_000


def write_affixes(path: str, counts: AffixCounts) -> None:
    """Write the counts as Parquet."""
    sides = {"beginning": counts.beginnings, "end": counts.ends}
    rows = [("", _NO_AFFIX, counts.total)]
    rows += [(side, affix, count) for side, known in sides.items() for affix, count in sorted(known.items())]
    write_parquet(path, pa.table([list(column) for column in zip(*rows, strict=True)], schema=AFFIX_COLUMNS))


def read_affixes(path: str) -> AffixCounts:
    """The counts that ``write_affixes`` wrote."""
    rows = zip(*(column.to_pylist() for column in read_parquet(path).columns), strict=True)
    by_side: dict[str, dict[str, int]] = {"": {}, "beginning": {}, "end": {}}
    for side, affix, count in rows:
        by_side[side][affix] = count
    return AffixCounts(by_side[""][_NO_AFFIX], by_side["beginning"], by_side["end"])


# The profile of a language, from its wiki, its surface forms, the titles of its list articles, and its file.


def read_profile(work: GroupWork, language: str) -> learning.FoundProfile:
    """The profile that the rules use in a language, with where each of its values is from.

    Without mentions, in a language of labels, neither the wiki's site information nor the letters at its links are
    known.
    """
    scratch, mentions, text = work.scratch, work.mentions.get(language), work.profiles.get(language)
    site, links = None, learning.LinkLetters()
    if mentions is not None:
        path = siteinfo_path(mentions)
        with open_binary(path) as source:
            site = SiteInfo.from_json(source.read(), path)
        links = read_link_letters(mentions)
    table = open_arrays(SurfaceTable, scratch.surfaces(language))
    surfaces = list(table.texts(np.arange(min(SAMPLE, len(table)))))
    titles = read_parquet(scratch.own_titles(language))
    lists, others = (titles.filter(flag)["title"].to_pylist() for flag in (titles["list"], pc.invert(titles["list"])))
    spaced = language_profile(language, sample=surfaces).spaced
    count: SurfaceCount = read_json(scratch.surface_count(language), SurfaceCount)
    evidence = learning.Evidence(links, surfaces, count.clear, common_affixes(lists, others, spaced), len(set(lists)))
    given = None if text is None else learning.read_profile_file(text, profile_path(language))
    return learning.find_profile(language, site=site, evidence=evidence, given=given)


def write_profile(work: GroupWork, language: str) -> None:
    """Write the profile file of a language: as it was given or edited, else what was found."""
    text = work.profiles.get(language)
    if text is None:
        text = learning.write_profile_file(language, read_profile(work, language))
    replace_file(f"{work.scratch.finished}/{profile_path(language)}", text.encode())
