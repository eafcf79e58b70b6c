# SPDX-License-Identifier: MPL-2.0

.DEFAULT_GOAL := help
SHELL := /bin/bash

export GOFLAGS ?= -buildvcs=false
BIN := $(CURDIR)/.bin

help: ## Print the targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-17s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: ## Apply examples/quickstart to the sandbox.
	@tools/demo.sh

try: ## Build the provider, and create a folder with a configuration that uses it: make try DIR=../positions
	@tools/try.sh "$(DIR)"

test: tools-go ## Run the tests that need only Go, git, make and bash, in minutes.
	@tools/test.sh

testacc: tools-go ## Run the acceptance tests (TESTARGS='-run Name ./internal/lookup' limits them).
	@tools/test.sh acc $(TESTARGS)

test-cli: tools-go ## Run the tests with one CLI: the one in TF_ACC_TERRAFORM_PATH, or OpenTofu.
	@tools/test.sh cli -skip '^TestAcc' ./internal/provider ./examples

test-all: tools-go ## Run all tests: also with both CLIs, browsers, Redis, the race detector and Wine.
	@tools/test.sh all

simulate: tools-go ## Run the tests that take seeds with SEEDS (default 10000) of them, from seed FIRST (default 1).
	@tools/simulate.sh

# The checks read files outside their modules, so a cached result may be out of date.
lint: tools-go ## Run the linters, and check the modules, workflows and mutants of the repository.
	@linter=$$(tools/golangci.sh) && "$$linter" run ./...
	@tools/modules.sh check
	@tools/workflows.sh
	go -C tools/mutants test -count=1 -short .

docs: tools-go ## Generate docs/ from templates/, examples/ and the schema of the provider.
	@tools/docs.sh generate

docs-check: tools-go ## Check that docs/ and the plan in README.md are up to date, and that links and configurations work.
	@tools/docs.sh check

mutants: tools-go ## Check that tests notice known defects (MUTANTS=group or group/name limits them).
	@set -o pipefail; go -C tools/mutants test -count=1 -timeout 0 -v -run 'TestMutants/$(MUTANTS)' . | grep --line-buffered -v '^ *\(===\|---\)'

fmt: tools-go ## Format Go and HCL.
	@linter=$$(tools/golangci.sh) && "$$linter" fmt ./...
	@TF_CLI_CONFIG_FILE=/dev/null $$(tools/cli.sh) fmt -recursive examples internal

tools-go:
	@command -v go >/dev/null || { echo "Go is missing. Install the version in go.mod or a newer one: https://go.dev/dl/" >&2; exit 1; }

.PHONY: help demo try test testacc test-cli test-all simulate lint docs docs-check mutants fmt tools-go
