"""The filters on a cluster, one function each: from surface forms to a verdict with a stable reason.

In: the surface forms of a cluster, the profile of their language, what its surface forms are like, and the label of the
class. Out: keep, or reject with the rule's name and what it saw. A rule must not know the graph, or any other rule.
"""
