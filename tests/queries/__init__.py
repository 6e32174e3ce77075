"""Tests of the queries package."""
