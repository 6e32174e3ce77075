# Every command does its own set-up on a machine with Python 3.11+ and make; `make demo` and `make test` come first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
UV := $(BIN)/uv pip install --quiet --python $(BIN)/python

# Python keeps what it has compiled, also where the environment says otherwise, as containers do: without that every start
# compiles some 1,500 modules again.
unexport PYTHONDONTWRITEBYTECODE

# The checks run beside the tests: mypy takes 20 s of one core, and so does pytest at first, see tests/conftest.py.
MAKEFLAGS += --jobs=2

.PHONY: demo checks quick whole lowest test test-all test-versions test-engines test-models test-harness site job-servers interruptions damages fuzz bench wheel clean

demo: $(VENV)/ready
	$(BIN)/wikisem demo

checks: $(VENV)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# What a change is tried with: all checks, and every test that is not marked slow, with fewer random examples.
test: checks quick

quick: $(VENV)/dev
	$(BIN)/python -m pytest -n auto --dist loadfile -m 'not slow' --hypothesis-profile=quick

# What lands: every test there is, then the quick ones that start no pipeline on the lowest versions of everything, which
# are installed meanwhile. The dictionary of the Japanese tokenizer has no wheel and takes 10 CPU s to build.
test-all: checks whole lowest
	$(BIN)/python .ci/versions.py quick

lowest: $(VENV)/dev
	$(BIN)/python .ci/versions.py prepare

whole: $(VENV)/dev
	$(UV) --editable '.[dev,test,tokenizers]'
	$(BIN)/python -m pytest -n auto --dist loadfile

# Both ends of what pyproject.toml allows, each in an environment of its own; says what it ran.
test-versions: $(VENV)/dev
	$(BIN)/python .ci/versions.py lowest
	$(BIN)/python .ci/versions.py newest

# The same build on every engine that is here, compared file by file. ENGINES names some of them. Prism is built where
# there is Go, unless $WIKISEM_PRISM names one; $WIKISEM_FLINK_JAR and $WIKISEM_SPARK_JAR name Beam's job servers.
PRISM := github.com/apache/beam/sdks/v2/go/cmd/prism@v2.77.0
export WIKISEM_PRISM ?= $(or $(shell command -v prism),$(wildcard $(CURDIR)/build/prism))
test-engines: $(VENV)/dev
	$(UV) --editable '.[engines]'
	if [ -z "$$WIKISEM_PRISM" ] && [ -z "$(ENGINES)" ] && command -v go >/dev/null; \
	then GOBIN=$(CURDIR)/build go install $(PRISM) && export WIKISEM_PRISM=$(CURDIR)/build/prism; fi; \
	$(BIN)/python -m tests.engines $(ENGINES)

# What Flink and Spark need, some 800 MB in build/engines: Beam's job servers from Maven Central, Flink from its Python
# package, and Beam's program that starts a worker. Takes Maven, Go and Java.
job-servers: $(VENV)/dev
	for engine in flink spark; do mvn --batch-mode --quiet --file tests/engines/job_servers/$$engine.xml \
		dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory=$(CURDIR)/build/engines/$$engine || exit 1; done
	$(PIP) --no-deps --target build/engines --upgrade 'apache-flink-libraries>=1.19,<1.20'
	GOBIN=$(CURDIR)/build/engines go install github.com/apache/beam/sdks/v2/python/container@v2.77.0

# The documentation site, strictly: a link that leads nowhere is an error. In an environment of its own.
site: $(VENV)/dev
	$(BIN)/uv venv --quiet --allow-existing .versions/site
	$(BIN)/uv pip install --quiet --python .versions/site/bin/python 'mkdocs-material>=9.5,<10' 'mkdocstrings[python]>=0.26' ruff
	NO_MKDOCS_2_WARNING=1 .versions/site/bin/mkdocs build --quiet
	@echo site: .versions/site-pages/index.html

# Models through the libraries that need torch, and tokenizers, in an environment of its own that takes gigabytes. An
# import fails where one is missing, so that no test is skipped.
test-models: $(VENV)/dev
	$(BIN)/uv venv --quiet --allow-existing .versions/models
	$(BIN)/uv pip install --quiet --python .versions/models/bin/python --editable '.[dev,tokenizers,transformers]'
	.versions/models/bin/python -c 'import fugashi, rjieba, model2vec, sentence_transformers, torch, transformers'
	HF_HUB_OFFLINE=1 TOKENIZERS_PARALLELISM=false .versions/models/bin/python -m pytest -rs \
		tests/evaluation/test_neural.py tests/evaluation/test_tokenizers.py

# lm-evaluation-harness, inspect-ai and MTEB on releases, in an environment of its own that takes gigabytes. With
# WRITE=--write the table goes to docs/harnesses/results.md.
test-harness: $(VENV)/dev
	$(BIN)/python .ci/harness.py $(WRITE)

wheel: $(VENV)/dev
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .
	@ls dist/*.whl

# Builds that are interrupted in six ways, and resumed; see docs/output-folder.md. RUNS=6 takes a minute or two.
RUNS ?= 60
SEED ?= 1
interruptions: $(VENV)/dev
	$(BIN)/python -m tests.interruptions --seed $(SEED) --runs $(RUNS)

# Dumps, files of OUT, recipes, profiles, vectors, groups and answers of an endpoint, damaged; see docs/output-folder.md.
DAMAGES ?= 500
damages: $(VENV)/dev
	$(BIN)/python -m tests.damages --seed $(SEED) --runs $(DAMAGES)

# Mutated dumps for the decoder in C, under the sanitizers. CASES=3000 takes seconds.
CASES ?= 100000
fuzz: $(VENV)/dev
	$(BIN)/python -m tests.fuzz.bzip2 --cases $(CASES) --seed $(SEED)

bench: $(VENV)/dev
	$(UV) --editable '.[bench]'
	$(BIN)/python -m benchmarks

# uv installs in half the CPU time of pip, and the development tools in a fifth (2026-11). Where it has no wheel or does
# not find the packages, since it does not read the settings of pip, pip does it. Python compiles what it imports, 2 CPU s
# for the demo; to compile all that is installed would take another 9 before the first group.
$(VENV)/ready: pyproject.toml setup.py
	$(PYTHON) -m venv $(VENV)
	$(PIP) uv && $(UV) --editable '.[build,chinese]' || $(PIP) --editable '.[build,chinese]'
	touch $@

$(VENV)/dev: $(VENV)/ready
	$(UV) --editable '.[dev,test]'
	touch $@

clean:
	rm -rf $(VENV) .versions build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
