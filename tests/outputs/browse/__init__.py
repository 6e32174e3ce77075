"""Tests of the page that shows a run."""
