"""Tests of the arrow room."""
