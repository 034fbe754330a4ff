# make demo   install, measure word vectors and language models in one grid, write tables, plots and model cards to out/
# make test   install everything, run the whole test suite but what is marked nightly
#   make test METHOD=weat  one method, in under a minute      make test-fast     no browser, LaTeX or hostile input
#   make test-nightly      notebooks, calibration, bare installs, every draw of random cases; CI runs it too
#   make test-install      of that the bare installs: wheel and source archive, without an extra, with each and with all,
#                          and on Python 3.12 and 3.13 where these are found
# make modules  write metrics/, the cards of data sets and the table of methods from the records
# make lint   ruff and mypy        make docs   build the documentation site into site/
# make bench  speed and memory against peers, in one run          make space  the explorer on 127.0.0.1
# make ledger compute published numbers again and write docs/replication.csv and .md; SOURCES=folder of clones for all rows

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
OUT    ?= out
export EVALUATE_BIAS_CACHE ?= $(CURDIR)/.cache/evaluate-bias
export WEFE_PYTHON ?= $(CURDIR)/$(VENV)-wefe/bin/python
export EEE_PYTHON ?= $(CURDIR)/$(VENV)-eee/bin/python
export HF_HUB_DISABLE_TELEMETRY = 1
export TOKENIZERS_PARALLELISM = false

.PHONY: demo test test-fast test-nightly test-install test-data lint format docs modules bench ledger mlm space clean
.DELETE_ON_ERROR:

$(BIN)/python:
	@command -v $(PYTHON) >/dev/null || { echo "Python 3.11 or newer is needed: $(PYTHON) was not found"; exit 1; }
	$(PYTHON) -m venv $(VENV)

# torch first and pinned: a plain requirement would pull gigabytes of CUDA packages.
$(VENV)/.base: pyproject.toml constraints.txt | $(BIN)/python
	@echo "== installing evaluate-bias into $(VENV)"
	$(PIP) torch==2.13.0
	$(PIP) -e ".[vectors,models,gguf]"
	@touch $@

$(VENV)/.test: $(VENV)/.base
	@echo "== installing what the tests need"
	$(PIP) -e ".[all]" pytest hypothesis pytest-xdist fairlearn peft sentence-transformers hatchling ruff mypy types-PyYAML pandas-stubs scipy-stubs mkdocs-material "mkdocstrings[python]" nbclient ipykernel
	@touch $@

demo: $(VENV)/.base
	@$(BIN)/python -m evaluate_bias.cli.demo $(OUT)

PYTEST   := OMP_NUM_THREADS=1 $(BIN)/python -m pytest
PARALLEL := -n 2 --dist loadfile

test-data: $(VENV)/.test
	$(BIN)/evaluate-bias data get glove-6b-50d benchmarks smollm2-135m minilm-l6 albert-kor-base gutenberg-books encyclopaedia-lines hiring-names

ifdef METHOD
test: test-data
	$(PYTEST) --method "$(METHOD)" -m "not nightly and not browser" $(PYTEST_ARGS)
else
test: test-data $(VENV)/.browser
	$(PYTEST) $(PARALLEL) -m "not nightly" $(PYTEST_ARGS)
endif

test-fast: test-data
	$(PYTEST) $(PARALLEL) -m "not nightly and not slow and not browser" $(PYTEST_ARGS)

# For the notebook on debiasing: WEFE 0.4.1 needs versions that the library does not run with.
$(VENV)/.debiasing: $(VENV)/.test
	$(PIP) concept-erasure
	@{ $(PYTHON) -m venv $(VENV)-wefe && $(VENV)-wefe/bin/python -m pip install --quiet --disable-pip-version-check \
		wefe==0.4.1 "numpy<2" "scikit-learn<1.6" "setuptools<81"; } || \
		{ rm -rf $(VENV)-wefe; echo "WEFE needs NumPy 1, which Python 3.12 was the last to have: its notebook is skipped"; }
	@touch $@

# llama.cpp's own server, which has no wheel for every system.
$(VENV)/.llama: $(VENV)/.test
	@$(PIP) xllamacpp || echo "no wheel of xllamacpp for this system: the tests of llama.cpp's server are skipped"
	@touch $@

# The validator of Every Eval Ever, with what it imports of the packages that its distribution asks for.
$(VENV)/.eee: $(VENV)/.test
	@{ for python in $(PYTHON) python3.12 python3.13 $$HOME/.pyenv/versions/3.12*/bin/python; do \
		$$python -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null && break; done && \
		$$python -m venv $(VENV)-eee && pip="$(VENV)-eee/bin/python -m pip install --quiet --disable-pip-version-check" && \
		$$pip pydantic "rich<15" requests pyyaml "jsonschema<5" && $$pip --no-deps every-eval-ever==0.3.0; } || \
		{ rm -rf $(VENV)-eee; echo "no Python 3.12 here: the test of records of Every Eval Ever by its validator is skipped"; }
	@touch $@

# Environments with all that the tests need, before which other packages stand.
OLDER := $(VENV)-older
PEERS := $(VENV)-peers
define beside
	$(PYTHON) -m venv $(1)
	@$(1)/bin/python -c 'import sysconfig, pathlib; here = pathlib.Path(sysconfig.get_path("purelib")); \
		there = pathlib.Path("$(CURDIR)/$(VENV)", *here.parts[len(pathlib.Path("$(CURDIR)/$(1)").parts):]); \
		(here / "rest.pth").write_text(f"import site; site.addsitedir({str(there)!r})\n")'
	$(1)/bin/python -m pip install --quiet --disable-pip-version-check $(2)
	@touch $@
endef

$(VENV)/.older: $(VENV)/.test
	$(call beside,$(OLDER),--no-deps transformers==5.23.0 typer==0.16.0 click==8.1.8 pydantic==2.10.0 pydantic-core==2.27.0)

# Programs that read or write what we do.
$(VENV)/.peers: $(VENV)/.test
	$(call beside,$(PEERS),trackio tensorboard mlflow-skinny lm-eval==0.4.13)
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps inspect-evals==0.26.0 backoff toml \
		crfm-helm==0.5.16 dacite retrying cattrs pyhocon pyparsing sqlitedict bottle colorlog mako uncertainty-calibration

test-nightly: test-data $(VENV)/.browser $(VENV)/.debiasing $(VENV)/.llama $(VENV)/.older $(VENV)/.peers $(VENV)/.eee
	EVALUATE_BIAS_TEST_DRAWS=1000 $(PYTEST) $(PARALLEL) -m "nightly or draws or hypothesis" $(PYTEST_ARGS)
	OMP_NUM_THREADS=1 $(OLDER)/bin/python -m pytest $(PARALLEL) tests/models/test_architectures.py tests/models/test_tokenizer_file.py \
		tests/cli/test_main.py tests/cli/test_fitting.py tests/test_options.py $(PYTEST_ARGS)
	OMP_NUM_THREADS=1 $(PEERS)/bin/python -m pytest tests/integrations/test_real_trackers.py \
		tests/integrations/test_real_logs.py tests/integrations/test_published_protocols.py $(PYTEST_ARGS)

test-install: $(VENV)/.test
	$(PYTEST) -m nightly tests/hub/test_wheel.py $(PYTEST_ARGS)

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

modules: $(VENV)/.base
	$(BIN)/python -m evaluate_bias.hub.write_modules .

docs: $(VENV)/.test
	$(BIN)/mkdocs build --strict

$(VENV)/.space: $(VENV)/.base
	$(PIP) -e ".[space]"
	@touch $@

# A real browser for the tests of the pages and LaTeX for those of report.tex; where none can be installed, these say so
# and are skipped.
$(VENV)/.browser: $(VENV)/.test
	$(PIP) playwright
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -qq -y chromium >/dev/null; } || \
		echo "no Chromium here: install it (Debian: apt-get install chromium) to run the browser tests"
	@command -v pdflatex >/dev/null || { [ "$$(id -u)" = 0 ] && apt-get update -qq && \
		apt-get install -qq -y --no-install-recommends texlive-latex-base texlive-latex-recommended lmodern >/dev/null; } || \
		echo "no LaTeX here: install it (Debian: apt-get install texlive-latex-recommended lmodern) to run its tests"
	@touch $@

.PHONY: space
space: $(VENV)/.space
	$(BIN)/evaluate-bias data get glove-6b-50d
	$(BIN)/python spaces/bias_explorer/app.py

bench: $(VENV)/.test
	$(BIN)/python benchmarks/scoring.py
	$(BIN)/python benchmarks/embedding.py
	$(BIN)/python benchmarks/generation.py
	$(BIN)/python benchmarks/corpus.py
	$(BIN)/python benchmarks/static.py
	$(BIN)/python benchmarks/grid.py

# Rows that read files of other repositories run where SOURCES, a folder, has clones of these.
ledger: $(VENV)/.base
	$(BIN)/python -m benchmarks.ledger.run $(if $(SOURCES),--sources $(SOURCES))

# Trains the demonstration model anew; an hour on one core.
mlm: $(VENV)/.test
	$(BIN)/python demo_models/mlm_en/train.py

clean:
	rm -rf build dist out site .pytest_cache .mypy_cache .ruff_cache
