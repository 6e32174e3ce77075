"""Tokenizers of languages without spaces, with the packages that people use."""

import importlib.util
import sys

import pytest

from wikisem.errors import MissingExtraError, UsageError
from wikisem.evaluation.vectors.embeddings import open_tokenizer

pytestmark = pytest.mark.filterwarnings("ignore")  # of the packages


@pytest.mark.skipif(importlib.util.find_spec("fugashi") is None, reason="fugashi is not installed: wikisem[tokenizers]")
def test_japanese_is_divided_by_fugashi() -> None:
    """Words of a name; blanks and underlines divide as ever, and are no tokens."""
    tokenize = open_tokenizer("fugashi")
    assert tokenize("東京タワーに行った") == ["東京", "タワー", "に", "行っ", "た"]
    assert tokenize("東京_タワー Tokyo") == ["東京", "タワー", "Tokyo"]
    assert tokenize("") == []


@pytest.mark.skipif(importlib.util.find_spec("rjieba") is None, reason="rjieba is not installed: wikisem[tokenizers]")
def test_chinese_is_divided_by_jieba(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Words of a name as jieba divides it, without its package; nothing is printed about dictionaries."""
    monkeypatch.setitem(sys.modules, "jieba", None)
    monkeypatch.setitem(sys.modules, "pkg_resources", None)
    tokenize = open_tokenizer("jieba")
    assert tokenize("北京大学_和 清华大学") == ["北京大学", "和", "清华大学"]
    assert tokenize("小明硕士毕业于中国科学院计算所") == ["小明", "硕士", "毕业", "于", "中国科学院", "计算所"]
    assert capfd.readouterr() == ("", "")


def test_a_tokenizer_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether unknown or not installed."""
    with pytest.raises(UsageError, match=r"expected a tokenizer \(fugashi, jieba\), saw 'mecab'"):
        open_tokenizer("mecab")
    monkeypatch.setitem(sys.modules, "fugashi", None)
    with pytest.raises(
        MissingExtraError, match=r"tokenizer fugashi needs fugashi: pip install 'wikisem\[tokenizers\]'"
    ):
        open_tokenizer("fugashi")
