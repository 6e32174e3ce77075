"""Arrow tables in transit: as compressed bytes, as files of Parquet, split into buckets by hash, in a certain order.

In: columns of text and of item ids. Out: the same rows, batched, bucketed, added up or sorted, always the same bytes
for the same rows, in any place that ``wikisem.files`` opens. It must not know what the rows mean, or that Beam carries
them.
"""
