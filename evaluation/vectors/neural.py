"""Models of transformers, sentence-transformers and model2vec as functions from texts to vectors.

All libraries are imported when a model is opened: none is part of the base install. Texts are encoded some at a time,
on the CPU or whatever device the library chooses.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from wikisem.errors import DamagedInputError, MissingInputError, UsageError, optional_module

Encoder = Callable[[Sequence[str]], Any]

_TEXTS_AT_ONCE: Final = 32
_MARK: Final = "{}"


def sentence_encoder(name: str, prompt: str = "") -> Encoder:
    """Whole texts by a sentence-transformers model, after ``prompt``, as models trained with instructions need it."""
    module = optional_module("sentence_transformers", "the model", "transformers")
    model = _open(name, lambda: module.SentenceTransformer(name))
    return lambda texts: model.encode(list(texts), prompt=prompt or None, show_progress_bar=False)


def model2vec_encoder(name: str) -> Encoder:
    """The means of a model2vec model's static vectors, weighted as the model has it; zero for text it does not know."""
    module = optional_module("model2vec", "the model", "model2vec")
    model = _open(name, lambda: module.StaticModel.from_pretrained(name))
    return lambda texts: model.encode(list(texts))


def static_encoder(name: str) -> Encoder:
    """The mean of the input embeddings of each text's tokens, without any layer of the model above them.

    Special tokens are left out. Tokenizers that tell words by the blank before them (byte-level BPE) see a
    blank, because the tokens of a word in running text are the ones that were trained most.
    """
    tokenizer, model = _transformer(name)
    table = model.get_input_embeddings().weight.detach().float().numpy()
    first = tokenizer.convert_ids_to_tokens(tokenizer(" a", add_special_tokens=False)["input_ids"])
    blank = " " if first and first[0].startswith("Ġ") else ""
    unknown = tokenizer.unk_token_id

    def encode(texts: Sequence[str]) -> list[Any]:
        listed = tokenizer([blank + text for text in texts], add_special_tokens=False)["input_ids"]
        known = [[token for token in ids if token != unknown] for ids in listed]
        return [table[ids].astype(np.float64).mean(axis=0) if ids else None for ids in known]

    return encode


def contextual_encoder(name: str, template: str = _MARK, layer: int = -1) -> Encoder:
    """The mean of a layer's states over the tokens of each text, where ``{}`` in the template is.

    ``layer`` counts as Python does: -1 is the last, 0 the input. UsageError for a template without ``{}`` and a layer
    that the model has not, and for a tokenizer that does not tell which token is from where.
    """
    if template.count(_MARK) != 1:
        raise UsageError(f"expected a template with one {_MARK}, saw {template!r}")
    tokenizer, model = _transformer(name)
    if not tokenizer.is_fast:
        raise UsageError(f"{name}: expected a tokenizer that tells where its tokens are from, saw a slow one")
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    start = template.index(_MARK)
    torch = optional_module("torch", "the model", "transformers")
    model.eval()

    def encode(texts: Sequence[str]) -> list[Any]:
        vectors: list[Any] = []
        for index in range(0, len(texts), _TEXTS_AT_ONCE):
            some = texts[index : index + _TEXTS_AT_ONCE]
            batch = tokenizer(
                [template.replace(_MARK, text) for text in some],
                return_offsets_mapping=True,
                return_tensors="pt",
                padding=True,
                truncation=True,
            )
            offsets = batch.pop("offset_mapping").numpy()
            with torch.no_grad():
                states = model(**batch, output_hidden_states=True).hidden_states
            if not -len(states) <= layer < len(states):
                raise UsageError(f"{name}: expected a layer from {-len(states)} to {len(states) - 1}, saw {layer}")
            real = batch["attention_mask"].bool().numpy()
            chosen = states[layer].float().numpy().astype(np.float64)
            for row, text in enumerate(some):
                # Special tokens have offsets of length zero.
                first, end = offsets[row].T
                inside = (first < start + len(text)) & (end > start) & (end > first) & real[row]
                vectors.append(chosen[row][inside].mean(axis=0) if inside.any() else None)
        return vectors

    return encode


def _transformer(name: str) -> tuple[Any, Any]:
    """The tokenizer and the model of this name."""
    module = optional_module("transformers", "the model", "transformers")
    tokenizer = _open(name, lambda: module.AutoTokenizer.from_pretrained(name))
    return tokenizer, _open(name, lambda: module.AutoModel.from_pretrained(name))


def _open(name: str, load: Callable[[], Any]) -> Any:
    try:
        return load()
    except Exception as error:  # parsers of weights and tokenizers raise bare ones
        saw = str(error).partition("\n")[0] or type(error).__name__
        if Path(name).exists():
            raise DamagedInputError(f"{name}: expected a whole model, saw {saw}") from error
        raise MissingInputError(f"{name}: expected a model, saw {saw}") from error
