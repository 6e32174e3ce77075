"""The same build on every engine that Beam can hand it to: ``make test-engines``."""
