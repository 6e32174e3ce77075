"""The judgements of the method: the rules that a cluster must pass, and the selection of members and outliers.

In: surface forms, the class graph, a recipe. Out: verdicts, groups and rejections, each with its reason. It must not
know Beam, files or the network.
"""
