# Everything runs with Go, git and make; the tools of lint and generate are Go modules of .ci/tools.mod.
TOOL := go tool -modfile=.ci/tools.mod
GENERATE := $(TOOL) controller-gen object crd paths=./api/v1alpha1

# Without cgo the binary runs in any image, and programs that hold Kubernetes are half as large and link in half the time.
export CGO_ENABLED := 0

.PHONY: build release test test-release test-pull test-race test-browser lint generate fixtures bench demo first-minutes kill

build: ## bin/accord, with the API server of "accord up" and the agent beside it
	go build -o bin/ ./cmd/...

release: ## all files of a release in dist/, without network and container daemon: VERSION=v0.1.0; PLATFORMS=linux/amd64 for fewer
	go run -modfile=.ci/tools.mod ./.ci/release --version "$(VERSION)" $(if $(PLATFORMS),--platforms $(PLATFORMS)) $(if $(REGISTRY),--registry $(REGISTRY))

test: ## vet, then all tests; two packages at a time, because many start API servers, the longest one first
	go vet ./...
	@go tool -modfile=clusters/local/kwok/kwok.mod -n kwok >/dev/null # once, or packages that need it build it at the same time
	ACCORD_TEST_PLANES=$$(go tool -n members) go test -vet=off -ldflags=-w -p 2 -parallel 4 -timeout 40m ./reconciler ./...
	go test -modfile=.ci/tools.mod -vet=off -ldflags=-w ./.ci/release

# Tests of the reconciler that do not run in pull mode, each with its reason:
#   TestFight TestWhatIsToldOfAHub          they read figures of the executor, and an agent serves no metrics
#   TestFaultyClusters TestFleetInGit and   they are about addresses and credentials of clusters, which the hub does not have
#     the parts of TestApproval below
#   TestClustersLeave                       an agent loses its rights with its Cluster, and registers again: TestRegistration
#   TestHubRights TestReplicas* *Killed*    they share clusters among replicas, or end accord; TestPullMode kills a replica
#     TestClusterOfAnotherReplicaLeaves
#   TestOnce TestOnceApproval               they have no hub
#   TestStages/a_restart                    it expects that nobody repairs a cluster while accord does not run, and an agent does
PULLED = $(subst $() ,|,$(strip TestAMemberIsDown TestAReleaseTellsTheFindings TestARestartWritesNothing TestApproval TestCommitStatus TestFailover \
	TestFacts TestHealth TestHostileFederation TestMirror TestNoDigestOfASecretIsTold TestNoSecretIsTold TestNothingIsLostByFederations \
	TestNothingIsLostBySources TestNothingIsSeenWithoutItsOverrides TestOneHub TestOneHubOperated TestPreflight TestReplicasOfAnAutoscaler TestStages \
	TestTheHubLosesItsData TestTheHubLosesItsDataAndReplicasStay))
UNPULLED = TestApproval/(HostileUnapprovedCluster|HostileCredentials|DefectF1)|TestStages/a_restart
test-pull: ## tests of the reconciler that apply to pull mode, with an agent on each member
	ACCORD_TEST_PLANES=$$(go tool -n members) go test -vet=off -ldflags=-w -parallel 4 -timeout 30m -count 1 ./reconciler -run '^($(PULLED))$$' -skip '$(UNPULLED)' -mode pull

test-race: ## all tests with the race detector, which needs a C compiler; about an hour the first time
	ACCORD_TEST_PLANES=$$(go tool -n members) CGO_ENABLED=1 go test -race -vet=off -ldflags=-w -p 2 -parallel 4 -timeout 60m ./reconciler ./...

test-release: ## two releases of the last commit, compared byte by byte; PLATFORMS=linux/amd64 for fewer
	go test -modfile=.ci/tools.mod ./.ci/release -run TwoBuilds -count 1 -v -timeout 6h -source $(CURDIR) $(if $(PLATFORMS),-platforms $(PLATFORMS))

test-browser: ## the tests that need a browser: apt-get install --no-install-recommends chromium, or name one with $CHROMIUM
	go vet -tags browser ./cmd/accord/view/... ./cmd/accord/review
	go test -vet=off -tags browser ./cmd/accord/view/page ./cmd/accord/view/picture
	go test -vet=off -tags browser ./cmd/accord/review -run Phone

lint: ## format, staticcheck (deprecated fields of other people's manifests have to be read), generated files current, sums of modules, workflows
	@gofmt -l $$(git ls-files '*.go') | (! grep .) || { echo 'these files want gofmt'; exit 1; }
	$(TOOL) staticcheck -tags browser -checks inherit,-SA1019 ./...
	go vet -modfile=.ci/tools.mod ./.ci/release
	$(TOOL) actionlint
	@out=$$(mktemp -d) && trap 'rm -rf "$$out"' EXIT && \
	$(GENERATE) output:object:dir="$$out" output:crd:dir="$$out/crds" && \
	diff -r "$$out/crds" api/v1alpha1/crds && diff "$$out/zz_generated.deepcopy.go" api/v1alpha1 || \
	{ echo 'these files want make generate'; exit 1; }
	@go mod verify

generate: ## deep copies and CRDs from the types of api/v1alpha1, then the JSON schemas
	$(GENERATE) output:crd:dir=api/v1alpha1/crds
	go test ./api/jsonschema -run SchemasAreCurrent -update

fixtures: ## the installation of an older accord, from which TestUpgrade upgrades: COMMIT=v0.1.0, or any other commit
	go test -vet=off -ldflags=-w ./cmd/accord -run '^TestUpgrade$$' -count 1 -v -left-by $(or $(COMMIT),$(error name the commit: make fixtures COMMIT=v0.1.0))

bench: ## ours beside a bare client-go program; ARGS="--members 3 --objects 60" for a short one
	go run ./examples/bench $(ARGS)

demo: ## an upgrade cluster by cluster on real API servers; EXAMPLE=staged-rollout another one; KEEP=1 leaves it running
	go run ./examples/demo $(if $(KEEP),--keep) $(or $(EXAMPLE),rollout)

first-minutes: build ## the first ten minutes of a new user, with time stamps and limits
	go run ./examples/firstminutes

kill: ## kill the controllers and the hub 200 times, and replicas 100 times; SEED=n repeats a run, KILLS=n makes it shorter
	go test ./reconciler -run KilledAtAnyPoint -count 1 -v -timeout 3h -kills $(or $(KILLS),200) $(if $(SEED),-seed $(SEED))
