"""The kernel of wikisem: records, dump formats, the class graph. No Beam, no network."""

__version__ = "0.1.0"
