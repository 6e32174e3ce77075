"""Scores of embedding models on the sets that wikisem writes."""
