"""The filters on a cluster, one function each: from surface forms to a verdict with a stable reason.

In: the surface forms of a cluster, the profile of their language, the affixes of its surface forms, and the label of
the class. Out: keep, or reject with the rule's name and what it saw. A rule must not know the graph, or any other rule.
"""
