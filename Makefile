# Needs Python 3.11 or later and make; everything else is installed into .venv, as requirements.lock pins it.

# The first of these that runs and is new enough (a version manager may put names on the path that do not run).
# Another one: make test PYTHON=/path/to/python
PYTHON ?= $(shell for python in python3.13 python3.12 python3.11 python3; do \
    $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && { echo $$python; break; }; done)

BIN := .venv/bin
INSTALLED := .venv/installed
LOWEST := .venv-lowest
DEMO_KERNEL := benches/kernels/fused_attention_fp32_s512.yaml

.PHONY: help demo test bench lint format types crosscheck-long test-lowest lock clean
.DELETE_ON_ERROR:

help: ## List what can be made
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' Makefile | while IFS='|' read -r name text; do printf '%-16s %s\n' "$$name" "$$text"; done

demo: $(INSTALLED) ## Estimate a real kernel, explain what bounds it, and predict it on a trn2 core
	$(BIN)/kernbench perfsim $(DEMO_KERNEL) --explain
	$(BIN)/kernbench run $(DEMO_KERNEL) --timing platform:trn2 --explain

test: lint types ## Lint, layers, types, then all tests
	$(BIN)/python -m pytest -n 2

bench: $(INSTALLED) ## Measure the speed of reading and of the walk
	$(BIN)/python -m benches.speed

lint: $(INSTALLED) ## Style, likely bugs, and the layers between the packages
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-logo

format: $(INSTALLED) ## Rewrite the source in the project's style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: $(INSTALLED) ## Check the types
	$(BIN)/mypy

crosscheck-long: $(INSTALLED) ## Compare both models on many more random programs than the tests do
	$(BIN)/python -m benches.crosscheck_long

# The oldest releases that pyproject.toml allows. Their own warnings about newer Pythons are not ours to fail on.
test-lowest: $(LOWEST)/installed ## Run the tests on the oldest allowed dependencies
	$(LOWEST)/bin/python -m pytest -n 2 -W default

lock: $(INSTALLED) ## Pin the newest releases that pyproject.toml allows
	$(BIN)/python -m pip install --quiet uv
	UV_CUSTOM_COMPILE_COMMAND='make lock' $(BIN)/uv pip compile --quiet --upgrade --native-tls --universal \
	    --fork-strategy fewest --python-version 3.11 --extra dev --generate-hashes --no-emit-index-url \
	    --output-file requirements.lock pyproject.toml

clean: ## Remove the environments and every cache
	rm -rf .venv .venv-lowest build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find simcore components topology benches tests -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamp is as new as the last set-up, so a later run installs nothing unless the pins or the project's own
# description have changed. The project is built without isolation: its builder is pinned with the rest.
$(INSTALLED): pyproject.toml requirements.lock
	$(call create_venv,.venv)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

$(LOWEST)/installed: pyproject.toml
	$(call create_venv,$(LOWEST))
	$(LOWEST)/bin/python -c 'import tomllib; project = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
	    print(*[bound.replace(">=", "==") for bound in project["dependencies"] + project["optional-dependencies"]["dev"]], sep="\n")' \
	    > $(LOWEST)/constraints.txt
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check --constraint $(LOWEST)/constraints.txt --editable '.[dev]'
	@touch $@

define create_venv
	@test -n "$(PYTHON)" || { echo 'kernbench needs Python 3.11 or later: none of python3.13, python3.12, python3.11' \
	    'and python3 runs here; make PYTHON=/path/to/python names another.' >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo 'kernbench needs Python 3.11 or later; $(PYTHON) is not.' >&2; exit 1; }
	@$(1)/bin/python -m pip --version >/dev/null 2>&1 || { \
	    echo 'creating $(1) with $(PYTHON), and installing into it (once)'; $(PYTHON) -m venv --clear $(1); }
endef
