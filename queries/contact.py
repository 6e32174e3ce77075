"""Whom a server's operators can write to: the contact in the User-Agent of every request."""

import getpass
import socket


def user_at_host() -> str:
    """Who runs this, as far as the machine knows; "anonymous" where it does not."""
    try:
        contact = f"{getpass.getuser()}@{socket.gethostname()}"
    except (KeyError, OSError):  # a container may run under a number that belongs to no user
        return "anonymous"
    return contact if fits_header(contact) else "anonymous"


def fits_header(text: str) -> bool:
    """Whether a string can be part of an HTTP header."""
    return bool(text.strip()) and text.isascii() and text.isprintable()
