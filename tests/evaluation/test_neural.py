"""Models of other libraries, with small real models that are built on the spot; skipped where a library is missing."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from benchmarks.small_models import make_model2vec, make_sentence_transformer, make_transformer
from wikisem.errors import DamagedInputError, MissingInputError, UsageError
from wikisem.evaluation.vectors.embeddings import WordVectors, from_words
from wikisem.evaluation.vectors.models import open_model

pytestmark = pytest.mark.filterwarnings("ignore")  # of the libraries

WORDS = ["lion", "tiger", "red", "panda", "this", "is", "a"]
ROWS = np.random.default_rng(1).normal(size=(len(WORDS), 8)).astype(np.float32)


def needs(library: str, extra: str) -> pytest.MarkDecorator:
    """Skip, and say why, where a library is not installed."""
    missing = importlib.util.find_spec(library) is None
    return pytest.mark.skipif(missing, reason=f"{library} is not installed: pip install 'wikisem[{extra}]'")


@pytest.fixture(scope="module")
def vectors() -> WordVectors:
    """Seven words in eight dimensions."""
    return from_words(WORDS, ROWS)


@pytest.fixture(scope="module")
def bert(vectors: WordVectors, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT whose input embeddings are the vectors."""
    folder = tmp_path_factory.mktemp("bert")
    make_transformer(vectors, WORDS, folder)
    return folder


def test_characters_tell_how_words_are_spelt() -> None:
    """Words that begin or end alike are near; n-grams are counted up to a length, with the ends of the word."""
    found = open_model("characters:3").find(["chemistry", "biochemistry", "lion", "noil"])
    cosine = {word: float((row @ found["chemistry"].T)[0, 0]) for word, row in found.items()}
    assert cosine["biochemistry"] > 3 * max(cosine["lion"], cosine["noil"])
    assert found["lion"].sum() == 6 + 5 + 4  # of <lion>: characters, pairs and triples
    assert found["lion"].nnz <= 15  # a set of many words fits into memory
    for wrong in ("characters:", "characters:0", "characters:x"):
        with pytest.raises(UsageError, match="expected a whole number of characters from 1 up"):
            open_model(wrong)


@needs("model2vec", "model2vec")
def test_model2vec_gives_its_static_vectors(vectors: WordVectors, tmp_path: Path) -> None:
    """A word has its vector, several words the mean, and unknown words none."""
    make_model2vec(vectors, WORDS, tmp_path / "model")
    found = open_model(f"model2vec:{tmp_path / 'model'}").find(["Lion", "red_panda", "nothing"])
    assert found["Lion"] == pytest.approx(ROWS[0], abs=1e-6)
    assert found["red_panda"] == pytest.approx((ROWS[2] + ROWS[3]) / 2, abs=1e-6)
    assert set(found) == {"Lion", "red_panda"}
    with pytest.raises(MissingInputError, match="expected a model, saw"):
        open_model(f"model2vec:{tmp_path / 'none'}")


@needs("model2vec", "model2vec")
@pytest.mark.parametrize(
    ("name", "data"),
    [("model.safetensors", b"\x10\0\0\0\0\0\0\0{"), ("tokenizer.json", b"\xff"), ("config.json", b"{")],
)
def test_a_damaged_model_folder_is_named(vectors: WordVectors, tmp_path: Path, name: str, data: bytes) -> None:
    """Whatever the parsers of weights, tokenizers and settings raise becomes one error."""
    make_model2vec(vectors, WORDS, tmp_path / "model")
    (tmp_path / "model" / name).write_bytes(data)
    with pytest.raises(DamagedInputError, match="model: expected a whole model, saw"):
        open_model(f"model2vec:{tmp_path / 'model'}")


@needs("transformers", "transformers")
@needs("torch", "transformers")
def test_transformers_give_their_input_embeddings(bert: Path) -> None:
    """Special and unknown tokens are left out of the mean."""
    found = open_model(f"transformers:{bert}").find(["Lion", "red_panda", "red nothing", "nothing"])
    assert found["Lion"] == pytest.approx(ROWS[0], abs=1e-6)
    assert found["red_panda"] == pytest.approx((ROWS[2] + ROWS[3]) / 2, abs=1e-6)
    assert found["red nothing"] == pytest.approx(ROWS[2], abs=1e-6)
    assert "nothing" not in found


@needs("transformers", "transformers")
@needs("torch", "transformers")
def test_contextual_models_read_a_word_in_its_template(bert: Path) -> None:
    """The states of the word's own tokens, in one batch as alone, for every layer; another template, other vectors."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    texts = ["lion", "red_panda", "tiger"]
    found = open_model(f"contextual:{bert}?template=This is a {{}}.&layer=-2").find(texts)
    batch = AutoTokenizer.from_pretrained(bert)(["This is a red panda."], return_tensors="pt")
    with torch.no_grad():
        states = AutoModel.from_pretrained(bert).eval()(**batch, output_hidden_states=True).hidden_states[-2][0]
    # [CLS] this is a red panda [UNK] [SEP]
    assert found["red_panda"] == pytest.approx(states[4:6].mean(dim=0).numpy(), abs=1e-5)
    bare = open_model(f"contextual:{bert}?layer=-2").find(texts)
    assert not np.allclose(bare["lion"], found["lion"])
    for layer in ("3", "-4"):
        with pytest.raises(UsageError, match="expected a layer from -3 to 2"):
            open_model(f"contextual:{bert}?layer={layer}").find(["lion"])
    with pytest.raises(MissingInputError, match="expected a model, saw"):
        open_model(f"contextual:{bert / 'none'}")


@needs("sentence_transformers", "transformers")
def test_sentence_transformers_read_a_prompt(bert: Path, tmp_path: Path) -> None:
    """Whole items, with blanks for underlines, after the prompt if there is one."""
    from sentence_transformers import SentenceTransformer

    make_sentence_transformer(bert, tmp_path / "model")
    library = SentenceTransformer(str(tmp_path / "model"))
    plain = open_model(f"sentence-transformers:{tmp_path / 'model'}").find(["red_panda"])["red_panda"]
    assert plain == pytest.approx(library.encode(["red panda"])[0], abs=1e-5)
    asked = open_model(f"sentence-transformers:{tmp_path / 'model'}?prompt=this is a ").find(["red_panda"])["red_panda"]
    assert asked == pytest.approx(library.encode(["this is a red panda"])[0], abs=1e-5)
    assert not np.allclose(plain, asked)
