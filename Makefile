# SPDX-License-Identifier: Apache-2.0
# The commands of the README, on top of CMakePresets.json.

JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 1800
FILES ?=

SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c

export CMAKE_BUILD_PARALLEL_LEVEL := $(JOBS)
MAKEFLAGS += --no-print-directory

# Failures and totals; the whole list is in build/PRESET/Testing/Temporary/LastTest.log.
run_tests = ctest --preset $(1) | grep -vE '^ *(Start |[0-9]+/[0-9]+ .* Passed )'

foretell := build/release/src/cli/foretell

.PHONY: help demo test test-asan test-tsan test-full bench fuzz format lint deps install clean configure-% build-%

help:
	@echo 'make demo       build, analyze the sample trace, and run a workload'
	@echo 'make test       build, and run all tests'
	@echo 'make test-asan  the same under AddressSanitizer and UndefinedBehaviorSanitizer'
	@echo 'make test-tsan  the tests of the engine'"'"'s runtime under ThreadSanitizer'
	@echo 'make test-full  all tests, with the large suites at full size'
	@echo 'make bench      measure the importer'
	@echo 'make fuzz       fuzz the importer and the graph parser, FUZZ_SECONDS each (default $(FUZZ_SECONDS))'
	@echo 'make format     format all C++ sources'
	@echo 'make lint       check format, layers and clang-tidy [FILES="a.cpp b.hpp"]'
	@echo 'make deps       install what all of these need'
	@echo 'make install    install to PREFIX (default $(PREFIX)); DESTDIR is obeyed'

demo:
	@tools/install_deps
	@$(MAKE) build-release
	@$(foretell) analyze examples/traces/small_decode.json.gz --wall-ms 0.54 --format text -o build/demo.json
	@$(foretell) run --workload chain --size 64M

test:
	@tools/install_deps --test
	@$(MAKE) build-dev
	@$(call run_tests,dev)

test-asan:
	@tools/install_deps --ci
	@$(MAKE) build-asan
	@$(call run_tests,asan)

test-tsan:
	@tools/install_deps --ci
	@$(MAKE) build-tsan
	@$(call run_tests,tsan)

test-full:
	@FORETELL_TEST_FULL=1 $(MAKE) test

bench:
	@tools/install_deps --bench
	@$(MAKE) build-release
	@bench/run

fuzz:
	@tools/install_deps --ci
	@$(MAKE) build-fuzz
	@tools/fuzz $(FUZZ_SECONDS)
	@tools/fuzz $(FUZZ_SECONDS) graph_text

format:
	@tools/cpp_files | xargs clang-format-19 -i

lint:
	@tools/install_deps --ci
	@$(MAKE) build-dev
	@tools/lint $(FILES)

deps:
	@tools/install_deps --test --bench --ci

install: build-release
	@cmake --install build/release --prefix $(PREFIX)

clean:
	@rm -rf build

# The log of a configuration that went well is not worth a screen.
configure-%:
	@mkdir -p build
	@cmake --preset $* >build/configure-$*.log 2>&1 || { cat build/configure-$*.log >&2; exit 1; }

build-%: configure-%
	@cmake --build --preset $*
