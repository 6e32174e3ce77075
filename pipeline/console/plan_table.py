"""The graph of a pipeline as a table for people."""

from rich.table import Table

from wikisem.transforms.io.plan import PlannedPipeline


def plan_table(plan: PlannedPipeline) -> Table:
    """A row for each step."""
    table = Table(title=f"{plan.label}, workers: {plan.environment}", title_justify="left", show_lines=False)
    for name in ("step", "kind", "reads", "side inputs", "coder of what it gives"):
        table.add_column(name, overflow="fold")
    for step in plan.steps:
        table.add_row(step.name, step.kind, "\n".join(step.inputs), "\n".join(step.side_inputs), "\n".join(step.coders))
    return table
