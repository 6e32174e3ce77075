"""Tests, laid out as the floors are; nothing imports them."""
