"""The MediaWiki Content File Exports: read to the same pairs of title and anchor as the older dumps of the same pages.

The two samples are the exporter's own; they hold user pages and a file with all their revisions, so every revision
becomes a page of the main namespace here. An older dump of a whole wiki is rewritten as the exporter writes, in shards.
"""

import bz2
import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

import pytest

import wikisem

LTG = "ltgwiki-20170901-pages-articles.xml.bz2"
HEAD = '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.10/" version="0.10" xml:lang="en">\n'


def pairs(path: Path, language: str) -> Counter[tuple[str, str]]:
    """Titles and anchors with their counts, by our own reader."""
    table = wikisem.count_links(path, language)
    return Counter({(row["title"], row["anchor"]): row["count"] for row in table.to_pylist()})


def a_page_each(export: bytes) -> bytes:
    """Every revision as the only one of a page in the main namespace, byte for byte as the exporter wrote it."""
    head, _, _ = export.partition(b"  <page>")
    revisions = re.findall(rb"    <revision>.*?</revision>\n", export, re.DOTALL)
    pages = [
        b"  <page>\n    <title>Page %d</title>\n    <ns>0</ns>\n    <id>%d</id>\n%b  </page>\n"
        % (number, number, revision)
        for number, revision in enumerate(revisions, start=1)
    ]
    return head + b"".join(pages) + b"</mediawiki>\n"


def older_form(export: bytes) -> bytes:
    """The same pages as an older dump has them: the main text of the revision, and no more."""
    root = ET.fromstring(export)
    space = root.tag.removesuffix("mediawiki")
    siteinfo = re.search(rb"<siteinfo>.*</siteinfo>", export, re.DOTALL)
    assert siteinfo
    pages = [
        f"  <page>\n    <title>{escape(page.findtext(f'{space}title') or '')}</title>\n    <ns>0</ns>\n"
        f'    <id>{number}</id>\n    <revision>\n      <id>1</id>\n      <text xml:space="preserve">'
        f"{escape(page.findtext(f'{space}revision/{space}text') or '')}</text>\n    </revision>\n  </page>\n"
        for number, page in enumerate(root.iter(f"{space}page"))
    ]
    return HEAD.encode() + b"  " + siteinfo[0] + b"\n" + "".join(pages).encode() + b"</mediawiki>\n"


@pytest.mark.realdata
@pytest.mark.parametrize(("wiki", "language", "least"), [("Simplewiki", "simple", 1), ("Commonswiki", "en", 500)])
def test_the_exporters_own_samples_read_as_older_dumps(
    realdata: Path, tmp_path: Path, wiki: str, language: str, least: int
) -> None:
    """Slots after the text, deleted contributors, deleted texts: the main text counts, as it always did."""
    sample = realdata / "wikipedia" / "content-export" / f"MediawikiDumperOutputTest.{wiki}.Sample.xml"
    # The samples link to categories, helps and users alone; such links are counted once they lead to articles.
    export = re.sub(rb"\[\[(Category|Help|Special|User|User talk):", b"[[", a_page_each(sample.read_bytes()))
    (tmp_path / "new.xml").write_bytes(export)
    (tmp_path / "old.xml").write_bytes(older_form(export))
    found = pairs(tmp_path / "new.xml", language)
    assert found == pairs(tmp_path / "old.xml", language)
    assert sum(found.values()) >= least


@pytest.mark.realdata
def test_a_wiki_in_shards_reads_as_its_older_dump(realdata: Path, tmp_path: Path) -> None:
    """Two shards, each with a head of its own, with other namespaces, origins and slots: together the same pairs."""
    path = realdata / "wikipedia" / LTG
    old = bz2.decompress(path.read_bytes()).decode()
    head, _, rest = old.partition("  <page>")
    # Links to a redirect count for its target, which may be in another shard; a build resolves them over all shards.
    pages = [
        f"  <page>{page}" for page in rest.removesuffix("</mediawiki>\n").split("  <page>") if "<redirect" not in page
    ]
    (tmp_path / "old.xml").write_text(head + "".join(pages) + "</mediawiki>\n")
    slot = "      <content>\n        <role>data</role>\n        <text>[[No link]]</text>\n      </content>\n"
    exported = [page.replace("    </revision>", f"{slot}    </revision>") for page in pages]
    talk = "  <page>\n    <title>Talk:X</title>\n    <ns>1</ns>\n    <id>9</id>\n    <revision>\n      <id>9</id>\n"
    talk += "      <text>[[Talk]]</text>\n    </revision>\n  </page>\n"
    head = head.replace("export-0.10", "export-0.11").replace('version="0.10"', 'version="0.11"')
    found: Counter[tuple[str, str]] = Counter()
    for number, part in enumerate((exported[:700], exported[700:])):
        shard = tmp_path / f"ltgwiki-2026-11-01-p{number}p9.xml.bz2"
        shard.write_bytes(bz2.compress((head + talk + "".join(part) + "</mediawiki>\n").encode()))
        found += pairs(shard, "ltg")
    assert found == pairs(tmp_path / "old.xml", "ltg")
    assert len(found) > 5000
