# Developer commands. Users need none of them: see README.md.
GO    ?= go
TOOL  := $(GO) tool -modfile=.ci/tools.mod
PKGS  := ./...
RACED ?= 8

# Studies and sizes whose results are committed; a study is a file of cmd/reproduce/.
STUDIES := buddy dac eesi fusetlb offload tinycache
SIZES   := small paper
# Kernels of the configurable GPGPU have one size.
ONESIZE := ppa
# Workloads of more than 30 million warp instructions are replayed from samples, but
# for Buddy SM: how many thread blocks a launch has decides when it regroups SMs.
SAMPLED := dac eesi fusetlb offload tinycache
SAMPLE  := --sample fraction=0.05,launches,waves=6
# EESI has 403 replays, most of machines that take longest.
SAMPLE_eesi := $(SAMPLE) --sample-above 2100000

.PHONY: help platforms headers nightly native release prose profile fuzz contraction contraction-arm64 arm64 build test check bench rates instructions instructions-baseline proto lanes ptx validate figures catalogue sizes recorded sampling cpu-traces format vet staticcheck race stale once whole drawn vuln reproduction oracle exhaustive energy-tables energy-cards combinations combination-tables divergence-tables sweep-kill mutations

help: ## this list
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 22

build: ## bin/warptape, compiled by the profile of replays (a minute more, some 8 % fewer instructions)
	$(GO) build -pgo=cmd/warptape/replay.pprof -o bin/warptape ./cmd/warptape

release: ## out/release: static, reproducible archives for all platforms, bills of materials, checksums
	rm -rf out/release
	$(GO) run ./cmd/warptape-dev release -o out/release

# Types only: a release builds each, and .ci/arm64 runs one.
platforms: ## the sources and tests have no errors of types on the systems and processors of a release
	$(GO) run -modfile=.ci/tools.mod ./.ci/platforms linux/arm64 darwin/amd64 darwin/arm64 windows/amd64

contraction-arm64: ## no product is fused with a sum on arm64, so that results are the same bytes
	$(GO) run ./.ci/contraction -arch arm64

prose: ## sentences and words of documents, comments and messages, by the rules in .ci/prose
	.ci/prose/check
	$(GO) test ./.ci/comments
	git ls-files '*.go' | $(GO) run ./.ci/comments .ci/prose/Warptape

profile: ## measure the profile of replays that build compiles by
	mkdir -p out
	$(GO) test ./cmd/command -run '^$$' -bench WorkloadReplay -benchtime 1x -cpuprofile out/warps.pprof
	$(GO) test ./timing/eesi -run '^$$' -bench Policies -benchtime 1x -cpuprofile out/lanes.pprof
	$(GO) tool pprof -proto -output cmd/warptape/replay.pprof out/warps.pprof out/lanes.pprof
	rm -f command.test eesi.test

test: ## all tests
	$(GO) test ./...

drawn: ## lists the tests of which a run does a part, at random
	@grep -rnE 'tracetest\.(Draw|DrawOfEach|Seeds|Some|Fewer|Nightly)\(' --include='*_test.go' . | sed -E 's/^\.\///; s/:[[:space:]]+/: /'

nightly: ## all that a run of the tests draws some of, and longer random ones (TIME=10m, FUZZTIME=20s)
	WARPTAPE_NIGHTLY=1 $(GO) test -count=1 -timeout 90m ./...
	WARPTAPE_NIGHTLY=1 $(MAKE) once
	$(MAKE) native combinations sweep-kill fuzz
	$(MAKE) race RACED=1000

native: ## the catalogue and random programs on the emulated CUDA device, also by segments (minutes)
	WARPTAPE_NIGHTLY=1 WARPTAPE_ALL_SEGMENTS=1 $(GO) test ./traces ./frontend/nativecoexecutor -run 'Device|Random|Alike' -timeout 60m

check: format headers vet staticcheck contraction-arm64 stale test ## all that must hold before a commit

# Pages whose commands run, another module's build, replays of long programs.
whole: ## tests that make test leaves out or does less of (minutes): those that call tracetest.Nightly or Fewer
	WARPTAPE_LONG=1 $(GO) test $$(git grep -lE 'tracetest\.(Nightly|Fewer)\(' -- '*_test.go' | xargs -n1 dirname | sort -u | sed 's,^,./,') \
		-run "^($$(git ls-files '*_test.go' | xargs awk '/^func Test/ { name = $$2; sub(/\(.*/, "", name) } /tracetest\.(Nightly|Fewer)\(/ { print name }' | sort -u | paste -sd '|'))\$$"

format:
	@out=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$out" ]; then echo "not formatted (run gofmt -w):"; echo "$$out"; exit 1; fi

# Go sources by hand, and the C and headers that are copied to a user's machine.
headers: ## each source names its licence
	@out=$$(git ls-files '*.go' 'frontend/cuda/*.h' 'frontend/cuda/*.c' 'frontend/native/*.c' 'frontend/opencl/runtime/*.c' | grep -v /testdata/ | \
		xargs grep -L -e '^// SPDX-License-Identifier: Apache-2.0' -e '^// Code generated .* DO NOT EDIT'); \
	if [ -n "$$out" ]; then echo "no licence in the first line (// SPDX-License-Identifier: Apache-2.0):"; echo "$$out"; exit 1; fi

vet:
	$(GO) vet $(PKGS)

staticcheck:
	$(TOOL) staticcheck $(PKGS)

# Generated files must be what their sources give.
stale:
	cd proto && $(GO) run ./internal/generate -check
	cd frontend/internal/lanes/internal/lanegen && $(GO) run . -check
	cd trace/internal/lanevector/internal/lanegen && $(GO) run . -check
	$(GO) run ./traces/internal/catalogue -check
	$(GO) run ./traces/internal/sizes -check
	cd energy/sram && $(GO) run ../internal/fit -check
	$(GO) run ./cmd/warptape-dev microbenchmarks -check
	$(GO) run ./cmd/warptape-dev docs -check

race: ## the race detector, on packages with goroutines of their own and RACED=8 of the others
	GO="$(GO)" .ci/race $(RACED)

once: ## every benchmark once, so that none rots; of workloads and machines it draws some
	$(GO) test -short -run '^$$' -bench . -benchtime 1x -timeout 30m \
		$$(git grep -l '^func Benchmark' -- '*_test.go' | xargs -n1 dirname | sort -u | sed 's,^,./,')

bench: ## one page of rates and ratios of whole processes in turns; AGAINST=another warptape takes turns, SAVE=file for benchstat
	$(GO) run ./cmd/warptape-dev speed $(if $(AGAINST),--against $(AGAINST)) $(if $(SAVE),--save $(SAVE))

rates: ## record, replay and trace rates inside one process, in warp instructions per second
	$(GO) test -run '^$$' -bench 'Workload' -benchtime 2s -cpu 1 ./cmd/command ./frontend/native/recorder

instructions: ## fail when a replay executes 5 % more instructions than the committed count (valgrind or perf)
	$(GO) run ./cmd/warptape-dev instructions

instructions-baseline: ## count them anew
	$(GO) run ./cmd/warptape-dev instructions --write

proto: ## regenerate the trace schema's Go and the generated docs
	cd proto && $(GO) run ./internal/generate
	$(GO) run ./cmd/warptape-dev docs

lanes: ## regenerate the emulator's lane loops in assembly
	cd frontend/internal/lanes/internal/lanegen && $(GO) run .
	cd trace/internal/lanevector/internal/lanegen && $(GO) run .

validate: ## compare the timing model with the reference simulator, in docs/validation.md
	$(GO) run ./cmd/warptape-dev validate

figures: ## measure the workloads that have changed for traces/catalogue.json, and regenerate docs
	$(GO) run ./traces/internal/catalogue
	$(GO) run ./cmd/warptape-dev docs

catalogue: ## record every workload's small size: instructions, seconds, bytes, rates
	$(GO) run ./traces/internal/catalogue -rates

sizes: ## measure traces and Accel-Sim files for traces/sizes.json (needs gzip, xz, zstd), and regenerate docs
	$(GO) run ./traces/internal/sizes
	$(GO) run ./cmd/warptape-dev docs

recorded: ## record traces/recorded again
	$(MAKE) -C traces recorded

cpu-traces: ## capture traces/cpu again (gcc, valgrind, objdump)
	$(MAKE) -C traces/cpu --always-make

sampling: ## measure the errors of samples on all machines (hours; it may be stopped); keeps whole traces in TRACES=folder
	$(GO) run ./cmd/warptape-dev sampling --traces $(TRACES)
	$(GO) run ./cmd/warptape-dev docs

energy-tables: ## energy of every workload for docs/energy-tables.md
	$(GO) run ./cmd/warptape-dev energy-tables

energy-cards: ## what busy cards do, for docs/energy-validation.md
	$(GO) run ./cmd/warptape-dev energy-cards
	$(GO) run ./cmd/warptape-dev docs

combinations: ## every pair of mechanisms on every machine, then random machines, overlays, parameters and workloads for TIME=10m, from SEED=1
	$(GO) test ./timing/mechanisms -run EveryOrderedPair -combinations.all -timeout 2h -v
	$(GO) test ./timing/mechanisms -run TestRandomCombinations -combinations.time $(or $(TIME),10m) -combinations.seed $(or $(SEED),1) -timeout 0 -v

divergence-tables: ## what divergence policies cost, for docs/divergence.md
	$(GO) run ./cmd/warptape-dev divergence
	$(GO) run ./cmd/warptape-dev docs

sweep-kill: ## a sweep of 1,000 points is killed twenty times, at moments drawn from SEED=1, and ends with the bytes of one that is not
	$(GO) test ./cmd/command -run TestASweepThatIsKilled -sweep.points 1000 -sweep.kills 20 -sweep.seed $(or $(SEED),1) -timeout 2h -v

# Of no run of continuous integration: a survivor is for a person to judge.
MUTATED ?= ./trace/projection
mutations: ## small errors in sources that a package's own tests do not see (MUTATED=./trace/projection, MUTANTS=20, SEED=1)
	$(GO) run ./cmd/warptape-dev mutate --mutants $(or $(MUTANTS),20) --seed $(or $(SEED),1) $(MUTATED)

combination-tables: ## what pairs of mechanisms bring, for docs/combinations.md
	$(GO) run ./cmd/warptape-dev combinations
	$(GO) run ./cmd/warptape-dev docs

reproduction: build ## repeat the papers' experiments for docs/reproduction.md (hours at size paper; it may be stopped)
	for study in $(STUDIES); do for size in $(SIZES); do \
		case " $(SAMPLED) " in *" $$study "*) sample="$(SAMPLE)";; *) sample=;; esac; \
		if [ $$study = eesi ]; then sample="$(SAMPLE_eesi)"; fi; \
		bin/warptape reproduce $$study --size $$size $$sample --save cmd/reproduce/results/$$study-$$size.json || exit 1; \
	done; done
	for study in $(ONESIZE); do \
		bin/warptape reproduce $$study --size small --save cmd/reproduce/results/$$study-small.json || exit 1; \
	done
	$(GO) run ./cmd/warptape-dev docs

# Without a limit of minimising a target spends its time on making one input smaller.
FUZZTIME ?= 20s
fuzz: ## every fuzz target in turn, FUZZTIME each (20s); a finding fails
	GO="$(GO)" .ci/fuzz $(FUZZTIME)

contraction: ## no product is fused with a sum, on the processors that can
	for arch in arm64 riscv64 ppc64le s390x; do $(GO) run ./.ci/contraction -arch $$arch || exit 1; done

arm64: ## traces and replays of an arm64 build under qemu-user are the bytes of this machine's
	.ci/arm64

ptx: ## recompile the workloads' CUDA C with clang 19
	$(MAKE) -B -C traces

oracle: ## make the front end's expected results again (needs clang-19 libclc-19 pocl-opencl-icd ocl-icd-opencl-dev opencl-headers)
	cd frontend/oracle && $(GO) run ./internal/generate

exhaustive: ## test approximate instructions with all 2^32 arguments (an hour)
	$(GO) test -timeout 6h ./frontend/emulator -run WholeRange -stride 1

vuln: ## known vulnerabilities in dependencies (needs the network)
	$(TOOL) govulncheck $(PKGS)
