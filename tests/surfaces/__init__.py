"""Tests of the surfaces room."""
