"""The judgements of the method: the rules that a cluster must pass, and the selection of members and outliers.

In: surface forms, the class graph, a recipe. Out: verdicts, groups, rejections. It must not know Beam or files.
"""
