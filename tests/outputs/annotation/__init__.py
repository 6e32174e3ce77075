"""Tests of the sheets that people answer."""
