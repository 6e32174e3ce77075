"""A model of words or texts: named by a string (a file, a model of another library, a function), or an object.

The form of a file is found by its content: text, word2vec binary, fastText binary, an array; compressed or not. The
strings are public: ``wikisem.evaluate.open_vectors`` takes them, and so does every option that names a model. Libraries
of models are imported when one is opened: none is in the base install.
"""

import importlib
import traceback
import zlib
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

import numpy as np

from wikisem.datasets.files import UNPACKING_ERRORS, open_unpacked
from wikisem.errors import DamagedInputError, MissingInputError, UsageError, WikisemError, optional_module
from wikisem.evaluation.options import Keys
from wikisem.evaluation.vectors import embeddings, files
from wikisem.evaluation.vectors.embeddings import EmbeddingModel, Similarity, Tokenizer, WordModel, WordVectors

PYTHON: Final = "python:"
_COUNTS: Final = "counts:"

# The options that may follow "?" in a source of each kind; any other source is a file.
_OPTIONS: Final[Mapping[str, frozenset[str]]] = {
    "sentence-transformers:": frozenset({"prompt"}),
    "transformers:": frozenset(),
    "contextual:": frozenset({"template", "layer"}),
    "model2vec:": frozenset(),
    "characters:": frozenset(),
    _COUNTS: frozenset({"weight", "contexts", "similarity"}),
    "similarity:": frozenset(),
    PYTHON: frozenset(),
}

# Enough for whole records of 16,000 dimensions as text.
_SAMPLE: Final = 1 << 18
_DAMAGE: Final = (ValueError, MemoryError, *UNPACKING_ERRORS)
# Of more n-grams than this, some share a dimension.
_DIMENSIONS: Final = 1 << 13
TextFunction = Callable[[Sequence[str]], Any]
_TEXTS_AT_ONCE: Final = 32  # on the CPU, or whatever device the library chooses
_MARK: Final = "{}"


class Lookup(NamedTuple):
    """How items are looked up in a vocabulary: by phrases or single tokens of ``tokenize``, or by QID or title."""

    phrases: bool = True
    tokenize: Tokenizer = embeddings.tokens_of
    keys: Keys | None = None

    def model(
        self, name: str, vectors: WordVectors, similarity: Similarity = embeddings.cosine, about: Sequence[str] = ()
    ) -> WordModel:
        """The model of these vectors; ``about`` are the first of its notes."""
        if self.keys:
            return embeddings.KeyModel(name, vectors, self.keys, similarity, about)
        return WordModel(name, vectors, self.phrases, self.tokenize, similarity, about)


def model_name(source: str) -> str:
    """What a report calls a model: the name of a file without its folder, any other source as it is."""
    return source if source.startswith(tuple(_OPTIONS)) else Path(source).name


def open_model(
    source: str,
    phrases: bool = True,
    name: str = "",
    items: Iterable[str] | None = None,
    tokenize: Tokenizer = embeddings.tokens_of,
    keys: Keys | None = None,
) -> EmbeddingModel:
    """Open a file of vectors, or a model of another kind as "KIND:NAME?OPTION=VALUE" (docs/evaluation.md lists them).

    ``name`` is what reports call it, ``model_name`` if it is empty. Of a file, only the vectors that ``items`` (words
    of a data set) may need are read, if they are given; such a model has no whole vocabulary. With ``keys``, items are
    looked up by QID or title. Raises UsageError for what cannot be imported, options that are not known, and models
    that read words but no keys; MissingInputError for a model that is not there, and what ``read_vectors`` raises.
    """
    name = name or model_name(source)
    kind = next((kind for kind in _OPTIONS if source.startswith(kind)), "")
    lookup = Lookup(phrases, tokenize, keys)
    if not kind:  # a file of vectors
        asked = None if items is None else embeddings.words_asked_for(items, tokenize, keys)
        return lookup.model(name, read_vectors(source, asked))
    if kind == PYTHON:
        return embeddings.TextModel(name, _function(source.removeprefix(PYTHON)))
    if kind == "similarity:":  # a function or a file
        target = source.removeprefix(kind)
        if target.startswith(PYTHON):
            return embeddings.SimilarityModel(name, open_similarity(target))
        with _whole_file(Path(target), "similarities"):
            return files.read_similarities(Path(target), name)
    target, options = _parse_options(source, kind)
    if kind == _COUNTS:
        contexts = options.get("contexts", "")
        if contexts and not (contexts.isdecimal() and int(contexts)):
            raise UsageError(f"expected contexts to be a whole number from 1 up, saw {contexts!r}")
        return next(_open_counts(name, Path(target), options, [int(contexts or 0)], lookup))
    if keys:
        raise UsageError(f"{source}: expected vectors keyed by {keys}, saw a model that reads words")
    return embeddings.TextModel(name, _encoder(kind, target, options))


def _parse_options(source: str, kind: str) -> tuple[str, dict[str, str]]:
    """The name of a model and its options, as of "contextual:NAME?template=a {}&layer=-2"."""
    target, _, query = source.removeprefix(kind).partition("?")
    options = dict(word.partition("=")[::2] for word in query.split("&") if word)
    if unknown := sorted(set(options) - _OPTIONS[kind]):
        known = ", ".join(sorted(_OPTIONS[kind])) or "none"
        raise UsageError(f"{source}: expected options of {kind.rstrip(':')} ({known}), saw {unknown[0]!r}")
    return target, options


def _encoder(kind: str, target: str, options: Mapping[str, str]) -> TextFunction:
    """The encoder of texts of the model called ``target``; its library is imported, and the model loaded."""
    if kind == "sentence-transformers:":
        module = optional_module("sentence_transformers", "the model", "transformers")
        model = _open(target, lambda: module.SentenceTransformer(target))
        # Models trained with instructions need them before each text.
        more = {"prompt": options.get("prompt") or None, "show_progress_bar": False}
        return lambda texts: model.encode(list(texts), **more)
    if kind == "model2vec:":
        module = optional_module("model2vec", "the model", "model2vec")
        model = _open(target, lambda: module.StaticModel.from_pretrained(target))
        return lambda texts: model.encode(list(texts))  # zero for text it does not know
    if kind == "characters:":
        return character_encoder(target)
    layer, template = options.get("layer", "-1"), options.get("template", _MARK)
    if not layer.removeprefix("-").isdecimal():
        raise UsageError(f"expected a layer to be a whole number, saw {layer!r}")
    if template.count(_MARK) != 1:
        raise UsageError(f"expected a template with one {_MARK}, saw {template!r}")
    module = optional_module("transformers", "the model", "transformers")
    tokenizer = _open(target, lambda: module.AutoTokenizer.from_pretrained(target))
    model = _open(target, lambda: module.AutoModel.from_pretrained(target))
    if kind == "transformers:":
        return static_encoder(tokenizer, model)
    return contextual_encoder(target, tokenizer, model, template, int(layer))


def character_encoder(longest: str) -> TextFunction:
    """An encoder of texts as counts of their n-grams of up to ``longest`` characters, with "<" and ">" at both ends.

    As the subwords of fastText (Bojanowski et al. 2017), without training: what spelling alone tells. Counts are sparse
    rows if SciPy is installed; dense ones score the same and take 64 KB a text. UsageError for anything but a whole
    number from 1 up.
    """
    if not longest.isdecimal() or not int(longest):
        raise UsageError(f"expected a whole number of characters from 1 up (characters:3), saw {longest!r}")
    try:
        row_of: Callable[[Any], Any] = importlib.import_module("scipy.sparse").csr_matrix
    except ModuleNotFoundError:
        row_of = np.asarray

    def count(text: str) -> Any:
        lengths = range(1, int(longest) + 1)
        n_grams = (text[start : start + size] for size in lengths for start in range(len(text) - size + 1))
        dimensions = [zlib.crc32(n_gram.encode()) % _DIMENSIONS for n_gram in n_grams]
        return row_of(np.bincount(dimensions, minlength=_DIMENSIONS).astype(np.float64))

    return lambda texts: [count(f"<{text}>") for text in texts]


def open_by_contexts(source: str, numbers: Iterable[int], lookup: Lookup) -> Iterator[WordModel]:
    """A model of word-context counts for each of ``numbers``, how many contexts a word keeps, 0 for all.

    UsageError for a model of another kind, and for one whose options have a number of contexts.
    """
    if not source.startswith(_COUNTS):
        raise UsageError(f"expected a model of counts ({_COUNTS}FILE), saw {source!r}")
    target, options = _parse_options(source, _COUNTS)
    if "contexts" in options:
        raise UsageError(f"{source}: expected no contexts of its own, saw {options['contexts']!r}")
    return _open_counts(model_name(source), Path(target), options, numbers, lookup)


def _open_counts(
    name: str, path: Path, options: Mapping[str, str], numbers: Iterable[int], lookup: Lookup
) -> Iterator[WordModel]:
    """A model of count vectors for each of ``numbers`` (contexts that a word keeps, 0 for all), by one reading."""
    of_counts = optional_module("wikisem.evaluation.vectors.counts", "a model of counts", "counts", package="scipy")
    weight, similarity = options.get("weight", "ppmi"), options.get("similarity", "cosine")
    known = {"weight": (weight, of_counts.WEIGHTS), "similarity": (similarity, of_counts.SIMILARITIES)}
    for option, (value, choices) in known.items():
        if value not in choices:
            raise UsageError(f"expected {option} to be {', '.join(choices)}, saw {value!r}")
    with _whole_file(path, "counts"):
        counts = of_counts.read_counts(path)
    weights = of_counts.WEIGHTS[weight](counts)
    for number in numbers:
        each = f", {number:,} of each word" if number else ""
        about = f"count vectors of {counts.matrix.shape[1]:,} contexts{each}: {weight}, {similarity}"
        yield lookup.model(name, counts.vectors(weights, number), of_counts.SIMILARITIES[similarity], (about,))


def open_similarity(source: str) -> Similarity:
    """The similarity of ``python:MODULE:FUNCTION``, a callable of two lists; UsageError for anything else."""
    if not source.startswith(PYTHON):
        raise UsageError(f"expected {PYTHON}MODULE:FUNCTION, saw {source!r}")
    return embeddings.given_similarity(_function(source.removeprefix(PYTHON)), source)


def _function(target: str) -> Callable[..., Any]:
    """The user's function MODULE:FUNCTION; UsageError if it cannot be imported, and for whatever it raises."""
    module, _, name = target.partition(":")
    with _blamed_on(target, "MODULE:FUNCTION"):
        loaded = importlib.import_module(module)
        function = getattr(loaded, name, f"no {name or 'name'}")
    if not callable(function):
        own = [key for key, value in vars(loaded).items() if getattr(value, "__module__", "") == module]
        has = ", ".join(key for key in own if callable(getattr(loaded, key)) and not key.startswith("_")) or "none"
        raise UsageError(f"{PYTHON}{target}: expected a function of {module} ({has}), saw {function}")
    return _blamed_on(target, "an answer")(function)  # as a decorator: every call is in this context


@contextmanager
def _blamed_on(target: str, expected: str) -> Iterator[None]:
    """Errors of the user's module, as it is imported or called, as a UsageError that says where."""
    try:
        yield
    except ModuleNotFoundError as error:
        wanted = f"{error.name} to be installed or in this folder"
        raise UsageError(f"{PYTHON}{target}: expected {wanted}, saw no such module") from error
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        saw = f"{type(error).__name__}: {error} ({frame.filename}:{frame.lineno})"
        raise UsageError(f"{PYTHON}{target}: expected {expected}, saw {saw}") from error


def read_vectors(path: str | Path, asked: Container[str] | None = None) -> WordVectors:
    """The words and vectors of a file, whose first bytes show its form; with ``asked``, only of these words.

    MissingInputError if there is no such file; DamagedInputError for a file in another form, or one that is cut off.
    """
    file = Path(path)
    if not file.is_file():
        raise MissingInputError(f"expected a file of vectors, saw none at {file}")
    with _whole_file(file, "vectors"):
        with open_unpacked(file) as stream:
            start = stream.read(_SAMPLE)
        first, _, rest = start.partition(b"\n")
        if start.startswith(files.FASTTEXT):
            return files.read_fasttext(file, asked)
        if start.startswith(files.NUMPY):
            words, matrix = files.read_array(file)
            chosen = [index for index, word in enumerate(words) if asked is None or word in asked]
            rows = matrix[chosen].astype(np.float64 if matrix.dtype == np.float64 else np.float32)
            spelling = None if asked is None else embeddings.spelling_of(words)
            return embeddings.from_words([words[index] for index in chosen], rows, spelling, whole_size=len(words))
        # word2vec and PyTorch-BigGraph begin with a line of sizes, GloVe with a word and its numbers.
        header = files.read_header(first, rest.partition(b"\n")[0], str(file))
        dimensions = header.dimensions if header else len(first.split()) - 1
        with open_unpacked(file) as stream:
            if dimensions > 0 and files.is_text(rest if header else start, dimensions):
                return files.read_text(stream, str(file), asked, header)
            if header and not header.of_graph and dimensions > 0:
                return files.read_binary(stream, str(file), asked, header)
        known = (saw for magic, saw in files.REFUSED.items() if start.startswith(magic))
        raise DamagedInputError(f"{file}: {files.EXPECTED}, saw {next(known, files.excerpt(first))}")


@contextmanager
def _whole_file(file: Path, what: str) -> Iterator[None]:
    """Errors of the libraries that unpack and parse a file, as a DamagedInputError that names it."""
    try:
        yield
    except WikisemError:
        raise
    except _DAMAGE as error:
        raise DamagedInputError(f"{file}: expected whole {what}, saw {str(error) or type(error).__name__}") from error


class KeyedVectors(Protocol):
    """What is read of gensim's KeyedVectors: its words, and an array with a row for each."""

    index_to_key: Any
    vectors: Any


class TextEncoder(Protocol):
    """What is called of the models of sentence-transformers, model2vec and others."""

    def encode(self, texts: list[str], /) -> Any:
        """One vector for each text."""


ModelObject = KeyedVectors | TextEncoder | TextFunction | Mapping[str, Any] | tuple[Sequence[str], Any]


def open_object(model: Any, name: str, lookup: Lookup) -> EmbeddingModel:
    """Open a model that is a Python object.

    KeyedVectors, a whole model of gensim, a mapping and a pair have a vocabulary; what has ``encode`` and callables
    read any text. Arrays are not copied. UsageError for anything else, DamagedInputError for vectors that are not a row
    of numbers for each word.
    """
    model = getattr(model, "wv", model)
    name = name or getattr(model, "__name__", type(model).__name__)
    if hasattr(model, "index_to_key"):
        vectors = _from_pairs(name, model.index_to_key, model.vectors)
        if hasattr(model, "vectors_ngrams"):

            def unseen(word: str) -> embeddings.VectorRows:
                """The vector of a word outside the vocabulary as gensim's FastTextKeyedVectors make it."""
                try:
                    return np.asarray(model.get_vector(word))
                except KeyError:  # trained without n-grams
                    return np.zeros(1, np.float32)

            vectors = replace(vectors, unseen=unseen)
    elif isinstance(model, Mapping):
        vectors = _from_pairs(name, list(model), list(model.values()))
    elif isinstance(model, tuple) and len(model) == 2:
        vectors = _from_pairs(name, *model)
    elif callable(encode := getattr(model, "encode", model)):
        return embeddings.TextModel(name, encode)
    else:
        raise UsageError(
            "expected a path or name of a model, KeyedVectors, a mapping from words to vectors, a pair of words and an "
            f"array, a function, or an object with encode, saw {name}"
        )
    return lookup.model(name, vectors)


def _from_pairs(name: str, words: Sequence[Any], rows: Any) -> WordVectors:
    """Word vectors of an object's words and rows; DamagedInputError unless each word has a row of numbers."""
    if odd := [word for word in words if not isinstance(word, str)][:1]:
        raise DamagedInputError(f"{name}: expected words that are strings, saw {odd[0]!r}")
    try:
        if embeddings.is_sparse(rows):
            from scipy.sparse import csr_array  # noqa: PLC0415 - who has sparse rows has SciPy

            numbers = csr_array(rows, dtype=np.float64)
            numbers.eliminate_zeros()
        else:
            numbers = np.asarray(rows)
            if numbers.dtype not in (np.float32, np.float64):
                numbers = numbers.astype(np.float64, casting="same_kind")
    except (TypeError, ValueError) as error:
        raise DamagedInputError(f"{name}: expected a row of numbers for each word, saw {error}") from error
    if not words or numbers.ndim != 2 or numbers.shape[0] != len(words):
        wanted = f"{len(words):,} rows of numbers, one for each word" if words else "words with vectors"
        raise DamagedInputError(f"{name}: expected {wanted}, saw numbers of shape {numbers.shape}")
    if embeddings.is_sparse(numbers):
        filled = np.flatnonzero(np.diff(numbers.indptr))  # what is sparse has no empty rows
        return embeddings.from_words([words[index] for index in filled.tolist()], numbers[filled])
    return embeddings.from_words(words, numbers)


def static_encoder(tokenizer: Any, model: Any) -> TextFunction:
    """An encoder of texts as the mean input embedding of their tokens, without any layer of the model above these.

    Special tokens are left out. Tokenizers that tell words by the blank before them (byte-level BPE) see a
    blank, because the tokens of a word in running text are the ones that were trained most.
    """
    table = model.get_input_embeddings().weight.detach().float().numpy()
    first = tokenizer.convert_ids_to_tokens(tokenizer(" a", add_special_tokens=False)["input_ids"])
    blank = " " if first and first[0].startswith("Ġ") else ""
    unknown = tokenizer.unk_token_id

    def encode(texts: Sequence[str]) -> list[Any]:
        listed = tokenizer([blank + text for text in texts], add_special_tokens=False)["input_ids"]
        known = [[token for token in ids if token != unknown] for ids in listed]
        return [table[ids].astype(np.float64).mean(axis=0) if ids else None for ids in known]

    return encode


def contextual_encoder(name: str, tokenizer: Any, model: Any, template: str, layer: int) -> TextFunction:
    """An encoder of texts as the mean hidden state of their tokens in a layer, read within a template.

    The text takes the place of ``{}`` in ``template``. ``layer`` counts as Python does: -1 is the last, 0 the input.
    UsageError for a layer that the model lacks, and for a tokenizer that does not give the offsets of tokens.
    """
    if not tokenizer.is_fast:
        raise UsageError(f"{name}: expected a tokenizer that tells where its tokens are from, saw a slow one")
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    start = template.index(_MARK)
    torch = optional_module("torch", "the model", "transformers")
    model.eval()

    def encode(texts: Sequence[str]) -> list[Any]:
        """The mean hidden state of each string's tokens; None for a string without any, as beyond the longest input."""
        vectors: list[Any] = []
        for index in range(0, len(texts), _TEXTS_AT_ONCE):
            some = texts[index : index + _TEXTS_AT_ONCE]
            filled = [template.replace(_MARK, text) for text in some]
            batch = tokenizer(filled, return_offsets_mapping=True, return_tensors="pt", padding=True, truncation=True)
            offsets = batch.pop("offset_mapping").numpy()
            with torch.no_grad():
                states = model(**batch, output_hidden_states=True).hidden_states
            if not -len(states) <= layer < len(states):
                raise UsageError(f"{name}: expected a layer from {-len(states)} to {len(states) - 1}, saw {layer}")
            real = batch["attention_mask"].bool().numpy()
            chosen = states[layer].float().numpy().astype(np.float64)
            for row, text in enumerate(some):
                # The tokens of the filled template that overlap with the text, which begins where ``{}`` was. Special
                # tokens are empty, and padding is not real.
                token_start, token_end = offsets[row].T
                overlaps = (token_start < start + len(text)) & (token_end > start)
                inside = overlaps & (token_end > token_start) & real[row]
                vectors.append(chosen[row][inside].mean(axis=0) if inside.any() else None)
        return vectors

    return encode


def _open(name: str, load: Callable[[], Any]) -> Any:
    try:
        return load()
    except Exception as error:  # parsers of weights and tokenizers raise bare ones
        saw = str(error).partition("\n")[0] or type(error).__name__
        if Path(name).exists():
            raise DamagedInputError(f"{name}: expected a whole model, saw {saw}") from error
        raise MissingInputError(f"{name}: expected a model, saw {saw}") from error
