# Two commands do everything on a fresh machine with Python 3.11+, make and network:
#   make demo   trains on real faces and shows what was learnt
#   make test   lint, types and all tests
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# Where benchmarks that take hours keep what they have done.
KEPT   ?= /var/tmp/crosslabel-bench

.PHONY: help hostile docs linkcheck figures stranger mutants demo test test-slow test-machines house fuzz test-lower audit lint bench bench-methods bench-embed bench-images bench-peers bench-web bench-stream bench-gpu reproduce format clean
help:
	@sed -n 's/^## //p' $(MAKEFILE_LIST)

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "crosslabel needs Python 3.11 or later, this is " + sys.version.split()[0] + ". Name another one: make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)

# A stamp per extra: an environment is set up once, and again when pyproject.toml changes.
$(VENV)/.demo: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[demo]'
	@touch $@
$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/.demo
$(VENV)/.bench: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	@touch $@
$(VENV)/.docs: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $@
# SPAMS is GPL: it gets an environment and processes of its own.
$(KEPT)/spams/.made:
	$(PYTHON) -m venv $(KEPT)/spams
	$(KEPT)/spams/bin/python -m pip install --quiet --disable-pip-version-check numpy scipy spams-bin
	@touch $@

## make demo       train on the ORL faces, print the accuracy, draw the atoms
demo: $(VENV)/.demo
	$(BIN)/crosslabel demo

## make test       lint, types and all tests that take seconds
# Two workers share the cores, so that a second BLAS thread in each would only get in the way.
test: lint
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2

## make test-slow  the tests on real data that take minutes
test-slow: $(VENV)/.dev
	$(BIN)/python -m pytest -m slow

## make docs       the site, in build/docs: pages, reference, gallery; a warning or a dead link is an error
docs: $(VENV)/.docs
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -m sphinx -W --keep-going -b html docs build/docs
	$(BIN)/python -m tools.links build/docs

## make linkcheck  every link of the site, also those to other sites; needs network
linkcheck: $(VENV)/.docs
	$(BIN)/python -m sphinx -b linkcheck docs build/linkcheck

## make figures    put the figures of benchmarks/records into README and docs, draw the decision figure
figures: $(VENV)/.dev
	$(BIN)/python -m benchmarks.figures
	$(BIN)/python -m benchmarks.decision

## make stranger   how long the first page takes: a fresh environment, the wheel, a folder of pictures, a prediction
stranger: $(VENV)/.dev
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .
	$(BIN)/python -m tools.stranger dist $(RECORD)

## make test-machines  the tests under every BLAS kernel, without NumPy's vector instructions, on every Python; takes an hour or more
# What to leave out or add: make test-machines MACHINES='--only Nehalem 3.13 --tests tests/core'
test-machines: $(VENV)/.dev
	$(BIN)/python -m tools.machines $(MACHINES)

## make house      what the design asks of the source, as figures beside their bars
house: $(VENV)/.dev
	$(BIN)/python -m tools.house

## make fuzz       5,000 generated inputs to every estimator; takes half an hour
fuzz: $(VENV)/.dev
	CROSSLABEL_FUZZ=5000 OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 tests/test_fuzz.py

## make hostile    20,000 hostile model files with a right checksum, 300 hostile media files, 150 interrupted writers
hostile: $(VENV)/.dev
	$(BIN)/python -m benchmarks.hostile --count 20000 --keep $(KEPT)/hostile $(RECORD)
	$(BIN)/python -m benchmarks.hostile_media --count 300 $(RECORD)
	$(BIN)/python -m benchmarks.interrupted --trials 50 $(RECORD)

## make test-lower the tests with every dependency at its lower bound
# Old packages warn of newer ones below them, which pyproject.toml does not bound: not an error here.
LOWER ?= /var/tmp/crosslabel-lower
test-lower:
	$(PYTHON) -m venv --clear $(LOWER)
	$(PYTHON) tools/lower_bounds.py > $(LOWER)/bounds.txt
	$(LOWER)/bin/python -m pip install --quiet --disable-pip-version-check \
	  --constraint $(LOWER)/bounds.txt --editable '.[dask,demo,embed,mat73,onnx,video,zarr]' \
	  hypothesis opencv-python-headless pandas pytest pytest-xdist
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(LOWER)/bin/python -m pytest -n 2 -o filterwarnings=default

## make mutants    change a sign, a factor or a term at a time: would a test notice? an hour and a half of processor time, resumes
# For example: make mutants MUTANTS='--only core/coding.py' or MUTANTS='--sample 300 --seed 1'
MUTANTS ?=
mutants: $(VENV)/.dev
	@mkdir -p $(KEPT)
	$(BIN)/python tools/mutants.py --jobs 2 --record $(KEPT)/mutants.json $(MUTANTS)

## make audit      known vulnerabilities of what is installed; needs network
audit: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check pip-audit
	$(BIN)/pip-audit --local --skip-editable

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

## make bench      speed and accuracy as ratios measured in one run, beside dictlearn and SPAMS
# What to run: make bench BENCH='--quick' or BENCH='--only closed_form.*'; BENCH='--list' names all.
# With RECORD=--record every benchmark keeps its values in benchmarks/records; then make figures.
BENCH ?=
RECORD ?=
bench: $(VENV)/.bench $(KEPT)/spams/.made
	CROSSLABEL_BENCH=$(KEPT) $(BIN)/python -m benchmarks $(BENCH) $(RECORD)

## make bench-methods  the comparison methods: speed beside peers (their accuracy: make reproduce)
bench-methods: $(VENV)/.bench
	$(BIN)/python -m benchmarks.methods_speed $(RECORD)

## make bench-web  the studio in Chromium, and the server under load; needs CROSSLABEL_DATA
bench-web: $(VENV)/.dev
	$(BIN)/python -m benchmarks.studio $(RECORD)
	$(BIN)/python -m benchmarks.serve $(RECORD)

## make bench-peers  ours beside dictlearn, scikit-learn and SPAMS: one table, a record and a plot
bench-peers: $(VENV)/.bench $(KEPT)/spams/.made
	CROSSLABEL_BENCH=$(KEPT) $(BIN)/python -m benchmarks.peers --record $(KEPT)/peers.json $(if $(RECORD),--for-docs)

## make bench-embed  embeddings: speed beside the bare network, agreement with torch, accuracy; needs CROSSLABEL_DATA
bench-embed: $(VENV)/.dev
	CROSSLABEL_BENCH=$(KEPT) $(BIN)/python -m benchmarks.embedding $(RECORD)

## make bench-images  accuracy from raw images and clips; needs CROSSLABEL_DATA, takes hours
bench-images: $(VENV)/.dev
	$(BIN)/python -m benchmarks.features --scene15 $(RECORD)
	$(BIN)/python -m benchmarks.predict $(RECORD)
	$(BIN)/python -m benchmarks.mutate $(RECORD)
	$(BIN)/python -m benchmarks.manifolds $(RECORD)
	$(BIN)/python -m benchmarks.corruption $(RECORD)
	$(BIN)/python -m benchmarks.rejection $(RECORD)
	$(BIN)/python -m benchmarks.extended_yale_b $(RECORD)
	$(BIN)/python -m benchmarks.dynamic_textures $(RECORD)
	$(BIN)/python -m benchmarks.scene15 --folder $(KEPT)/scene15 $(RECORD)
	$(BIN)/python -m benchmarks.caltech101 --folder $(KEPT)/caltech101-nested $(RECORD)

## make reproduce  the paper's tables and figures, as far as the data at hand allow; takes hours, resumes
reproduce: $(VENV)/.dev
	$(BIN)/python -m crosslabel.lab.documented --fill $(KEPT)/store
	$(BIN)/crosslabel reproduce all --only 'global,local,paper*,spectral*,chosen*,kernel*,linear,log,roots,kmeans,random' --jobs 2 --store $(KEPT)/store --features $(KEPT)
	$(BIN)/crosslabel reproduce all --jobs 2 --store $(KEPT)/store --features $(KEPT)
	$(BIN)/python -m crosslabel.lab.documented --store $(KEPT)/store

## make bench-gpu  iterations, queries and whole fits on a GPU, at the sizes of the paper's data sets and of many classes
bench-gpu: $(VENV)/.dev
	$(BIN)/python -m benchmarks.gpu --stages $(RECORD)
	$(BIN)/python -m benchmarks.gpu_fits $(RECORD)
	$(BIN)/python -m benchmarks.fit_stages $(RECORD)

## make bench-stream  12 GB from disk, 10,000 classes, all of (Fashion-)MNIST, Dask, forgetting; takes an hour
bench-stream: $(VENV)/.dev
	$(BIN)/python -m benchmarks.streaming $(RECORD)
	$(BIN)/python -m benchmarks.many_classes $(RECORD)
	$(BIN)/python -m benchmarks.precision $(RECORD)
	$(BIN)/python -m benchmarks.dask_pass $(RECORD)
	$(BIN)/python -m benchmarks.forgetting $(RECORD)
	$(BIN)/python -m benchmarks.fashion_mnist $(RECORD)

## make format     put the code into its one format
format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

## make clean      remove the environment and what was built
clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
