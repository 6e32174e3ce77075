"""Scores in the schema of Every Eval Ever, a public collection of evaluations: a log for each model.

The fields are those of version 0.3.0 (the package every-eval-ever 0.3.0, seen 2026-11). The organisation and its
relation to the model's maker are for the user to fill in before a log is sent anywhere.
"""

from collections.abc import Iterable
from typing import Any, Final

from wikisem import __version__
from wikisem.evaluation.rows import Row

SCHEMA_VERSION: Final = "0.3.0"
# The least and the most of scores that are no shares in percent; JSON has no infinity.
_RANGES: Final[dict[str, tuple[float | str, float | str]]] = {
    "ability": ("-Infinity", "Infinity"),
    "ami": (-100, 100),
    "ari": (-100, 100),
    "kappa": ("-Infinity", 1),
    "rankc": (0, 1),
}
_UNSHARED: Final = ("ability", "kappa", "rankc")


def logs_of(rows: Iterable[Row], made: int) -> dict[str, dict[str, Any]]:
    """The log of each model by its name, with every score that has an interval; ``made`` is in seconds since 1970."""
    results: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        if row.model and not row.less and row.low is not None and row.task != "baseline" and row.metric != "cutoff":
            results.setdefault(row.model, []).append(_result(row))
    return {
        model: {
            "schema_version": SCHEMA_VERSION,
            "evaluation_id": f"wikisem/{model}/{made}",
            "retrieved_timestamp": str(made),
            "source_metadata": {
                "source_name": "wikisem evaluate",
                "source_type": "evaluation_run",
                "source_organization_name": "unknown",
                "evaluator_relationship": "other",
            },
            "eval_library": {"name": "wikisem", "version": __version__},
            # lm-evaluation-harness writes names of the Hub in this way.
            "model_info": {"name": model, "id": model.replace("__", "/")},
            "evaluation_results": own,
        }
        for model, own in results.items()
    }


def _result(row: Row) -> dict[str, Any]:
    least, most = _RANGES.get(row.metric, (0, 100))
    where = [
        row.task,
        row.dataset,
        row.vocabulary,
        row.part,
        row.name,
        row.language if row.language != row.name else "",
    ]
    details = {"unit": row.unit, "units": row.n, "chance": row.chance, "vocabulary": row.vocabulary, "mark": row.mark}
    by_unit = f"by {row.unit}"
    error = {"standard_error": {"value": row.se, "method": f"clustered {by_unit}"}} if row.se is not None else {}
    interval = {"lower": row.low, "upper": row.high, "confidence_level": 0.95, "method": f"bootstrap {by_unit}"}
    return {
        "evaluation_result_id": "/".join(filter(None, [*where, row.metric])),
        "evaluation_name": " ".join(filter(None, ["wikisem", row.task, row.part, row.name])),
        "source_data": {"dataset_name": row.dataset or "unnamed", "source_type": "other"},
        "metric_config": {
            "metric_id": "accuracy" if row.metric == "accuracy" else f"wikisem.{row.metric}",
            "metric_name": row.metric,
            "metric_unit": "points" if row.metric in _UNSHARED else "percent",
            "lower_is_better": False,
            "score_type": "continuous",
            "min_score": least,
            "max_score": most,
        },
        "score_details": {
            "score": row.value,
            "details": {name: str(value) for name, value in details.items() if value not in {None, ""}},
            "uncertainty": {**error, "confidence_interval": interval, "num_samples": row.cases},
        },
    }
