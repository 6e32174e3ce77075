"""Tests of the Wikidata reader."""
