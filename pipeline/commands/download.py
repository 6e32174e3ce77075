"""Fetch the dumps that a build reads: the newest complete ones of each language, and of Wikidata.

Wikipedias come from the MediaWiki Content File Exports or, if a wiki has none, from the older pages-articles dumps.
Every file is checked against its published checksum before it gets its name; interrupted downloads are resumed. The
last line is the build to run.
"""

import argparse
import re
import shlex
import time
from collections.abc import Sequence
from contextlib import nullcontext
from datetime import date
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from wikisem.errors import UsageError
from wikisem.pipeline import download as downloads
from wikisem.pipeline.cli import Options, local_output, seconds
from wikisem.pipeline.console.terminal import byte_progress, format_bytes, log_pause, make_console, print_line
from wikisem.web import HttpClient, Patience, user_at_host
from wikisem.wikis import known_language


def web_address(text: str) -> str:
    """Check that a word is the URL of a web server, and return it; UsageError for anything else."""
    try:
        parts = urlsplit(text)
        known = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a missing bracket, or a port that is no number
        known = False
    if not known:
        raise UsageError(f"expected a URL such as https://example.org/path, saw {text!r}")
    return text


def _date(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError as error:
        raise UsageError(f"expected a date such as 2026-11-01, saw {text!r}") from error


OPTIONS: Final[Options] = {
    "codes": {"convert": known_language, "nargs": "*"},
    "--output": {"convert": local_output},
    "--date": {"convert": _date},
    "--export": {"convert": downloads.EXPORTS, "default": ""},
    "--mirror": {"convert": web_address, "default": "https://dumps.wikimedia.org"},
    "--timeout": {"convert": seconds, "default": 60.0},
}


def run(arguments: argparse.Namespace) -> int:
    """Find the dumps, say what they are, fetch what is missing, and print the build line."""
    if not (arguments.codes or arguments.languages or arguments.wikidata or arguments.lexemes):
        raise UsageError("expected languages, --wikidata or --lexemes, saw none of them")
    folder = Path(arguments.output)
    http = HttpClient(arguments.contact or user_at_host(), arguments.timeout)
    mirror = downloads.Mirror(arguments.mirror, http, Patience(on_pause=log_pause))
    dumps = [downloads.find_wikidata_dump(mirror, arguments.date)] if arguments.wikidata else []
    dumps += [downloads.find_wikidata_dump(mirror, arguments.date, "Wikidata lexemes")] if arguments.lexemes else []
    for language in dict.fromkeys([*arguments.codes, *arguments.languages]):
        dumps.append(downloads.find_wikipedia_dump(mirror, language, arguments.date, arguments.export))
    with nullcontext() if arguments.dry_run else downloads.only_download_in(folder):
        wanted = downloads.plan_downloads(dumps, folder)
        _print_plan(dumps, wanted)
        if not arguments.dry_run:
            total = sum(planned.file.size or planned.have for planned in wanted)
            with byte_progress("downloading", total, sum(planned.have for planned in wanted)) as count:
                downloads.download(wanted, mirror, folder, time.strftime("%Y-%m-%d", time.gmtime()), count)
            print_line(f"output: {folder}")
    # The command that builds from them, with a placeholder for a dump of Wikidata that was not asked for.
    wikidata, wikipedias = "WIKIDATA.json.gz", list[str]()
    for dump in dumps:
        name = dump.files[0].name
        if len(dump.files) > 1:  # a glob for all parts, whose names differ in their number and pages
            name = re.sub(r"p\d+p\d+", "p*", re.sub(r"(articles|stream)\d+", r"\1*", name))
        if dump.kind == "Wikidata entities":
            wikidata = str(folder / name)
        elif dump.language:
            wikipedias.append(f"{dump.language}={folder / name}")
    option = ["--wikipedia"] if wikipedias else []
    build = ["wikisem", "build", "wikisem", "--wikidata", wikidata, *option, *wikipedias, "--output", "out"]
    print_line(f"next: {shlex.join(build)}")
    return 0


def _print_plan(dumps: Sequence[downloads.RemoteDump], wanted: Sequence[downloads.Download]) -> None:
    """Print how many files each dump has, how large they are and how many are there, and what is to be downloaded."""
    console = make_console()
    for dump in dumps:
        of_dump = [planned for planned in wanted if planned.dump == dump]
        sizes = [planned.file.size for planned in of_dump]
        known = format_bytes(sum(size or 0 for size in sizes)) + (" and more" if None in sizes else "")
        there = sum(planned.done for planned in of_dump)
        files = f"{len(of_dump)} file{'s' * (len(of_dump) > 1)}"
        language = f"{dump.language}, " if dump.language else ""
        console.print(f"{language}{dump.kind} of {dump.date}: {files}, {known}; {there} there already")
    console.print(f"to download: {format_bytes(sum(planned.missing for planned in wanted))}")
