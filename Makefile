# `make demo` and `make test` need Python >= 3.11, make and a package index; each sets up .venv by itself.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
BENCH_READY := .venv-bench/.ready
DOCS_READY := .venv-docs/.ready
LOWEST_READY := .venv-lowest/.ready

.PHONY: demo docs atlas gallery test test-long test-lowest test-newest test-odd lint types format lock bench bench-long dist golden fuzz fuzz-guided mutants trial walks web clean

$(READY): requirements/dev.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "linsep needs Python >= 3.11: run make PYTHON=/path/to/python3.11"; exit 2; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

demo: $(READY)
	$(BIN)/linsep demo
	@echo "The command linsep stands in $(BIN): source $(BIN)/activate"

# Pictures and their page in build/gallery.
gallery: $(READY)
	$(BIN)/python -W error docs/gallery build/gallery

# One process a core; a file stays in one of them, and learners in the same one, so that kernels are compiled once.
test: $(READY)
	$(BIN)/python -m pytest -q -n auto --dist loadfile

# One more variety each of what `make test` asks, and ten times as many made-up examples; before a release.
test-long: $(READY)
	$(BIN)/python -m pytest -q -n auto --dist loadscope --hypothesis-profile=many -m 'long or hypothesis' tests

# What every learner, proof and command computed when tests/golden/recorded.json was written, compared bit for bit, as if
# on four processors; GOLDEN="haswell generic" as on these.
golden: $(READY)
	PYTHONPATH=src:tests $(BIN)/python -m golden machines $(GOLDEN)

# What is promised of machines that are killed, full or lied to, tried many times; an hour at most. TRIAL="ROW --times N"
# runs one row so often.
trial: $(READY)
	PYTHONPATH=src:tests $(BIN)/python -m trial $(TRIAL)

# Made-up, malformed and mangled input for every reader, beside naive readers; failing cases are left in build/fuzz.
SECONDS ?= 60
fuzz: $(READY)
	PYTHONPATH=src:tests:docs $(BIN)/python -m fuzz --seconds $(SECONDS)

# The same for one reader, TARGET, whose input follows the coverage of the code; the corpus stays in build/fuzz/guided.
TARGET ?= certificate
fuzz-guided: $(BENCH_READY)
	PYTHONPATH=src:tests:docs .venv-bench/bin/python -m fuzz.guided "$(TARGET)" --seconds $(SECONDS)

# One place after another of the verifier of proofs is changed, and a test has to notice; the table goes onto the page.
mutants: $(READY)
	PYTHONPATH=src:tests:tests/theory $(BIN)/python -m mutants --page docs/reliability.md

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The oldest releases that pyproject.toml admits. Compiled code is kept apart: another Numba would throw it away.
$(LOWEST_READY): requirements/lowest.lock pyproject.toml
	$(PYTHON) -m venv .venv-lowest
	.venv-lowest/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/lowest.lock
	.venv-lowest/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

# A sample: what prints JSON, learners, proofs, exports and examples in docstrings; SAMPLE= for the whole suite.
SAMPLE := tests/app/test_json_output.py tests/learners/test_perceptron.py tests/app/test_separation_command.py tests/regression/test_separated_groups.py \
  tests/regression/test_separation_of_tables.py tests/data/test_tables.py tests/export/test_export.py src/linsep/theory/separation \
  src/linsep/learners/linear src/linsep/data/features

test-lowest: $(LOWEST_READY)
	NUMBA_CACHE_DIR=$(CURDIR)/.venv-lowest/numba .venv-lowest/bin/python -m pytest -q -n auto --dist loadfile $(SAMPLE)

# What is installed without a lock: the newest releases that pyproject.toml admits, asked of the index each time.
EXTRAS := plots,report,dask,onnx,drift,excel,hdf5,sql,regression

test-newest:
	$(PYTHON) -m venv --upgrade-deps .venv-newest
	.venv-newest/bin/python -m pip install --quiet --upgrade --upgrade-strategy eager --group dev -e '.[$(EXTRAS)]'
	@.venv-newest/bin/python -m pip list --format=freeze | grep -iE '^(highspy|numba|numpy|python-flint|scikit-learn|scipy)='
	NUMBA_CACHE_DIR=$(CURDIR)/.venv-newest/numba .venv-newest/bin/python -m pytest -q -n auto --dist loadfile $(SAMPLE)

# A sample of the suite in odd environments: locales, time zones, no home, no rights. ODD="ASCII umask" tries those named so.
test-odd: $(READY)
	$(BIN)/python tests/odd_environments.py $(ODD)

# The page of the explorer from its sources. What is built is in the repository and in the wheel: users need no Node.
web:
	cd web && npm ci --silent && npm run --silent check && npm run --silent build

# What users install: the wheel, built from the sdist, without extras, in an environment of its own.
dist: $(READY)
	rm -rf dist build/dist
	$(BIN)/python -m build --no-isolation --outdir dist .
	$(BIN)/python -m twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl
	$(PYTHON) -m venv build/dist
	build/dist/bin/python -m pip install --quiet --disable-pip-version-check dist/*.whl
	cd build/dist && bin/linsep demo && bin/python $(CURDIR)/docs/readme.py $(CURDIR)/README.md

# How many calls and moves between files an everyday use takes.
walks: $(READY)
	$(BIN)/python -m benchmarks.walks

lock:
	uv pip compile -q --universal --generate-hashes --python-version 3.11 \
	  --extra plots --extra report --extra dask --extra onnx --extra drift --extra excel --extra hdf5 --extra sql --extra regression --group dev --group judges pyproject.toml -o requirements/dev.lock
	uv pip compile -q --universal --generate-hashes --python-version 3.11 --resolution lowest-direct \
	  --extra regression --group dev pyproject.toml requirements/lowest.in -o requirements/lowest.lock
	uv pip compile -q --universal --generate-hashes --python-version 3.11 --constraint requirements/dev.lock \
	  --group bench --group build pyproject.toml -o requirements/bench.lock
	uv pip compile -q --universal --generate-hashes --python-version 3.11 --constraint requirements/dev.lock \
	  --extra plots --extra report --group docs --group build pyproject.toml -o requirements/docs.lock

# The peers, in an environment of their own, at the releases that dev.lock tests.
$(BENCH_READY): requirements/bench.lock pyproject.toml
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/bench.lock
	.venv-bench/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

# The site, in site/, with the gallery drawn anew; a warning is an error. It loads nothing from the network.
$(DOCS_READY): requirements/docs.lock pyproject.toml
	$(PYTHON) -m venv .venv-docs
	.venv-docs/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/docs.lock
	.venv-docs/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

docs: $(DOCS_READY)
	.venv-docs/bin/python -W error docs/gallery build/gallery
	.venv-docs/bin/python -W error docs/course.py build/explore
	NO_MKDOCS_2_WARNING=1 .venv-docs/bin/python -m mkdocs build --quiet --strict

# Real data: ../shared/data/get.sh DIR, then DATA_PKGS=DIR make bench. SUITES="mnist text" runs these alone;
# PAGE=benchmarks/RESULTS.md also puts what is printed into that page. SUITES=defaults TABLES="20news brown" runs that suite
# on the tables alone whose names begin so.
bench: $(BENCH_READY)
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 \
	  .venv-bench/bin/python -m benchmarks $(SUITES) $(if $(PAGE),--page $(PAGE)) $(if $(TABLES),--tables "$(TABLES)")

# The atlas of linear separability: what is not answered yet, with proofs in build/atlas; VERIFY=1 checks these.
atlas: $(BENCH_READY)
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 .venv-bench/bin/python -m benchmarks.atlas $(if $(VERIFY),--verify) $(TABLES)

# The suites that take minutes.
LONG := certificates explain probe tagging defaults freund_schapire intercepts panel widest endless shards mixing
bench-long:
	$(MAKE) bench SUITES="$(LONG)"

clean:
	rm -rf .venv .venv-bench .venv-docs .venv-lowest .venv-newest build dist site linsep-demo
