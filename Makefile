# Everything happens in .venv and web/node_modules; nothing is installed outside. Needs Python 3.11 or newer and make.
PYTHON ?= python3
BIN := .venv/bin
UV := $(BIN)/uv pip install --quiet --python $(BIN)/python
WEB := $(BIN)/python tools/web.py
.DEFAULT_GOAL := help

# Compiled Python is kept, whatever the environment says: tests start hundreds of processes.
unexport PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX := $(CURDIR)/build/bytecode

.PHONY: help play page test lint types format bench versus load arena speed screenshots icons docs release perft soak sbom lock clean

help: ## list these commands
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14

play: .venv/play page ## play: sets up what is needed, then starts the program
	@$(BIN)/sobremesa

page: .venv/node ## build the page, if it has changed
	@$(WEB) build

test: .venv/test .venv/browser page ## run all checks and tests
	@$(MAKE) --no-print-directory --jobs 2 lint types
	$(WEB) pass test
	$(BIN)/pytest -n 3 --dist worksteal

lint: .venv/test .venv/node ## check style and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(WEB) pass lint

types: .venv/test .venv/node ## check types, strictly
	$(BIN)/mypy
	$(WEB) pass check

format: .venv/test .venv/node ## put the source into the house format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(WEB) run format

bench: .venv/play ## measure the rules' speed on this machine
	$(BIN)/sobremesa bench

versus: .venv/versus ## compare the rules' speed with OpenSpiel's, PettingZoo's and Pgx's games (a quarter of an hour)
	$(BIN)/python benchmarks/versus.py run --json docs/research/versus.json
	$(BIN)/python benchmarks/versus.py show docs/research/versus.json

load: .venv/play ## put load on a server of this machine, and measure it
	for what in games crowd broadcast idle stored; do $(BIN)/python tools/load.py $$what || exit 1; done

arena: .venv/play ## let all levels of all games play against each other (takes hours)
	for game in $$($(BIN)/python -c "import sobremesa; print(*sobremesa.GAMES)"); do $(BIN)/sobremesa arena $$game --games 900 --jobs 2 \
	  --seats child,beginner,casual,regular,club,greedy,expert,master,champion --table 2 || exit 1; done

speed: .venv/test page ## measure how quick the page is on this machine
	$(BIN)/python tools/page_speed.py

screenshots: .venv/test page ## take pictures of every screen, into build/screenshots
	$(BIN)/python tools/screenshots.py

icons: .venv/test ## draw the page's icons anew
	$(BIN)/python tools/icons.py

docs: .venv/test ## draw the pictures anew and build the documentation into build/docs
	$(BIN)/python tools/stub.py
	$(BIN)/python tools/pictures.py
	$(BIN)/sobremesa schema docs/schema
	$(BIN)/python tools/docs_site.py build/docs

release: .venv/test ## build wheel and sdist into dist, check them in clean environments, write checksums and the SBOM
	$(BIN)/python tools/release.py

perft: .venv/play ## write the rules' fingerprints anew (after a deliberate change of rules only)
	$(BIN)/python tools/perft.py

soak: .venv/test .venv/ray ## test at length: servers killed, networks taught, the rules in JAX against the library
	$(BIN)/pytest -n 2 --at-length tests/server/test_crash.py
	$(BIN)/pytest -n 2 --at-length -m at_length tests src
	$(BIN)/python tools/faults.py --minutes 60
	$(BIN)/python tools/faults.py --minutes 10 --sqlite
	$(BIN)/python tools/attack.py
	$(BIN)/python tools/attack_engines.py --check
	$(BIN)/python tools/soak.py

sbom: .venv/play ## write the software bill of materials, into build/sbom.json
	@$(BIN)/python tools/sbom.py build/sbom.json

lock: .venv/uv ## choose and pin the newest dependencies
	cd requirements && for part in uv play web train test; do \
	  ../$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
	    --no-header --no-annotate --no-emit-index-url $$part.in --output-file $$part.txt || exit 1; done
	cd requirements && ../$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	  --no-header --no-annotate --no-emit-index-url --constraint play.txt browser.in --output-file browser.txt
	cd requirements && for part in versus ray; do \
	  ../$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	    --no-header --no-annotate --no-emit-index-url --constraint test.txt $$part.in --output-file $$part.txt || exit 1; done

clean: ## remove the environment and everything that was built
	rm -rf .venv build dist web/node_modules src/sobremesa/server/page .mypy_cache .pytest_cache .ruff_cache .hypothesis

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

.venv/node: .venv/play requirements/web.txt
	@$(WEB) has-node || $(UV) --require-hashes -r requirements/web.txt
	@touch $@

.venv/test: .venv/play requirements/test.txt tools/system_parts
	@$(UV) --require-hashes -r requirements/test.txt
	@tools/system_parts
	@touch $@

.venv/versus: .venv/play requirements/versus.txt
	@$(UV) --require-hashes -r requirements/versus.txt
	@touch $@

.venv/ray: .venv/test requirements/ray.txt
	@$(UV) --require-hashes -r requirements/ray.txt
	@touch $@

.venv/browser: .venv/uv requirements/browser.txt
	@rm -rf build/browser
	@$(BIN)/python -m pip download --quiet --disable-pip-version-check --dest build/browser --only-binary :all: --no-deps \
	  --platform pyemscripten_2026_0_wasm32 --python-version 3.14 --implementation cp --abi cp314 \
	  --require-hashes -r requirements/browser.txt
	@touch $@
