"""The taxonomy and groups stages as pipelines, against the oracle on real classes."""

from pathlib import Path

import pytest

from tests.entity_files import dump_entities
from tests.oracle import OracleGraph
from tests.transforms.world_of_groups import bare, by_label, expected, read_built, run_stages
from wikisem.recipe import ClusterOptions, OutlierOptions, Recipe
from wikisem.records import Entity

LANGUAGES = ("en", "de", "es", "ru", "zh", "ar")
RECIPE = Recipe(
    "real",
    languages=LANGUAGES,
    cluster=ClusterOptions(max_groups=0),
    outliers=OutlierOptions(min_sitelinks=0, exclude="closure"),
)


def real_entities(realdata: Path) -> list[Entity]:
    """The class-graph slice and the genuine items together, each id once, the higher revision first."""
    files = ("class-graph-slice.json.gz", "real-entities.json.gz")
    both = [entity for name in files for entity in dump_entities(realdata / "wikidata" / name)]
    best: dict[str, Entity] = {}
    for entity in both:
        if entity.qid not in best or entity.lastrevid > best[entity.qid].lastrevid:
            best[entity.qid] = entity
    return list(best.values())


@pytest.mark.realdata
def test_real_groups_are_those_of_the_oracle(realdata: Path, tmp_path: Path) -> None:
    """On real classes, groups and reasons in six languages are the brute-force ones, member by member."""
    entities = real_entities(realdata)
    names = {language: by_label(entities, language) for language in LANGUAGES}
    done, counts = run_stages(tmp_path, entities, names, RECIPE, files=3)
    graph = OracleGraph(entities, RECIPE.graph)
    for language in LANGUAGES:
        built = read_built(done, language)
        assert bare(built) == bare(expected(graph, names[language], RECIPE, language))
        counts[language].check(language)
        assert counts[language].kept == len(built[0])
    english, rejected = read_built(done, "en")
    stopped = sum(rejection.reason == "stop-affix" for rejection in rejected)
    assert len(english) + stopped >= 131
    far = [outlier.id for group in english for outlier in group.outliers if outlier.outlier_class == 3]
    assert len(set(far)) >= len(far) / 2
