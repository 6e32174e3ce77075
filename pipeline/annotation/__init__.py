"""Files of the human baseline: groups are found and sheets written, then answers are found and read.

Comes in: a run, a data set or a folder of sheets. Goes out: the sheets, or checked answers. Formats are those of
wikisem.outputs.annotation, scores those of wikisem.evaluation.annotators; neither is known here.
"""
