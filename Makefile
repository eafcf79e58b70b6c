# SPDX-License-Identifier: MPL-2.0

.DEFAULT_GOAL := help
SHELL := /bin/bash

# A CLI that finds TF_CLI_CONFIG_FILE pointing to nothing does not start, and a
# user's own one may hold overrides: every CLI call here has a file of its own.
export GOFLAGS ?= -buildvcs=false
BIN := $(CURDIR)/.bin

help: ## Print the targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: ## Apply examples/quickstart on the embedded service, and show what came of it.
	@tools/demo.sh

try: ## Build the provider, and print how a CLI finds it in a folder of yours.
	@tools/mirror.sh $(BIN)
	@cli=$$(tools/cli.sh) && \
	printf '\nIn a folder of your own, with a configuration such as examples/quickstart/main.tf:\n\n  export TF_CLI_CONFIG_FILE=%s\n' $(BIN)/cli.tfrc && \
	case $$cli in $(BIN)/*) printf '  export PATH=%s:$$PATH\n' $(BIN); cli=$${cli##*/} ;; esac && \
	printf '  %s init\n  %s apply\n' "$$cli" "$$cli"

build: tools-go ## Build the provider into .bin/.
	@mkdir -p $(BIN)
	go build -trimpath -o $(BIN)/terraform-provider-assess .

test: tools-go ## Run every test: unit, and acceptance through the real CLI.
	@tools/test.sh

simulate: tools-go ## Check the provider's invariants in SEEDS (default 10000) simulated estates, from seed FIRST (default 1).
	@set -o pipefail; SEEDS=$${SEEDS:-10000} go test ./internal/coretest -run '^TestSimulation$$' -count=1 -v -timeout 60m | grep -v '^ *\(===\|---\)'

# The checks read files outside their modules, so a cached result may be out of date.
lint: $(BIN)/golangci-lint ## Run the linters, and check the modules, workflows, mutants and English of the repository.
	$(BIN)/golangci-lint run ./...
	go -C tools/modules test -count=1 ./...
	go -C tools/workflows test -count=1 ./...
	go -C tools/prose test -count=1 ./...
	go -C tools/prose run . ../..
	tools/mutants.sh --dry-run

vet: tools-go ## Run go vet for every platform of a release.
	@tools/vet.sh

docs: tools-go ## Write docs/ from templates/, examples/ and the provider's schema.
	@tools/docs.sh generate

docs-check: tools-go ## Check docs/: up to date, complete, no dead link, every configuration valid.
	@tools/docs.sh check

soak: tools-go ## Let hostile clients at the embedded service for SOAK (default 10m), and measure its memory.
	SOAK=$${SOAK:-10m} go test ./internal/sandbox -run '^TestSoak$$' -count=1 -v -timeout 24h

fuzz: tools-go ## Run every fuzz target for FUZZTIME (default 10s).
	@tools/fuzz.sh

bench: tools-go ## Compare ways to throttle, in virtual time: the table of the guide on rate limits.
	@set -o pipefail; go -C tools/bench run ./throttle | grep -v '^PASS$$' | tee tools/bench/results.md

mutants: tools-go ## Put known defects into a copy of the tree, and check that tests fail (MUTANTS=group).
	@tools/mutants.sh $(MUTANTS)

simulate-throttle: tools-go ## Run SEEDS (default 2000) simulations of the throttle, in virtual time.
	go test -count=1 -timeout 20m -run '^TestSimulation$$' ./internal/throttle -seeds $(or $(SEEDS),2000)
	go test -count=1 -timeout 20m -run '^TestSimulation$$' ./internal/throttle/redis -seeds $(or $(SEEDS),200)

bench-scale: build ## Measure runs of SIZES (default 1000 5000 10000) resources, and compare with hashicorp/tls.
	@tools/bench/scale.sh $(SIZES)

release-build: tools-go ## Build and pack all platforms of the commit into dist/.
	@tools/release.sh build

release-check: tools-go ## Try a release of three platforms: build twice, compare, pack, sign, size.
	@tools/release.sh check

verify-release: tools-go ## Build all platforms twice and compare, also with published checksums (SUMS=file).
	@tools/release.sh verify $(SUMS)

vuln: tools-go ## Look for known vulnerabilities (needs the network).
	@mkdir -p $(BIN)
	go -C tools/vuln build -o $(BIN)/govulncheck golang.org/x/vuln/cmd/govulncheck
	$(BIN)/govulncheck ./...

fmt: $(BIN)/golangci-lint ## Format Go and HCL.
	$(BIN)/golangci-lint fmt ./...
	@TF_CLI_CONFIG_FILE=/dev/null $$(tools/cli.sh) fmt -recursive examples internal

tools-go:
	@command -v go >/dev/null || { echo "Go is missing. Install the version that go.mod names, or a newer one: https://go.dev/dl/" >&2; exit 1; }

$(BIN)/golangci-lint: tools/lint/go.mod tools/lint/go.sum | tools-go
	@echo "building golangci-lint into .bin/: once, about two minutes ..." >&2
	@mkdir -p $(BIN)
	cd tools/lint && go build -o $@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint

.PHONY: help demo try build test lint docs docs-check soak fuzz bench mutants simulate simulate-throttle bench-scale release-build release-check verify-release vet vuln fmt tools-go
