"""LICENSE and CITATION.cff of a release."""

from collections.abc import Iterator

from wikisem.outputs.release.facts import ReleaseFacts, yaml_json
from wikisem.outputs.release.words import WORDS


def license_text(facts: ReleaseFacts) -> str:
    """Which licence, who is credited, and where its text is."""
    return "\n".join([*_license_lines(facts), ""])


def _license_lines(facts: ReleaseFacts) -> Iterator[str]:
    yield f"{facts.name} {facts.version}"
    yield ""
    yield WORDS["attribution"]
    yield ""
    for language in facts.filled:
        dump = ", ".join(source.name for source in facts.sources if source.language == language.code)
        yield f"- https://{language.code}.wikipedia.org/" + (f" ({dump})" if dump else "")
    yield ""
    yield WORDS["changes"]


def citation(facts: ReleaseFacts) -> str:
    """CITATION.cff, by version 1.2.0 of its schema; JSON strings are YAML, too."""
    lines = {
        "cff-version": "1.2.0",
        "type": "dataset",
        "title": facts.name,
        "version": facts.version,
        "date-released": facts.published,
        "license": "CC-BY-SA-4.0",
        "message": "If you use this data set, cite it and the paper that has its method.",
        "abstract": WORDS["description"],
        "authors": [{"name": "The wikisem authors"}],
        "preferred-citation": {
            "type": "article",
            "title": (
                "Automated Generation of Multilingual Clusters for the Evaluation of Distributed Representations"
            ),
            "authors": [
                {"family-names": family, "given-names": given}
                for family, given in (("Blair", "Philip"), ("Merhav", "Yuval"), ("Barry", "Joel"))
            ],
            "year": 2016,
            "url": "https://arxiv.org/abs/1611.01547",
        },
    }
    return "".join(f"{key}: {yaml_json(value)}\n" for key, value in lines.items())
