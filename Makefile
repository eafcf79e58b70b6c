# SPDX-License-Identifier: MPL-2.0

.DEFAULT_GOAL := help
SHELL := /bin/bash

export GOFLAGS ?= -buildvcs=false
BIN := $(CURDIR)/.bin

help: ## Print the targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-17s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: ## Apply examples/quickstart to the embedded service.
	@tools/demo.sh

try: ## Build the provider, and print how to use it in your own folder.
	@tools/mirror.sh $(BIN)
	@cli=$$(tools/cli.sh) && \
	printf '\nIn each terminal that you open, run:\n\n  export TF_CLI_CONFIG_FILE=%s\n' $(BIN)/cli.tfrc && \
	case $$cli in $(BIN)/*) printf '  export PATH=%s:$$PATH\n' $(BIN); cli=$${cli##*/} ;; esac && \
	printf '\nThen, in a folder with your configuration, run:\n\n  %s init\n  %s plan\n' "$$cli" "$$cli"

build: tools-go ## Build the provider into .bin/.
	@mkdir -p $(BIN)
	go build -trimpath -o $(BIN)/terraform-provider-assess .

test: tools-go ## Run the tests that need only Go, git, make and bash, in minutes.
	@tools/test.sh

test-cli: tools-go ## Run the tests with one CLI: the one in TF_ACC_TERRAFORM_PATH, or OpenTofu.
	@tools/test.sh cli ./internal/comment ./internal/provider ./examples

test-all: tools-go ## Run all tests: also with both CLIs, browsers, Redis, the race detector and Wine.
	@tools/test.sh all

simulate: tools-go ## Check the invariants of the provider in SEEDS (default 10000) simulations, from seed FIRST (default 1).
	@set -o pipefail; SEEDS=$${SEEDS:-10000} go test ./internal/coretest -run '^TestSimulation$$' -count=1 -v -timeout 60m | grep -v '^ *\(===\|---\)'
	@set -o pipefail; SEEDS=$$(($${SEEDS:-10000} / 10)) go test ./internal/coretest -run '^TestNothingIsCarried$$' -count=1 -v -timeout 60m | grep -v '^ *\(===\|---\)'

# The checks read files outside their modules, so a cached result may be out of date.
lint: tools-go ## Run the linters, and check the modules, workflows, mutants and English of the repository.
	@linter=$$(tools/golangci.sh) && "$$linter" run ./...
	go -C tools/realtime run . ../..
	@for tool in test stutter realtime; do go -C tools/$$tool test -count=1 ./... || exit 1; done
	@tools/modules.sh check
	@tools/workflows.sh
	go -C tools/prose test -count=1 ./...
	go -C tools/prose run . ../..
	go -C tools/mutants test -count=1 -short .

vet: tools-go ## Run go vet for all platforms of a release.
	@tools/vet.sh

docs: tools-go ## Generate docs/ from templates/, examples/ and the schema of the provider.
	@tools/docs.sh generate

pictures: tools-go ## Write what README.md shows: a plan that refuses, and the picture of a report (needs Chromium).
	@tools/pictures.sh plan
	@tools/pictures.sh report

docs-check: tools-go ## Check that docs/ and the plan in README.md are up to date, and that links and configurations work.
	@tools/docs.sh check

fuzz: tools-go ## Run each fuzz target for FUZZTIME (default 10s).
	@tools/fuzz.sh

bench: tools-go ## Compare ways to throttle, in virtual time, and write the results into tools/bench.
	go -C tools/bench test -count=1 -timeout 0 ./throttle -update

mutants: tools-go ## Check that tests notice known defects (MUTANTS=group or group/name limits them).
	@set -o pipefail; go -C tools/mutants test -count=1 -timeout 0 -v -run 'TestMutants/$(MUTANTS)' . | grep --line-buffered -v '^ *\(===\|---\)'

simulate-throttle: tools-go ## Run randomized tests of the throttle with SEEDS seeds (default 2000, with Redis 200).
	go test -count=1 -timeout 20m -run '^TestSimulation$$' ./internal/throttle -seeds $(or $(SEEDS),2000)
	go test -count=1 -timeout 20m -run '^(TestSimulation|TestLogFollowsTheLedger)$$' ./internal/throttle/redis -seeds $(or $(SEEDS),200)

bench-scale: build ## Measure runs with SIZES (default 1000 5000 10000) resources.
	@tools/bench/scale.sh $(SIZES)

release-build: tools-go ## Build and pack the commit for all platforms into dist/.
	@tools/release.sh build

release-check: tools-go ## Test a release of three platforms: build it twice, compare, pack and sign it.
	@tools/release.sh check

verify-release: tools-go ## Build all platforms twice and compare them, also with published checksums (SUMS=file).
	@tools/release.sh verify $(SUMS)

vuln: tools-go ## Look for known vulnerabilities, over the network.
	@mkdir -p $(BIN)
	go -C tools/vuln build -o $(BIN)/govulncheck golang.org/x/vuln/cmd/govulncheck
	@for module in . tools/*/go.mod; do \
	  echo "== $$module" && packages=./... && module=$${module%/go.mod} && \
	  { [ -n "$$(find $$module -maxdepth 2 -name '*.go')" ] || packages="-scan package tool"; } && \
	  $(BIN)/govulncheck -C $$module -test $$packages || failed=1; \
	done; [ -z "$$failed" ]

fmt: tools-go ## Format Go and HCL.
	@linter=$$(tools/golangci.sh) && "$$linter" fmt ./...
	@TF_CLI_CONFIG_FILE=/dev/null $$(tools/cli.sh) fmt -recursive examples internal

tools-go:
	@command -v go >/dev/null || { echo "Go is missing. Install the version in go.mod or a newer one: https://go.dev/dl/" >&2; exit 1; }

.PHONY: help demo try build test test-cli test-all lint docs pictures docs-check fuzz bench mutants simulate simulate-throttle bench-scale release-build release-check verify-release vet vuln fmt tools-go
