# The commands of this project. Each installs what it is missing and can be run alone.

SWIFT ?= swift
# Warnings are errors in what make builds, and in no package that depends on this one.
export MEMWARND_STRICT = 1
# Packages contain folders with scripts in Python, and are made beside programs that run these.
export PYTHONDONTWRITEBYTECODE = 1
# Shipped programs look for no library where the compiler is, or beside themselves.
RELEASE = -c release --static-swift-stdlib --disable-local-rpath -Xswiftc -no-toolchain-stdlib-rpath $(LOCKING)
# With --ignore-lock a release can be built while tests run: they hold the lock of .build, although they build nothing.
LOCKING ?=
# Further options of builds for debugging.
DEBUG_BUILD ?=
BIN = .build/release
FUZZ_SECONDS ?= 60
# The library's modules; ResourceManagerServiceLifecycle is there with its trait only.
LIBRARY = ResourceManager ResourceCaches ObjectCache ResourceArchives
SOURCES = $(wildcard Sources Tests Examples Snippets Benchmarks/Sources Benchmarks/Package.swift Package.swift)
# The targets whose folders must not refer to each other in a cycle.
ARRANGED = MemoryPressure MemwarnProtocol WarningPolicy MemwarnSettings MemwarnProgram ResourceCaches memwarnd memwarnctl
# The targets that are Embedded Swift as well, each after those that it imports.
EMBEDDED = MemoryPressure MemwarnProtocol WarningPolicy MemwarnSettings MemwarnProgram Systemd memwarnd
# The daemon as it is shipped. Linking and tracing it takes most of a minute, so it is done only after a change of one of these
# files, or of a folder.
DAEMON = .build/shipped/memwarnd
DAEMON_FILES = Package.swift packaging/build-daemon.sh packaging/daemon.ld $(wildcard packaging/*.c) \
	$(shell find $(EMBEDDED:%=Sources/%) Sources/CLinux Sources/CSystemd)

.PHONY: help
help: ## Say what can be made
	@sed -n 's/^\([a-z-]*\):.*## /\1|/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "  make %-14s %s\n", $$1, $$2 }'

.PHONY: deps
deps:
	@packaging/build-deps.sh

.PHONY: build
build: deps ## Build everything for debugging
	$(SWIFT) build $(DEBUG_BUILD) --build-tests

.PHONY: release
release: shipped ## Build memwarnd's two programs as they are shipped, and the example host
	$(SWIFT) build $(RELEASE) --product memwarnctl
	$(SWIFT) build $(RELEASE) --product gallery
	$(SWIFT) build $(RELEASE) --product thrash
	$(SWIFT) build $(RELEASE) --product allocator-probe
	install -m 755 $(DAEMON) $(BIN)/memwarnd

.PHONY: install
install: ## Put what make release built in its place, under DESTDIR, below PREFIX (/usr)
	DESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)" packaging/install.sh $(BIN)

.PHONY: deb
deb: release ## A Debian package in .build/deb
	packaging/debian/build.sh $(BIN) .build/deb

.PHONY: rpm
rpm: release ## An RPM package in .build/rpm
	packaging/rpm/build.sh $(BIN) .build/rpm

.PHONY: source
source: ## An archive in .build/source that builds without a network
	packaging/source.sh .build/source

.PHONY: man
man: ## Check the form of the manual pages
	packaging/man/check.sh

.PHONY: run
run: release ## Start the daemon in the foreground
	$(BIN)/memwarnd run

.PHONY: demo
demo: release ## Real pressure, a warning, memory given back: a build of some minutes, then 11 s
	Examples/demo.sh $(BIN)

.PHONY: format
format: ## Write every file as .swift-format says
	$(SWIFT) format format --in-place --parallel --recursive $(SOURCES)

.PHONY: lint
lint: arrows language references embedded-check traps ## Check formatting, style and wording, and the structure of the targets
	$(SWIFT) format lint --strict --parallel --recursive $(SOURCES)

.PHONY: arrows
arrows: ## Draw the arrows between the folders of targets; a cycle is an error
	@[ -x /usr/bin/python3 ] || packaging/install-packages.sh arrows python3
	Tests/House/test_arrows.py
	Tests/House/arrows.py $(ARRANGED:%=Sources/%)

.PHONY: language
language: ## Find wording that is hard to read, in sources and documents
	@[ -x /usr/bin/python3 ] || packaging/install-packages.sh language python3
	Tests/House/test_language.py
	Tests/House/language.py

.PHONY: references
references: ## Check links in documents, and the names of files, targets and declarations
	docs/tools/deps.sh
	docs/tools/references.py

.PHONY: embedded-check
embedded-check: ## Compile the daemon's targets as Embedded Swift
	SWIFTC=$(SWIFT)c Tests/House/test_embedded
	SWIFTC=$(SWIFT)c Tests/House/embedded $(EMBEDDED:%=Sources/%)

.PHONY: traps
traps: ## Refuse calls in the daemon's targets that end an Embedded Swift program without their text
	@! grep -nrE '(^|[^.[:alnum:]_])(fatalError|precondition(Failure)?|assert(ionFailure)?)\(' $(EMBEDDED:%=Sources/%) | \
		grep -vE '^[^:]*:[0-9]+: *//' || { echo "traps: call trap(_:), which writes its text before it ends the program" >&2; exit 1; }

.PHONY: docs
docs: deps ## Pages for a browser in .build/docs: the library, the documents, the manual pages
	docs/tools/deps.sh cmark-gfm mandoc
	$(SWIFT) build $(DEBUG_BUILD) --product transcripts
	$(SWIFT) build $(DEBUG_BUILD) --target ObjectCache
	$(SWIFT) build $(DEBUG_BUILD) --target ResourceArchives
	.build/debug/transcripts Sources/ResourceManager/ResourceManager.docc
	rm -rf .build/docs
	SWIFT=$(SWIFT) docs/tools/library.py .build/debug .build/docs/library $(LIBRARY)
	docs/tools/site.py .build/docs

.PHONY: docs-check
docs-check: references release ## Run the commands in all documents, and check their references
	docs/tools/deps.sh
	$(SWIFT) build $(DEBUG_BUILD) --product memwarnd
	$(SWIFT) build $(DEBUG_BUILD) --product memwarnctl
	$(SWIFT) build $(DEBUG_BUILD) --product searchservice
	docs/tools/check.py

.PHONY: shipped
shipped: deps $(DAEMON) ## Build the daemon as it is shipped, for the tests

$(DAEMON): $(DAEMON_FILES) | deps
	SWIFT=$(SWIFT) packaging/build-daemon.sh $(@D)

.PHONY: test
test: shipped ## The tests, also against the real kernel if it permits; with the daemon as it is shipped
	@Tests/AllocatorProbe/deps.sh
	$(SWIFT) build $(DEBUG_BUILD) --build-tests
	ln -f .build/debug/memwarnctl .build/shipped/
	# Some tests stall the machine they run on.
	MEMWARND_PROGRAMS=$(CURDIR)/.build/shipped $(SWIFT) test --skip-build --no-parallel

.PHONY: test-ordinary
test-ordinary: deps ## The daemon's tests with a daemon in ordinary Swift
	$(SWIFT) test $(DEBUG_BUILD) --no-parallel --filter MemwarndTests

.PHONY: simulate
simulate: build-simulator ## Run SEEDS (500) busy hours of the daemon under virtual time, or for SECONDS=x, or one again: SEED=x
	Tests/Simulator/run $(BIN)/Simulator $(if $(SEED),SEED=$(SEED),$(if $(SECONDS),SECONDS=$(SECONDS),$(or $(SEEDS),500)) $(BASE))

.PHONY: build-simulator
build-simulator:
	WITHOUT_DAEMON=1 $(SWIFT) build $(RELEASE) --product Simulator

.PHONY: mutants
mutants: deps ## Make COUNT (300) mistakes, drawn by SEED, in files below ONLY, and list those that no test detects; takes hours
	@[ -x /usr/bin/python3 ] || packaging/install-packages.sh mutants python3
	Tests/Mutants/mutants.py $(if $(SEED),--seed $(SEED)) $(if $(COUNT),--count $(COUNT)) $(ONLY)

.PHONY: test-fleet
test-fleet: release ## Containers, Kubernetes manifests, Prometheus and the dashboard, as far as can be without a cluster
	Tests/Fleet/deps.sh promtool=prometheus
	promtool test rules packaging/prometheus/*.test.yml
	Tests/Fleet/manifests.sh
	Tests/Fleet/scrape.sh $(BIN)
	Tests/Fleet/container.sh $(BIN)
	Tests/Fleet/simulate.py $(BIN)/memwarnd --machines 20

# The caches as services run them: the parts that are compiled into another package, optimised.
HAMMER = WITHOUT_DAEMON=1 $(SWIFT) build -c release --package-path Tests/CacheHammer
HAMMER_SECONDS ?= 20
# Each commit walks other seeds, and a run of the same commit the same ones.
WALK_FROM ?= $(or $(shell git rev-parse --short=8 HEAD 2>/dev/null | sed 's/^/0x/' | xargs -r printf '%d'),1)
# Half a million operations in all, in a minute and a half on two processors; a million take six.
OUTSIDE_SEEDS ?= $(or $(WALK_SEEDS),1200)
CALLBACKS_SEEDS ?= $(or $(WALK_SEEDS),600)

.PHONY: build-asan
build-asan: deps
	$(HAMMER) --scratch-path .build/asan --sanitize=address --product hammer
	$(HAMMER) --scratch-path .build/asan --sanitize=address --product pitfall
	$(HAMMER) --scratch-path .build/asan --sanitize=address --product operations

.PHONY: test-asan
test-asan: build-asan ## The address sanitizer: caches by many threads for HAMMER_SECONDS (20), half a million random operations
	.build/asan/release/hammer $(HAMMER_SECONDS)
	.build/asan/release/pitfall
	$(MAKE) --no-print-directory --jobs=2 --output-sync walk-outside walk-callbacks

.PHONY: walk-outside
walk-outside:
	.build/asan/release/operations outside $(OUTSIDE_SEEDS) $(WALK_FROM)

.PHONY: walk-callbacks
walk-callbacks:
	.build/asan/release/operations callbacks $(CALLBACKS_SEEDS) $(WALK_FROM)

# Suites that compute for long, and on one thread.
ONE_THREAD = (CacheModel|CacheRoom|CountLimit|EvictionQueues|EntryStore|OperationBound|Documentation|TotalDecoding|Text|Frame)Tests

.PHONY: build-hammer-tsan
build-hammer-tsan: deps
	$(HAMMER) --scratch-path .build/tsan-hammer --sanitize=thread --product hammer

.PHONY: hammer-tsan
hammer-tsan: build-hammer-tsan ## The thread sanitizer: caches by many threads for HAMMER_SECONDS (20)
	.build/tsan-hammer/release/hammer $(HAMMER_SECONDS)

.PHONY: test-tsan
test-tsan: deps ## The library and the wire under the thread sanitizer, and the caches for HAMMER_SECONDS (20); not in CI
	WITHOUT_DAEMON=1 $(SWIFT) build $(DEBUG_BUILD) --build-tests --sanitize=thread --scratch-path .build/tsan
	WITHOUT_DAEMON=1 $(SWIFT) test --skip-build --no-parallel --sanitize=thread --scratch-path .build/tsan --skip '$(ONE_THREAD)'
	$(MAKE) --no-print-directory hammer-tsan

.PHONY: test-walk
test-walk: deps ## A few threads on a cache, in all orders
	$(HAMMER) --scratch-path .build/walk -Xcc -DLOCK_WORD_STEPS --product walk
	.build/walk/release/walk

.PHONY: test-vm
test-vm: deb ## The package on Debian 12 and 13, in virtual machines
	Tests/VM/test $(SUITES)

.PHONY: measure-vm
measure-vm: deb ## Memory, start and survival in a virtual machine, in half an hour
	Tests/VM/compare
	Tests/VM/survival

.PHONY: measure-model
measure-model: deb build-simulator ## Compare the simulator's kernel with a real one in a virtual machine, in ten minutes
	Tests/VM/compare-model

.PHONY: test-upgrade
test-upgrade: deb ## Upgrade the release of COMMIT=x to this one in a virtual machine, and back, under 200 hosts
	Tests/VM/upgrade $(COMMIT)

.PHONY: test-lifecycle
test-lifecycle: deps ## ResourceManagerServiceLifecycle, which needs its trait
	$(SWIFT) test --no-parallel --package-path Tests/ServiceLifecycle
	SWIFT=$(SWIFT) docs/tools/library.py Tests/ServiceLifecycle/.build/debug .build/docs-lifecycle ResourceManagerServiceLifecycle

.PHONY: test-consumer
test-consumer: ## A package that depends on this one by URL, with both build systems of SwiftPM, in two minutes
	SWIFT=$(SWIFT) Tests/Consumer/test

.PHONY: thumbnails
thumbnails: deps ## Build and test the example service over HTTP, which takes a while the first time
	Examples/Thumbnails/build-deps.sh
	$(SWIFT) test --package-path Examples/Thumbnails

.PHONY: fuzz
fuzz: ## Feed generated input to each parser, for FUZZ_SECONDS (60) each
	@ls -d Tests/Fuzz/*/ | xargs -n 1 basename | xargs -P "$$(nproc)" -I '{}' Tests/Fuzz/run.sh '{}' $(FUZZ_SECONDS)

.PHONY: bench
bench: release ## Measure against a C baseline and other caches, in about seven minutes
	@Tests/AllocatorProbe/deps.sh
	$(SWIFT) build -c release --package-path Benchmarks
	Benchmarks/.build/release/bench $(BIN)

.PHONY: traces
traces: deps ## Hit ratios for the traces in the folder TRACES, in about three minutes
	$(SWIFT) build -c release --package-path Benchmarks --product traces
	Benchmarks/.build/release/traces "$(TRACES)"

.PHONY: waits
waits: deps ## How long calls take beside long changes of a cache, in a quarter of an hour
	$(SWIFT) build -c release --package-path Benchmarks --product waits
	Benchmarks/.build/release/waits

.PHONY: plot
plot: deps ## Draw a service's memory over a warning, for the documentation, in a minute
	$(SWIFT) build -c release --package-path Benchmarks --product bench
	Benchmarks/.build/release/bench plot Sources/ResourceCaches/ResourceCaches.docc/warning.svg

.PHONY: check
check: lint test ## The checks for every commit: lint, warnings as errors, tests

.PHONY: clean
clean:
	rm -rf .build
