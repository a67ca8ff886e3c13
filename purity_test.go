package accord_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/token"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// deciding are the packages that are functions of values: same input, same plan, on every machine at any time.
var deciding = []string{"api", "clusters/fleet", "render", "propagate", "status", "reconciler/apply/live", "reconciler/apply/mutation", "reconciler/apply/ownership", "reconciler/metrics/counts", "reconciler/registration/request", "reconciler/state", "reconciler/store/fingerprint"}

// doing is what a deciding package may not reach, not even through others: clients, controllers, Git, metrics,
// and our own packages that do something. Each forbids what lies below it, too.
var doing = []string{
	"k8s.io/client-go",
	"sigs.k8s.io/controller-runtime",
	"github.com/go-git",
	"github.com/prometheus/client_golang",
	module + "/source",
	module + "/reconciler",
	module + "/clusters",
	module + "/cmd",
}

// parsers are the packages of forbidden modules that are functions of values.
var parsers = []string{"k8s.io/client-go/util/jsonpath", "k8s.io/client-go/third_party/forked/golang/template"}

// worldly is what a deciding package may not import itself. Without context nothing can take one; without os
// and net nothing can be read but what was passed in. What libraries do inside is theirs.
var worldly = []string{
	"context", "crypto/rand", "log", "log/slog", "math/rand", "math/rand/v2", "net", "net/http", "os", "os/exec", "syscall",
	"github.com/go-logr/logr", "k8s.io/klog/v2",
}

// clocks are the functions that say what time it is, or wait. The time is a field of the input called Now.
var clocks = map[string][]string{
	"time":                                 {"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTicker", "NewTimer"},
	"k8s.io/apimachinery/pkg/apis/meta/v1": {"Now", "NowMicro"},
}

func TestDecidingReachesNothingThatDoes(t *testing.T) {
	imports := dependencies(t, patterns(deciding)...)
	for _, pkg := range packagesBelow(imports, deciding) {
		if chain := reach(imports, pkg, isDoing); chain != nil {
			t.Errorf("a deciding package may not reach %s:\n\t%s", chain[len(chain)-1], strings.Join(chain, "\n\t-> "))
		}
	}
}

// TestReachFindsAChain keeps the test above honest: where there is a client, it is found.
func TestReachFindsAChain(t *testing.T) {
	imports := dependencies(t, "./source")
	chain := reach(imports, module+"/source", func(pkg string) bool { return under(pkg, "github.com/go-git/go-git/v5/plumbing") })
	require.NotEmpty(t, chain)
	require.Equal(t, module+"/source", chain[0])
	require.Contains(t, chain[len(chain)-1], "github.com/go-git/go-git/v5/plumbing")
}

func TestDecidingImportsNothingWorldly(t *testing.T) {
	for _, file := range parsed(t, deciding...) {
		for _, spec := range file.syntax.Imports {
			path := importPath(spec)
			if slices.Contains(worldly, path) {
				t.Errorf("%s: a deciding package may not import %s", file.at(spec.Pos()), path)
			}
		}
	}
}

func TestDecidingAsksNoClock(t *testing.T) {
	for _, file := range parsed(t, deciding...) {
		for _, asked := range clockCalls(file.syntax) {
			t.Errorf("%s: a deciding package may not use %s: the time is a field of its input", file.at(asked.Pos()), asked.Sel.Name)
		}
	}
}

// clockCalls are the mentions of a clock, whatever name its package is imported under.
func clockCalls(syntax *ast.File) []*ast.SelectorExpr {
	forbidden := map[string][]string{}
	for _, spec := range syntax.Imports {
		if names, ok := clocks[importPath(spec)]; ok {
			forbidden[localName(spec)] = names
		}
	}
	var found []*ast.SelectorExpr
	ast.Inspect(syntax, func(node ast.Node) bool {
		if selector, ok := node.(*ast.SelectorExpr); ok {
			if pkg, ok := selector.X.(*ast.Ident); ok && slices.Contains(forbidden[pkg.Name], selector.Sel.Name) {
				found = append(found, selector)
			}
		}
		return true
	})
	return found
}

func isDoing(pkg string) bool {
	if slices.Contains(parsers, pkg) || slices.ContainsFunc(deciding, func(folder string) bool { return under(pkg, module+"/"+folder) }) {
		return false
	}
	return slices.ContainsFunc(doing, func(forbidden string) bool { return under(pkg, forbidden) })
}

// reach returns the shortest chain of imports from pkg to a package that is wanted, or nil.
func reach(imports map[string][]string, pkg string, wanted func(string) bool) []string {
	from := map[string]string{pkg: ""}
	for queue := []string{pkg}; len(queue) > 0; queue = queue[1:] {
		for _, next := range imports[queue[0]] {
			if _, seen := from[next]; seen {
				continue
			}
			from[next] = queue[0]
			if wanted(next) {
				return chainTo(from, next)
			}
			queue = append(queue, next)
		}
	}
	return nil
}

func chainTo(from map[string]string, pkg string) []string {
	var chain []string
	for ; pkg != ""; pkg = from[pkg] {
		chain = append(chain, pkg)
	}
	slices.Reverse(chain)
	return chain
}

// dependencies maps every package that the patterns need to what it imports, tests left out.
func dependencies(t *testing.T, patterns ...string) map[string][]string {
	return listed(t, append([]string{"-deps"}, patterns...))
}

func listed(t *testing.T, args []string) map[string][]string {
	imports := map[string][]string{}
	for path, pkg := range goList(t, nil, append([]string{"-json=ImportPath,Imports"}, args...)...) {
		imports[path] = pkg.Imports
	}
	return imports
}

// goPackage is what go list prints about a package.
type goPackage struct {
	ImportPath, Name, Dir string
	GoFiles, Imports      []string
}

func goList(t *testing.T, env []string, args ...string) map[string]goPackage {
	list := exec.CommandContext(t.Context(), "go", append([]string{"list"}, args...)...)
	list.Env = append(os.Environ(), env...)
	var complaint strings.Builder
	list.Stderr = &complaint
	out, err := list.Output()
	require.NoError(t, err, complaint.String())

	packages := map[string]goPackage{}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var pkg goPackage
		err := decoder.Decode(&pkg)
		if errors.Is(err, io.EOF) {
			return packages
		}
		require.NoError(t, err)
		packages[pkg.ImportPath] = pkg
	}
}

// at is "file:line" below the top of the repository.
func (f file) at(pos token.Pos) string {
	return f.set.Position(pos).String()
}
