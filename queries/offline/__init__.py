"""The same questions answered from the entities of a build, without any network.

In: the Parquet of the entities stage. Out: the items, labels and values that an endpoint would give. It may not know
who asks.
"""
