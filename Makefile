# Two commands matter: `make studio` opens the studio, `make test` proves it. Both install what is missing.
PYTHON ?= python3
BIN := .venv/bin
TRITON := $(if $(filter Linux-x86_64,$(shell uname -s)-$(shell uname -m)),.venv/triton.stamp .venv/haproxy.stamp .venv/nginx.stamp .venv/prometheus.stamp)
unexport PYTHONDONTWRITEBYTECODE  # else each of the many processes of a test run compiles all it imports

# A .venv made earlier by another Python would be used instead of the one asked for.
ifeq ($(origin PYTHON),command line)
ifneq ($(wildcard $(BIN)/python),)
ifneq ($(shell $(BIN)/python --version),$(shell $(PYTHON) --version))
$(error .venv holds $(shell $(BIN)/python --version), not $(shell $(PYTHON) --version): remove .venv and run this again)
endif
endif
endif

studio: .venv/studio.stamp
	$(BIN)/python app.py

test: .venv/test.stamp $(TRITON) node_modules/.package-lock.json
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	node_modules/.bin/biome check --error-on-warnings
	$(MAKE) --jobs 2 mypy scripts
	$(MAKE) pytest

mypy:
	$(BIN)/mypy

scripts: node_modules/.package-lock.json
	node_modules/.bin/tsc --project .
	node --test tests/js/*.test.js

# The gate's tests: all except long tests and most browser tests. It runs two processes, because it is timed on two cores.
# Files are not sorted by their number of tests: long files with few tests would be last, and one process would wait for the other.
pytest:
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder -m 'not long and not browser'

# All browser tests except long ones.
test-browser: .venv/test.stamp $(TRITON) node_modules/.package-lock.json
	$(BIN)/python -m pytest tests/browser -n 2 --dist loadfile

# Slow tests of parts that seldom change: training, voices compared with their cards, a Triton server under a platform's calls,
# processes killed again and again, transfers cut and stalled, GPU kernels interpreted, memory over long texts.
test-long: .venv/test.stamp $(TRITON)
	$(BIN)/python -m pytest -n 2 --dist loadfile -m long

# The studio under hostile programs, for some minutes; what a run sends follows from its SEED.
REQUESTS ?= 100000
SEED ?= 1
fuzz: .venv/test.stamp
	$(BIN)/python -m pytest tests/faults -m long -s --requests $(REQUESTS) --seed $(SEED)

# Mixed requests through all doors of a studio with the embedded engines and injected faults; the report is .cache/soak.html.
soak: REQUESTS = 1000
soak: .venv/test.stamp
	$(BIN)/python -m pytest tests/faults/test_soak.py -m long -s --requests $(REQUESTS) --seed $(SEED) --timeout 14400

# On a machine with an NVIDIA GPU: both engines there. What came of it stays in the tree, under the commit it was taken at.
COMMIT ?= $(shell git describe --always --dirty --abbrev=40 --exclude='*')
test-gpu: .venv/test.stamp
	$(BIN)/python -m pytest tests/gpu -n 3 --dist loadscope --timeout 900 --proof bench/results/gpu.json --commit $(COMMIT)

# The Dockerfile's studio without Docker: its steps in a bare Debian, then the studio confined, offline, and heard. As root; it
# takes minutes and 10 GB. CONTAINER_CHECK="--file …" lets the steps see files of this machine, as a package index needs.
container-check: .venv/test.stamp
	command -v debootstrap >/dev/null || { apt-get -qq update && apt-get -qq install -y --no-install-recommends debootstrap; }
	unshare --mount $(BIN)/python -m tests.deploy.container $(CONTAINER_CHECK)

# The documentation as a site in site/; a broken link or anchor fails. A test of the gate builds it, too.
docs: .venv/test.stamp
	$(BIN)/python -m studio.settings_reference
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "open site/index.html"

# The pictures of the documentation, from a studio with the embedded checkpoints.
screenshots: .venv/test.stamp
	$(BIN)/python -m tests.browser.screenshots

# What the commands stand on.

$(BIN)/uv:
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet uv==0.13.8

.venv/studio.stamp: requirements.txt | $(BIN)/uv
	$(BIN)/uv pip install --python $(BIN)/python --quiet --no-deps --require-hashes -r requirements.txt
	touch $@

.venv/test.stamp: requirements.txt requirements-dev.txt | $(BIN)/uv .venv/chromium.stamp
	$(BIN)/uv pip install --python $(BIN)/python --quiet --no-deps --require-hashes -r requirements.txt -r requirements-dev.txt
	touch .venv/studio.stamp $@

# The packages of the engine s1-original. Their other dependencies are not needed, and would change the studio's packages.
original-engines: .venv/studio.stamp
	$(BIN)/uv pip install --python $(BIN)/python --quiet --no-deps --require-hashes -r requirements-originals.txt

# A real Triton server, which exported archives must load in: built for Linux on x86-64 alone, with a numpy of its own.
.venv/triton.stamp: requirements-triton.txt | $(BIN)/uv
	$(BIN)/uv venv --quiet --no-config --allow-existing --python $(BIN)/python .venv/triton
	$(BIN)/uv pip install --quiet --no-deps --require-hashes -r $< --python .venv/triton/bin/python
	touch $@

# It answers for the server's health before it (deploy/triton).
.venv/haproxy.stamp: | $(BIN)/uv
	command -v haproxy >/dev/null || { apt-get -qq update && apt-get -qq install -y --no-install-recommends haproxy; }
	touch $@

# The page is tested behind it (deploy/proxy).
.venv/nginx.stamp: | $(BIN)/uv
	command -v nginx >/dev/null || { apt-get -qq update && apt-get -qq install -y --no-install-recommends nginx; }
	touch $@

# The tests run Prometheus with the alert rules (deploy/grafana). The package is only unpacked, because its installation starts a service.
.venv/prometheus.stamp: | $(BIN)/uv
	command -v prometheus >/dev/null || { cd .venv && apt-get -qq update && apt-get -qq download prometheus && \
		dpkg-deb -x prometheus_*.deb prometheus && rm prometheus_*.deb; }
	touch $@

# The browser tests drive Debian's Chromium; elsewhere, install Chromium at /usr/bin/chromium yourself.
.venv/chromium.stamp: | $(BIN)/uv
	command -v chromium >/dev/null || { apt-get -qq update && apt-get -qq install -y --no-install-recommends chromium; }
	touch $@

# The linter and the compiler that checks the types of the page's scripts, and axe-core for the browser tests.
node_modules/.package-lock.json: package.json
	npm install --silent --no-package-lock
	touch $@

format:
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	node_modules/.bin/biome check --write

COMPILE := $(BIN)/uv pip compile --quiet --universal --no-emit-index-url --no-annotate --custom-compile-command "make requirements"
# What `pip install --require-hashes` needs here; an index names four times as many.
NEEDED := $(BIN)/python .ci/needed_hashes.py .cache/pylock.toml
requirements: | $(BIN)/uv
	mkdir -p .cache
	$(COMPILE) --overrides .ci/overrides.txt --generate-hashes pyproject.toml --extra likeness --extra traces -o requirements.txt
	$(COMPILE) --overrides .ci/overrides.txt --generate-hashes pyproject.toml --extra dev -c requirements.txt -o requirements-dev.txt \
		$$(sed -n '/^colorama==/!s/^\([a-z0-9.-]*\)==.*/--no-emit-package \1/p' requirements.txt)  # pinned there; colorama only for Windows
	$(COMPILE) --overrides .ci/overrides.txt --format pylock.toml pyproject.toml --extra dev -c requirements.txt -c requirements-dev.txt -o .cache/pylock.toml
	$(NEEDED) requirements.txt
	$(NEEDED) requirements-dev.txt
	printf 'descript-audio-codec==1.0.0\nfish-speech==0.1.0\nloralib==0.1.2\n' | $(COMPILE) --generate-hashes --no-deps - -o requirements-originals.txt
	printf 'numpy<2\nnvidia-pytriton==0.7.0\n' | $(COMPILE) --generate-hashes --no-deps - -o requirements-triton.txt

.PHONY: studio test original-engines mypy scripts pytest test-browser test-long fuzz soak test-gpu container-check docs screenshots format requirements
