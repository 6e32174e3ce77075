"""The filters on a cluster, one rule a module: pure functions from surface forms to a verdict with a stable reason.

In: the surface forms of a cluster and the profile of their language. Out: keep, or reject with the rule's name and what
it saw. A rule may not know the class, the graph, or any other rule.
"""
