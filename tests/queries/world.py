"""A small world of capitals, states and facets, as entities: what both sources of categories are asked about."""

from typing import Final

from wikisem.records import Entity, Statement


def entity(qid: str, label: str, *, sitelinks: int = 0, **claims: str) -> Entity:
    """An item with an English label; ``P31="Q5 Q6"`` gives it statements."""
    statements = [Statement(name, value) for name, values in claims.items() for value in values.split()]
    return Entity(
        qid,
        instance_of=tuple(one.value for one in statements if one.property == "P31"),
        subclass_of=tuple(one.value for one in statements if one.property == "P279"),
        sitelinks=sitelinks,
        labels={"en": label} if label else {},
        statements=tuple(one for one in statements if one.property not in ("P31", "P279")),
    )


def _labelled(item: Entity, **labels: str) -> Entity:
    codes = {code.replace("_", "-"): label for code, label in labels.items()}
    return Entity(
        item.qid, item.instance_of, item.subclass_of, item.sitelinks, {}, {**item.labels, **codes}, 0, item.statements
    )


def _demonyms(item: Entity, *demonyms: tuple[str, str]) -> Entity:
    texts = tuple(Statement("P1549", text, language) for language, text in demonyms)
    return Entity(
        item.qid, item.instance_of, item.subclass_of, item.sitelinks, {}, item.labels, 0, item.statements + texts
    )


# Q100 city > Q101 big city > Q102 metropolis, and Q102 > Q101 again: a cycle, as real P279 has them.
WORLD: Final = (
    entity("Q100", "city"),
    entity("Q101", "big city", P279="Q100 Q102"),
    entity("Q102", "metropolis", P279="Q101 Q102"),
    entity("Q103", "ghost town", P279="Q100"),
    entity("Q110", "country"),
    entity("Q111", "former country", P279="Q110"),
    entity("Q120", "state"),
    entity("Q130", "Hinduism"),
    entity("Q131", "Shaivism", P279="Q130", P31="Q132"),
    _demonyms(
        _labelled(entity("Q1", "Northland", sitelinks=90, P31="Q110", P36="Q11"), la="Terra Borealis", mul="Nordland"),
        ("en", "Northlander"),
        ("en", "Northish"),
        ("la", "Borealis"),
    ),
    _demonyms(_labelled(entity("Q2", "Southland", sitelinks=80, P31="Q110", P36="Q13 Q12")), ("en", "Southern")),
    entity("Q3", "", sitelinks=70, P31="Q110 Q111", P36="Q14"),
    _labelled(entity("Q4", "Westland", sitelinks=80, P31="Q110", P36="Q15"), la="Terra Occidens"),
    _labelled(entity("Q11", "North City", sitelinks=60, P31="Q102", P17="Q1", P131="Q21"), la="Urbs Septentrionalis"),
    _labelled(entity("Q12", "Southport", sitelinks=50, P31="Q100", P17="Q2", P131="Q22"), la="Portus"),
    entity("Q13", "Old Southport", sitelinks=5, P31="Q103", P17="Q2", P131="Q12"),
    _labelled(entity("Q14", "", sitelinks=40, P31="Q101", P17="Q3"), mul="Mulburg"),
    _labelled(entity("Q15", "Westport", sitelinks=50, P31="Q101 Q103", P17="Q4", P131="Q23"), la="Portus"),
    entity("Q21", "North Shire", sitelinks=9, P31="Q120", P17="Q1"),
    entity("Q22", "South Shire", sitelinks=9, P31="Q120", P131="Q23"),
    entity("Q23", "Great Shire", sitelinks=10, P31="Q120", P131="Q23"),
    entity("Q31", "karma", sitelinks=30, P1269="Q130"),
    entity("Q32", "linga", sitelinks=20, P1269="Q131"),
    entity("Q33", "dharma", sitelinks=10, P1269="Q130", P31="Q131"),
    entity("Q1000000000000", "a far city", sitelinks=1, P31="Q100"),
)
