"""Small worlds for Hypothesis: cycles, self-loops, diamonds, several roots, and items that are classes themselves."""

from hypothesis import strategies as st

from wikisem.ids import qid_of
from wikisem.recipes.options import GraphOptions, OutlierOptions
from wikisem.records import Entity

MOST = 14


@st.composite
def worlds(draw: st.DrawFn) -> list[Entity]:
    """Entities in any order whose edges lead anywhere among a few more ids than there are lines."""
    count = draw(st.integers(1, MOST))
    some = st.lists(st.integers(1, count + 2).map(qid_of), max_size=3, unique=True).map(tuple)
    entities = [Entity(qid_of(n), draw(some), draw(some), draw(st.integers(0, 3))) for n in range(1, count + 1)]
    return draw(st.permutations(entities))


QIDS = st.integers(1, MOST).map(qid_of)
GRAPHS = st.builds(
    GraphOptions,
    disambiguation=st.lists(QIDS, max_size=1).map(tuple),
    root=st.one_of(st.just(""), QIDS),
    root_distance=st.integers(0, 2),
)
OUTLIERS = st.builds(
    OutlierOptions,
    per_class=st.integers(1, 2),
    minimum=st.just(1),
    min_sitelinks=st.integers(0, 2),
    distance=st.integers(1, 5),
    grandparents=st.sampled_from(["any", "strict"]),
    exclude=st.sampled_from(["instances", "closure"]),
    shared=st.just(False),
)
