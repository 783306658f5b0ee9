# Everything happens in .venv; nothing is installed outside of it. Needs Python 3.11 or newer and make.
PYTHON ?= python3
BIN := .venv/bin
UV := $(BIN)/uv pip install --quiet --python $(BIN)/python
.DEFAULT_GOAL := help

.PHONY: help play test lint types format bench load docs perft lock clean

help: ## list these commands
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 10

play: .venv/play ## play: sets up what is needed, then starts the program
	@$(BIN)/sobremesa

test: .venv/test lint types ## run all checks and tests
	$(BIN)/pytest -n 2 --cov --cov-report=term

lint: .venv/test ## check style and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/test ## check types, strictly
	$(BIN)/mypy

format: .venv/test ## put the source into the house format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: .venv/play ## measure the rules' speed on this machine
	$(BIN)/sobremesa bench

load: .venv/play ## put load on a server of this machine, and measure it
	for what in games crowd idle stored; do $(BIN)/python tools/load.py $$what || exit 1; done

docs: .venv/test ## draw the pictures anew and write the reference into build/docs
	$(BIN)/python tools/pictures.py
	$(BIN)/sobremesa schema docs/schema
	$(BIN)/pdoc --output-directory build/docs sobremesa

perft: .venv/play ## write the rules' fingerprints anew (after a deliberate change of rules only)
	$(BIN)/python tools/perft.py

lock: .venv/uv ## choose and pin the newest dependencies
	cd requirements && for part in uv play train test; do \
	  ../$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
	    --no-header --no-annotate --no-emit-index-url $$part.in --output-file $$part.txt || exit 1; done

clean: ## remove the environment and everything that was built
	rm -rf .venv build dist .coverage* .mypy_cache .pytest_cache .ruff_cache .hypothesis

.venv/uv: requirements/uv.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Sobremesa needs Python 3.11 or newer; try: make PYTHON=python3.12 play" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || \
	  { echo "Python's venv module is missing; on Debian: apt-get install python3-venv" >&2; exit 1; }
	@echo "Setting up .venv ..."
	@$(PYTHON) -m venv --clear .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/uv.txt
	@touch $@

.venv/play: .venv/uv requirements/play.txt pyproject.toml
	@$(UV) --require-hashes -r requirements/play.txt
	@$(UV) --no-deps --no-build-isolation --editable .
	@touch $@

.venv/test: .venv/play requirements/test.txt tools/system_parts
	@$(UV) --require-hashes -r requirements/test.txt
	@tools/system_parts
	@touch $@
