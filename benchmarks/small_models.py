"""A small model of each kind that ``wikisem evaluate`` scores, built from a file of word vectors and a Wikipedia dump.

    python -m benchmarks.small_models VECTORS DUMP FOLDER

No weights are downloaded: the input embeddings of the transformer are the word vectors, its layers are random, the
counts are of words that are at most five words apart in the dump's paragraphs, and fastText is trained on these, for
one epoch. The word vectors are written as GloVe's text and as word2vec's binary, too. The models show that each kind of
source works, and with the vectors of GloVe inside, that the static ones give what GloVe gives; they are no good models.
What cannot be built because its library is not installed is left out with a line.
"""

import bz2
import importlib.util
import re
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sparse

from wikisem.evaluation.vectors.embeddings import VectorRows, WordVectors
from wikisem.evaluation.vectors.models import read_vectors

WINDOW = 5
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORD = re.compile(r"[^\W\d_]+")


def tokenizer_of(words: list[str]) -> Any:
    """A tokenizer in lower case whose tokens are whole words."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    vocabulary = {word: at for at, word in enumerate([*SPECIAL, *words])}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return tokenizer


def table_of(vectors: WordVectors, words: list[str]) -> VectorRows:
    """The vectors of the words after a row of zeros for each special token."""
    rows = vectors.rows[[vectors.index[word] for word in words]]
    return np.vstack([np.zeros((len(SPECIAL), rows.shape[1]), np.float32), rows])


def make_transformer(vectors: WordVectors, words: list[str], folder: Path) -> None:
    """A BERT of two layers whose input embeddings are the vectors."""
    import torch
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    torch.manual_seed(1)
    table = torch.tensor(table_of(vectors, words))
    config = BertConfig(
        vocab_size=len(table),
        hidden_size=table.shape[1],
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=64,
    )
    model = BertModel(config)
    with torch.no_grad():
        model.get_input_embeddings().weight.copy_(table)
    model.save_pretrained(folder)
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer_of(words),
        unk_token="[UNK]",
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
    ).save_pretrained(folder)


def make_sentence_transformer(transformer: Path, folder: Path) -> None:
    """Mean pooling over the transformer."""
    from sentence_transformers import SentenceTransformer, models

    inner = models.Transformer(str(transformer), max_seq_length=64)
    pooling = models.Pooling(inner.auto_model.config.hidden_size, pooling_mode="mean")
    SentenceTransformer(modules=[inner, pooling], device="cpu").save(str(folder))


def make_model2vec(vectors: WordVectors, words: list[str], folder: Path) -> None:
    """The vectors as they are."""
    from model2vec import StaticModel

    StaticModel(table_of(vectors, words), tokenizer_of(words), config={}, normalize=False).save_pretrained(folder)


def count_pairs(text: str) -> Counter[tuple[str, str]]:
    """How often each word has another one at most ``WINDOW`` words after or before it, paragraph by paragraph."""
    counts = Counter[tuple[str, str]]()
    for paragraph in text.split("\n"):
        words = [word.lower() for word in WORD.findall(paragraph)]
        for at, word in enumerate(words):
            for other in words[at + 1 : at + 1 + WINDOW]:
                counts[word, other] += 1
                counts[other, word] += 1
    return counts


def write_counts(counts: Counter[tuple[str, str]], folder: Path) -> None:
    """Both forms: word<TAB>context<TAB>count, and a CSR matrix with its words."""
    folder.mkdir(exist_ok=True)
    lines = (f"{word}\t{context}\t{count}\n" for (word, context), count in sorted(counts.items()))
    (folder / "counts.tsv").write_text("".join(lines), encoding="utf-8")
    words = sorted({word for word, _ in counts})
    index = {word: at for at, word in enumerate(words)}
    cells = np.array([(index[word], index[context], count) for (word, context), count in counts.items()])
    matrix = sparse.csr_array((cells[:, 2], (cells[:, 0], cells[:, 1])), shape=(len(words), len(words)))
    sparse.save_npz(folder / "counts.npz", matrix)
    (folder / "counts.words").write_text("\n".join(words) + "\n", encoding="utf-8")


def write_vectors(vectors: WordVectors, words: list[str], folder: Path) -> None:
    """The vectors as text without a header, as GloVe has it, and in the binary form of word2vec."""
    rows = vectors.rows[[vectors.index[word] for word in words]]
    with (folder / "glove.txt").open("w", encoding="utf-8") as lines:
        lines.writelines(f"{word} {' '.join(map(str, row))}\n" for word, row in zip(words, rows, strict=True))
    with (folder / "word2vec.bin").open("wb") as stream:
        stream.write(f"{len(rows)} {rows.shape[1]}\n".encode())
        for word, row in zip(words, rows.astype("<f4"), strict=True):
            stream.write(f"{word} ".encode() + row.tobytes() + b"\n")


def make_fasttext(text: str, file: Path) -> None:
    """A fastText model with n-grams, trained on the paragraphs for one epoch by one thread."""
    from gensim.models import fasttext

    paragraphs = [[word.lower() for word in WORD.findall(paragraph)] for paragraph in text.split("\n")]
    model = fasttext.FastText(paragraphs, vector_size=50, min_count=5, epochs=1, bucket=20_000, seed=1, workers=1)
    fasttext.save_facebook_model(model, str(file))


def main() -> None:
    """Build what the installed libraries allow."""
    source, dump, folder = (Path(word) for word in sys.argv[1:4])
    folder.mkdir(parents=True, exist_ok=True)
    text = ""
    if dump.exists():
        with bz2.open(dump, "rt", encoding="utf-8", errors="replace") as stream:
            text = re.sub(r"<[^>]*>|\{\{[^{}]*\}\}|[\[\]']+", " ", stream.read())
        write_counts(count_pairs(text), folder)
    vectors = read_vectors(source)
    words = [word for word in vectors.index if WORD.fullmatch(word) and not word.startswith("##")]
    write_vectors(vectors, words, folder)
    makers: dict[str, Callable[[], None]] = {
        "gensim": lambda: make_fasttext(text, folder / "fasttext.bin"),
        "model2vec": lambda: make_model2vec(vectors, words, folder / "model2vec"),
        "transformers": lambda: make_transformer(vectors, words, folder / "bert"),
        "sentence_transformers": lambda: make_sentence_transformer(folder / "bert", folder / "sentences"),
    }
    for library, make in makers.items():
        if importlib.util.find_spec(library) is None:
            print(f"{library} is not installed: left out")
            continue
        make()
        print(f"{library}: done")


if __name__ == "__main__":
    main()
