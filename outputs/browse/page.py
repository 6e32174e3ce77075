"""index.html: the page with its style and script, and a policy that lets nothing else run, load or be asked for."""

import base64
import hashlib
from html import escape
from importlib.resources import files


def browse_page(title: str) -> bytes:
    """The page; its data are in scripts beside it, which the policy allows from its own place alone."""
    style, script = _asset("page.css"), _asset("page.js")
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)} 'self' file:; base-uri 'none'; "
        "form-action 'none'"
    )
    parts = {"POLICY": escape(policy), "TITLE": escape(title), "STYLE": style, "SCRIPT": script}
    # Split once, so that nothing inside a part is taken for a placeholder.
    head, *rest = _asset("page.html").split("{{")
    return (head + "".join(parts[name] + tail for name, tail in (piece.split("}}", 1) for piece in rest))).encode()


def _asset(name: str) -> str:
    return files("wikisem.outputs.browse").joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
