"""A data set to publish: the bytes of every file of a release, from groups and the manifest of a run."""
