"""Arrow tables in transit: as compressed bytes, split into buckets by hash, and in the order in which they are written.

In: columns of text and of item ids. Out: the same rows, batched, bucketed, added up or sorted, always the same bytes
for the same rows. It must not know what the rows mean, where they are stored, or that Beam carries them.
"""
