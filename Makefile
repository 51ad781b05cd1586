# Two commands are enough: `make demo` and `make test`. Each sets up .venv by itself; a second call starts at once.

PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do \
	if command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then echo $$p; break; fi; done)
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet --no-input
PIP_MODELS := .venv-models/bin/python -m pip --disable-pip-version-check --quiet --no-input
export PIP_ROOT_USER_ACTION := ignore

# Options of `make demo`: a model of your own, where it is served, how many items of each family.
MODEL ?=
BASE_URL ?=
N ?= 8

.PHONY: demo test test-fast test-models lint types check coverage bench lock web clean

demo: .venv/.runtime
	@$(BIN)/beholder demo --n $(N) $(if $(MODEL),--model $(MODEL)) $(if $(BASE_URL),--base-url $(BASE_URL))

test: .venv/.dev web/node_modules/.ready  ## everything: the fast lane in parallel, then the slow lane
	$(BIN)/python -m pytest -q -n auto --dist worksteal -m "not slow and not local"
	$(BIN)/python -m pytest -q -n auto --dist worksteal -m "slow and not local"

coverage: .venv/.dev web/node_modules/.ready  ## both lanes, and which lines none of them runs; half as long again
	$(BIN)/python -m pytest -q -n auto --dist worksteal --cov --cov-report=term:skip-covered -m "not local"

test-fast: .venv/.dev
	$(BIN)/python -m pytest -q -n auto --dist worksteal -m "not slow and not local"

test-models: .venv-models/.ready  ## the tests that need torch and transformers, in an environment of their own
	@# Only their files: others import what is not there. One thread each: for tiny models, more only wait for each other.
	OMP_NUM_THREADS=1 .venv-models/bin/python -m pytest -q -n 2 --dist loadfile -m local $$(grep -rl --include='test_*.py' 'mark\.local' tests)

lint: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/.dev
	$(BIN)/mypy

check: lint types test

bench: .venv/.dev
	$(BIN)/python benchmarks/harness.py

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "Beholder needs Python 3.11 or newer; none was found. Install it, or run make PYTHON=/path/to/python."; exit 1; }
	$(PYTHON) -m venv .venv || { echo "python -m venv failed. On Debian and Ubuntu: apt-get install python3-venv"; rm -rf .venv; exit 1; }

.venv/.runtime: .venv/bin/python requirements/runtime.lock pyproject.toml
	$(PIP) install --require-hashes -r requirements/runtime.lock
	$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

.venv/.dev: .venv/bin/python requirements/dev.lock pyproject.toml
	$(PIP) install --require-hashes -r requirements/dev.lock
	$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@ .venv/.runtime

# Torch first and by itself: a lock cannot say which of its builds a machine wants. This one has no GPU in it.
.venv-models/.ready: requirements/lane.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "Beholder needs Python 3.11 or newer; none was found."; exit 1; }
	test -x .venv-models/bin/python || $(PYTHON) -m venv .venv-models || { rm -rf .venv-models; exit 1; }
	$(PIP_MODELS) install torch==2.13.0
	$(PIP_MODELS) install --require-hashes -r requirements/lane.lock
	$(PIP_MODELS) install --no-deps --no-build-isolation --editable .
	.venv-models/bin/python -c 'import torch, transformers'
	@touch $@

# The pages are built already; their own tests, and the check that a build gives the same bytes, need Node 20.19 or newer.
web/node_modules/.ready: web/package-lock.json
	@if command -v npm >/dev/null 2>&1; then npm ci --prefix web --no-audit --no-fund --silent && touch $@; \
	else echo "There is no npm: the tests of the pages' source will be skipped."; fi

web: web/node_modules/.ready  ## build the pages anew
	cd web && npm run --silent check && npm test --silent && npm run --silent build

# Needs uv. The lock files name versions and hashes, never where they came from.
LOCK := uv pip compile pyproject.toml requirements/build.in --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --quiet --no-emit-index-url --no-emit-find-links
lock:
	$(LOCK) --extra data --extra m3r --extra tir --extra tools --extra web --output-file requirements/runtime.lock
	$(LOCK) --extra dev --constraint requirements/runtime.lock --output-file requirements/dev.lock
	$(LOCK) requirements/lane.in --override requirements/without-torch.in --extra data --extra m3r --extra tir --extra web --output-file requirements/lane.lock

clean:
	rm -rf .venv .venv-models web/node_modules build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage .coverage.*
