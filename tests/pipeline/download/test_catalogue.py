"""Which dumps are found: the newest complete one, from the exports, from the older dumps, from Wikidata's folders."""

import json
from collections.abc import Iterator

import pytest

from tests.pipeline.download.server import Fault, Server, serve
from wikisem.errors import DownloadError
from wikisem.pipeline.download import Mirror, find_wikidata_dump, find_wikipedia_dump
from wikisem.web import HttpClient, Patience


@pytest.fixture
def server() -> Iterator[Server]:
    """An empty server of dumps."""
    with serve() as running:
        yield running


def _mirror(server: Server) -> Mirror:
    return Mirror(server.url, HttpClient("tests@example.org", 60.0), Patience(attempts=3, first=0.001))


def test_the_newest_complete_export_is_taken(server: Server) -> None:
    """An export without its list of checksums is still being made, however new it is."""
    server.add_export("dewiki", "2026-09-01", {"p1p9": b"old"})
    folder = server.add_export("dewiki", "2026-10-01", {"p100p900": b"second", "p10p99": b"middle", "p1p9": b"first"})
    server.add_export("dewiki", "2026-11-01", {"p1p9": b"new"}, complete=False)
    found = find_wikipedia_dump(_mirror(server), "de", None)
    assert (found.kind, found.language, found.date) == ("content export", "de", "2026-10-01")
    assert [file.name for file in found.files] == [
        f"dewiki-2026-10-01-{pages}.xml.bz2" for pages in ("p1p9", "p10p99", "p100p900")
    ]
    assert [file.size for file in found.files] == [5, 6, 6]
    assert found.files[0].url == f"{server.url}{folder}/dewiki-2026-10-01-p1p9.xml.bz2"
    assert {file.algorithm for file in found.files} == {"sha256"}


def test_an_export_with_a_shard_that_has_no_checksum_is_not_complete(server: Server) -> None:
    """A mirror may have copied the list of checksums before it was whole."""
    server.add_export("dewiki", "2026-10-01", {"p1p9": b"old"})
    folder = server.add_export("dewiki", "2026-11-01", {"p1p9": b"new"})
    server.files[f"{folder}/dewiki-2026-11-01-p10p99.xml.bz2"] = b"late"
    assert find_wikipedia_dump(_mirror(server), "de", None).date == "2026-10-01"


@pytest.mark.parametrize(
    ("language", "wiki"), [("zh-classical", "zh_classicalwiki"), ("no", "nowiki"), ("be-tarask", "be_x_oldwiki")]
)
def test_wikis_are_asked_for_under_their_database_names(server: Server, language: str, wiki: str) -> None:
    """The code of a language is not always the name of its database."""
    server.add_export(wiki, "2026-11-01", {"p1p9": b"pages"})
    assert find_wikipedia_dump(_mirror(server), language, None).files[0].name.startswith(wiki)


def test_a_wiki_without_exports_is_taken_from_the_older_dumps(server: Server) -> None:
    """The newest whose articles are done; the index beside them is left."""
    server.add_older("ltgwiki", "20261101", b"", status="in-progress")
    path = server.add_older("ltgwiki", "20261020", b"articles")
    found = find_wikipedia_dump(_mirror(server), "ltg", None)
    (file,) = found.files
    assert (found.kind, found.date) == ("pages-articles", "2026-10-20")
    assert (file.url, file.size, file.algorithm) == (f"{server.url}{path}", 8, "sha1")


def test_the_other_export_can_be_asked_for(server: Server) -> None:
    """Where one lacks pages: the older dump of a wiki that has both, and an error that names one folder alone."""
    server.add_export("dewiki", "2026-11-01", {"p1p9": b"pages"})
    server.add_older("dewiki", "20261020", b"articles")
    assert find_wikipedia_dump(_mirror(server), "de", None).kind == "content export"
    assert find_wikipedia_dump(_mirror(server), "de", None, "articles").kind == "pages-articles"
    server.add_older("ltgwiki", "20261020", b"articles")
    with pytest.raises(DownloadError, match=r"saw none in other/mediawiki_content_current/ltgwiki/$"):
        find_wikipedia_dump(_mirror(server), "ltg", None, "content")


def test_a_date_is_kept_to(server: Server) -> None:
    """The dump of that date or none, in either form."""
    server.add_export("dewiki", "2026-10-01", {"p1p9": b"old"})
    server.add_export("dewiki", "2026-11-01", {"p1p9": b"new"})
    server.add_older("dewiki", "20260801", b"older")
    assert find_wikipedia_dump(_mirror(server), "de", "2026-10-01").date == "2026-10-01"
    assert find_wikipedia_dump(_mirror(server), "de", "2026-08-01").kind == "pages-articles"
    with pytest.raises(DownloadError, match=r"expected a complete dump of 2026-07-01 of dewiki.* saw none"):
        find_wikipedia_dump(_mirror(server), "de", "2026-07-01")


def test_wikidata_may_name_its_file_by_another_day(server: Server) -> None:
    """The folder is of one day, the file of a later one; only what has a checksum is complete."""
    server.add_wikidata("20261102", {"wikidata-20261104-all.json.gz": b"items", "wikidata-20261104-all.nt.gz": b"x"})
    server.add_wikidata("20261109", {"wikidata-20261111-all.json.gz": b"unfinished"}, sums=False)
    found = find_wikidata_dump(_mirror(server), None)
    assert (found.date, [file.name for file in found.files]) == ("2026-11-02", ["wikidata-20261104-all.json.gz"])


def test_wikidata_has_dates_of_its_own(server: Server) -> None:
    """With a date, the newest dump that is not younger."""
    for day in ("20261026", "20261102", "20261109"):
        server.add_wikidata(day, {f"wikidata-{day}-all.json.gz": b"items"})
    assert find_wikidata_dump(_mirror(server), "2026-11-08").date == "2026-11-02"
    with pytest.raises(DownloadError, match="up to 2026-10-01, saw none"):
        find_wikidata_dump(_mirror(server), "2026-10-01")


def test_items_that_are_only_there_as_bzip2_are_taken_so(server: Server) -> None:
    """gzip is preferred, because it is read faster; of lexemes, too."""
    server.add_wikidata(
        "20261102", {"wikidata-20261102-all.json.bz2": b"items", "wikidata-20261102-lexemes.json.gz": b"words"}
    )
    assert find_wikidata_dump(_mirror(server), None).files[0].name == "wikidata-20261102-all.json.bz2"
    assert (
        find_wikidata_dump(_mirror(server), None, "Wikidata lexemes").files[0].name
        == "wikidata-20261102-lexemes.json.gz"
    )


@pytest.mark.parametrize("line", ["<html>captive portal</html>", "abc  dewiki-2026-11-01-p1p9.xml.bz2", "0" * 64])
def test_a_list_that_is_no_list_of_checksums_is_named(server: Server, line: str) -> None:
    """The message says where the line is and what it is."""
    folder = server.add_export("dewiki", "2026-11-01", {"p1p9": b"pages"})
    server.files[f"{folder}/SHA256SUMS"] += f"{line}\n".encode()
    with pytest.raises(DownloadError, match=r"SHA256SUMS:2: expected a checksum and a file name, saw"):
        find_wikipedia_dump(_mirror(server), "de", None)


def test_names_that_lead_out_of_the_folder_are_not_taken(server: Server) -> None:
    """A list of checksums decides no path on this machine."""
    folder = server.add_export("dewiki", "2026-11-01", {"p1p9": b"pages"})
    server.files[f"{folder}/SHA256SUMS"] += f"{'0' * 64}  ../../dewiki-2026-11-01-p10p19.xml.bz2\n".encode()
    assert [file.name for file in find_wikipedia_dump(_mirror(server), "de", None).files] == [
        "dewiki-2026-11-01-p1p9.xml.bz2"
    ]


def test_a_state_that_is_no_state_is_named(server: Server) -> None:
    """A dumpstatus.json of another form is an error, not an empty dump."""
    server.add_older("dewiki", "20261101", b"articles")
    server.files["/dewiki/20261101/dumpstatus.json"] = b'{"jobs": []}'
    with pytest.raises(DownloadError, match=r"dumpstatus.json: expected the state of a dump"):
        find_wikipedia_dump(_mirror(server), "de", None)


def test_a_list_that_is_cut_is_asked_for_again(server: Server) -> None:
    """Half a list of checksums would be half a dump."""
    folder = server.add_export("dewiki", "2026-11-01", {"p1p9": b"one", "p10p19": b"two"})
    server.faults[f"{folder}/SHA256SUMS"] += [Fault(keep=0.6), Fault(status=503), Fault()]
    assert len(find_wikipedia_dump(_mirror(server), "de", None).files) == 2
    assert [path for _, path, _ in server.asked].count(f"{folder}/SHA256SUMS") == 3


def test_a_server_that_refuses_is_named_with_what_it_said(server: Server) -> None:
    """A refusal is no "there is no such dump"."""
    server.add_export("dewiki", "2026-11-01", {"p1p9": b"one"})
    server.faults["/other/mediawiki_content_current/dewiki/"].append(Fault(status=403))
    with pytest.raises(DownloadError, match="saw none in 1 attempt; the last gave HTTP status 403 Forbidden"):
        find_wikipedia_dump(_mirror(server), "de", None)


FILES: dict[str, object] = {
    "a list": [],
    "a file without a size": {"a": {"sha1": "x"}},
    "a size below zero": {"a": {"sha1": "x", "size": -1}},
    "a sum that is none": {"a": {"sha1": None, "size": 1}},
}
JOBS: dict[str, object] = {
    "a job that is a list": [],
    "a status that is a number": {"status": 1},
    **{name: {"status": "done", "files": files} for name, files in FILES.items()},
}
STATES = {name: json.dumps({"jobs": {"articlesmultistreamdump": job}}) for name, job in JOBS.items()}
STATES["brackets"] = '{"jobs": ' + "[" * 100_000


@pytest.mark.parametrize("state", STATES.values(), ids=STATES)
def test_a_state_of_other_types_is_named(server: Server, state: str) -> None:
    """Whatever a mirror sends as the state of a dump."""
    server.add_older("dewiki", "20261101", b"articles")
    server.files["/dewiki/20261101/dumpstatus.json"] = state.encode()
    with pytest.raises(DownloadError, match=r"dumpstatus\.json: expected the state of a dump, saw"):
        find_wikipedia_dump(_mirror(server), "de", None)


def test_a_listing_of_days_has_an_end(server: Server) -> None:
    """Of ten thousand days the newest hundred are looked into."""
    for day in range(10_000):
        server.files[f"/wikidatawiki/entities/{20_000_000 + day}/x"] = b""
    with pytest.raises(DownloadError, match="expected a complete dump of Wikidata entities, saw none"):
        find_wikidata_dump(_mirror(server), None)
    assert len(server.asked) == 101
