# make help lists the targets. Everything but setup is CMake underneath; see CMakePresets.json for the other builds.
.DEFAULT_GOAL := help
.NOTPARALLEL:

PRESET ?= release
BUILD := build/$(PRESET)
JOBS ?= $(shell scripts/jobs.sh)
PYTHON := .venv/bin/python
DEMO_SCENE := examples/ball_rollers.json
DEMO_FRAME := 34
API_MODULES := $(addprefix stiction.,scene.builder document.document run.simulation simulation.stepping simulation.body \
	run.run output.folder output.frames run.running scene.viewing sweeps.sweep comparison.compare gallery_scenes.entry errors)

# Words behind check-all are parts of it: make check-all files asan (but wheel, a target of its own, is one of the script)
PARTS := $(if $(filter check-all,$(firstword $(MAKECMDGOALS))),$(wordlist 2,$(words $(MAKECMDGOALS)),$(MAKECMDGOALS)))

.PHONY: help setup configure build python test docs demo format wheel check-odr check-all clean

help: ## list the targets
	@echo "targets:"
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' Makefile | expand -t 20
	@echo "PRESET=name picks another build (see CMakePresets.json), JOBS=n the number of compilers at once"

setup: ## install the Debian packages and the virtual environment .venv that are missing
	@scripts/setup.sh

configure: setup
	cmake --preset $(PRESET)

build: configure ## build everything into build/release
	cmake --build --preset $(PRESET) -j $(JOBS)

python: configure ## build the compiled module of the Python package, and the command
	cmake --build --preset $(PRESET) -j $(JOBS) --target stiction_python stiction_cli

test: build ## set up, build, run all tests
	ctest --test-dir $(BUILD) --output-on-failure --no-tests=error -j $(JOBS) </dev/null

format: setup ## format all C++ sources as .clang-format says
	$(PYTHON) tests/floors/check_format.py .venv/bin/clang-format . --fix

wheel: setup ## build a self-contained wheel of the Python package into dist/
	scripts/wheel.sh

check-odr: setup ## link the command with -flto -Wodr: no type has two definitions
	scripts/check_odr.sh

check-all: setup ## hours: sanitizers, debug, clang, other programs' files ... (see scripts/check_all.sh; words behind it are parts)
	scripts/check_all.sh $(PARTS)

docs: configure ## write the API pages of the Python package into build/docs
	cmake --build --preset $(PRESET) -j $(JOBS) --target stiction_python
	$(PYTHON) -W error -m pdoc $(API_MODULES) -o build/docs

demo: configure ## set up, build the command, run the first example and draw it
	cmake --build --preset $(PRESET) -j $(JOBS) --target stiction_cli
	$(BUILD)/bin/stiction run $(DEMO_SCENE) -o demo/ball_rollers --force
	$(PYTHON) -m stiction.viz render demo/ball_rollers -o demo/ball_rollers.png --frame $(DEMO_FRAME) --camera 20,14 --zoom 1.2
	$(PYTHON) -m stiction.viz render demo/ball_rollers -o demo/ball_rollers.mp4 --size 960x540 --camera 20,14 --zoom 1.2
	$(PYTHON) -m stiction.viz plot demo/ball_rollers -o demo/ball_rollers_plot.png
	@echo
	@echo "frames:    $(CURDIR)/demo/ball_rollers"
	@echo "picture:   $(CURDIR)/demo/ball_rollers.png"
	@echo "animation: $(CURDIR)/demo/ball_rollers.mp4"
	@echo "plots:     $(CURDIR)/demo/ball_rollers_plot.png"

ifneq ($(PARTS),)
.PHONY: $(PARTS)
$(filter-out wheel,$(PARTS)):
	@:
endif

clean: ## remove build/ and demo/ (.venv stays)
	rm -rf build demo
