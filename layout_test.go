package accord_test

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/accord-dev/accord"

// arrows is who may import whom, as the design draws it. Programs under examples may import anything, and nothing
// imports them.
var arrows = map[string][]string{
	"internal":       {},
	"api":            {},
	"charts":         {},
	"source":         {},
	"source/cluster": {"api", "clusters", "render", "source"},
	"clusters":       {"api", "clusters/fleet"},
	"clusters/fleet": {"api"},
	"clusters/local": {},
	"status":         {"api"},
	"render":         {"api", "clusters/fleet"},
	"propagate":      {"api", "clusters/fleet", "render", "status"},
	"apiserver":      {"api", "clusters", "clusters/fleet"},
	"reconciler":     {"api", "apiserver", "clusters", "clusters/fleet", "propagate", "render", "source", "source/cluster", "status"},
	"cmd":            {"apiserver", "charts", "clusters", "clusters/fleet", "clusters/local", "propagate", "reconciler", "source", "source/cluster"},
	"examples":       {"api", "apiserver", "clusters", "clusters/fleet", "clusters/local", "propagate", "reconciler", "render", "source", "source/cluster", "status"},
}

// granted are the arrows that the design does not draw, each with its reason.
var granted = map[[2]string]string{
	{"cmd", "api"}:    "a command prints the hub's objects",
	{"cmd", "render"}: "lint reads a directory without hub, Git or cluster",
	{"cmd", "status"}: "interpret runs users' scripts about kinds; reasons have one spelling",
}

// everywhere are the packages that every package may import; they import none of ours.
var everywhere = []string{"internal/phrase", "internal/diskspace", "internal/egress", "internal/fairshare", "internal/jsonobject", "internal/compact", "internal/leastrole", "internal/version"}

// within is who may import whom among the packages below a folder; "." is the folder itself, which may import all of them.
var within = map[string]map[string][]string{
	"cmd/accord": {
		"text":            {},
		"exit":            {},
		"hub":             {"gitrepo", "text"},
		"gitrepo/edit":    {},
		"gitrepo":         {"gitrepo/edit", "text"},
		"plancache":       {},
		"background":      {},
		"check":           {"exit", "hub", "progress", "text"},
		"uninstall":       {"hub", "join", "text"},
		"livediff":        {"exit", "hub", "load", "review", "text"},
		"owned":           {},
		"tree":            {"hub", "owned", "text"},
		"events":          {"hub", "owned", "text"},
		"bootstrap":       {"hub", "progress"},
		"clusterimport":   {"exit", "hub", "load", "text"},
		"livesource":      {"hub", "load", "text"},
		"promote":         {"hub", "text"},
		"load":            {"exit", "gitrepo", "hub", "plancache", "text"},
		"progress":        {"exit", "hub", "text"},
		"lint":            {"load", "text"},
		"scaffold":        {"gitrepo", "text"},
		"schema":          {"text"},
		"rendered":        {"exit", "load", "text"},
		"install":         {"text"},
		"install/crds":    {},
		"join":            {"command", "exit", "hub", "load"},
		"view/picture":    {},
		"view/page":       {"view/picture"},
		"view":            {"hub", "progress", "text", "view/page", "view/picture"},
		"explain":         {"load", "progress", "text", "view"},
		"interpret":       {"lint", "load", "text"},
		"review":          {"gitrepo", "hub", "lint", "load", "plancache", "progress", "review/fit", "review/outage", "text"},
		"review/fit":      {},
		"review/outage":   {"text"},
		"review/post":     {"gitrepo", "review", "text"},
		"demo":            {"demo/workloads", "hub"},
		"demo/workloads":  {},
		"deliver":         {"exit", "gitrepo", "hub", "lint", "load", "progress", "text", "view"},
		"drain":           {"exit", "hub", "text"},
		"serve":           {"hub"},
		"start":           {},
		"token":           {"hub"},
		"register":        {"hub", "text"},
		"members/merge":   {},
		"members/fanout":  {"hub", "members/merge"},
		"members/guard":   {},
		"members/english": {},
		"members":         {"exit", "hub", "members/english", "members/fanout", "members/guard", "members/merge", "text"},
		"recovery":        {"command", "exit", "gitrepo", "hub", "load", "text"},
		"command":         {"drain", "gitrepo", "gitrepo/edit", "hub", "load", "progress", "review", "review/post", "text"},
		"complete":        {"gitrepo", "hub"},
	},
	"apiserver": {
		"answer":       {},
		"bundles":      {},
		"certificate":  {},
		"peers":        {"certificate"},
		"clusterproxy": {"answer", "tunnels"},
		"registry":     {"answer", "bundles"},
		"search":       {"answer", "clusterproxy"},
		"tunnels":      {},
	},
	"propagate": {
		"applyset":           {},
		"applyorder":         {},
		"autoscaler":         {},
		"concurrent":         {},
		"digest":             {"splice"},
		"previous":           {},
		"rebalance":          {},
		"recovery":           {},
		"scripts":            {"digest"},
		"rendercache":        {"digest"},
		"decision":           {"eviction", "place", "previous"},
		"deschedule":         {"divide", "previous"},
		"eviction":           {"divide", "previous"},
		"importer":           {"autoscaler", "concurrent"},
		"normalize":          {"scope"},
		"splice":             {},
		"decode":             {".", "control", "dependency"},
		"claim":              {},
		"control":            {},
		"exclude":            {"applyset"},
		"scope":              {},
		"taint":              {},
		"failover":           {"previous", "taint"},
		"rehearsal":          {".", "decision", "failover", "previous", "stage", "staged", "taint"},
		"place":              {},
		"divide":             {"place"},
		"stage":              {},
		"staged":             {".", "applyorder", "stage"},
		"dump":               {".", "control", "decode", "deschedule", "eviction", "exclude", "previous"},
		"member":             {"taint"},
		"permit":             {"."},
		"tenancy":            {".", "check", "decode"},
		"declared":           {"decode"},
		"dependency":         {},
		"bundle":             {".", "applyset", "scripts", "tenancy"},
		"check":              {".", "check/affinities", "check/confidential", "check/podspec", "check/unacted", "concurrent", "decision", "scope", "stage"},
		"check/affinities":   {"."},
		"check/confidential": {},
		"check/podspec":      {},
		"check/unacted":      {},
		"diff/hunk":          {},
		"diff":               {".", "check", "concurrent", "control", "decision", "diff/hunk", "digest", "permit", "rendercache"},

		"diff/hunk/onserver": {}, // tests on an API server
	},
	"render": {
		"mistake":        {},
		"decode":         {"mistake"},
		"partition":      {"decode"},
		"override/patch": {},
		"override":       {"override/patch"},
		"unrender":       {"."},
		"packed":         {".", "decode"},
	},
	"reconciler": {
		"apply/ownership":   {},
		"apply/live":        {"apply/ownership"},
		"apply/mutation":    {"apply/ownership"},
		"apply":             {"apply/live", "apply/ownership"},
		"store/fingerprint": {},
		"store":             {"store/fingerprint"},
		"state": {
			"apply/live", "metrics/counts", "store/fingerprint", "state/activation", "state/changes", "state/delivery", "state/deliveryreport", "state/discovered",
			"state/drift", "state/dryrun", "state/evictions", "state/figures", "state/gate", "state/hubobjects", "state/inputkey", "state/inventory", "state/mirrored", "state/news", "state/phase", "state/reachability", "state/record",
			"state/rolloutrecord", "state/unobserved",
		},
		"state/activation":     {"state/approval", "state/changes", "state/delivery", "state/inputkey", "state/record"},
		"state/approval":       {},
		"state/changes":        {},
		"state/delivery":       {"apply/live", "apply/mutation", "apply/ownership", "metrics/counts", "state/changes", "state/deliveryreport", "state/drift", "state/inventory", "state/news", "state/wanted", "store/fingerprint"},
		"state/deliveryreport": {"apply/live", "state/rolloutrecord", "state/wanted"},
		"state/discovered":     {"apply/live"},
		"state/drift":          {"apply/live", "state/changes"},
		"state/dryrun":         {},
		"state/evictions":      {"metrics/counts", "state/changes", "state/delivery", "state/hubobjects", "state/record"},
		"state/figures":        {"metrics/counts"},
		"state/gate":           {"state/delivery"},
		"state/hubobjects":     {},
		"state/inputkey":       {},
		"state/inventory":      {},
		"state/mirrored":       {},
		"state/news":           {"state/changes"},
		"state/phase":          {},
		"state/reachability":   {},
		"state/record":         {"state/wanted"},
		"state/rolloutrecord":  {},
		"state/unobserved":     {"state/changes"},
		"state/wanted":         {"apply/live"},
		"mirror":               {"retryqueue", "state", "state/changes", "state/mirrored"},
		"report/events":        {},
		"report":               {"mirror", "retryqueue", "state", "state/changes", "state/delivery", "state/deliveryreport", "state/inventory", "state/record", "store"},
		"retryqueue":           {},
		"publish":              {"apply/live", "descheduler", "retryqueue", "state"},
		"agent/bundlecache":    {},
		"agent":                {"agent/bundlecache", "apply", "apply/live", "deliver", "member", "registration/request", "report", "state", "state/delivery", "state/reachability", "store"},
		"deliver/workqueue":    {},
		"deliver":              {"apply", "apply/live", "deliver/workqueue", "report", "state", "state/changes", "state/delivery", "state/reachability"},
		"livecluster":          {},
		"memory":               {},
		"poison":               {},
		"sync": {
			"apply", "apply/live", "deliver", "livecluster", "memory", "poison", "publish", "report", "state", "state/activation", "state/approval", "state/changes", "state/inputkey", "state/reachability", "store", "store/fingerprint", "trigger",
		},
		"descheduler":            {"state"},
		"diskwatch":              {"report", "state"},
		"tenant":                 {"store"},
		"recordwatch":            {"apply/live", "report", "retryqueue", "state", "state/changes"},
		"rollout":                {"deliver", "report", "retryqueue", "state", "state/changes", "state/rolloutrecord"},
		"failover":               {"deliver", "report", "retryqueue", "state", "witness"},
		"witness":                {},
		"manager":                {},
		"member":                 {"deliver", "report", "state", "state/changes", "state/reachability", "store", "witness"},
		"replica/lease":          {},
		"replica":                {"deliver", "retryqueue", "rollout", "state", "state/activation", "state/changes", "state/delivery", "state/deliveryreport", "state/reachability", "store", "sync"},
		"metrics/counts":         {"apply/live"},
		"metrics":                {"metrics/counts", "state/figures"},
		"registration/request":   {},
		"registration/applicant": {"registration/request"},
		"registration":           {"manager", "registration/request", "state/changes"},
		"commitstatus":           {"networks", "sentrecord"},
		"networks":               {},
		"notify":                 {"networks", "sentrecord"},
		"sentrecord":             {},
		"webhook":                {},
		"trigger":                {},
	},
}

// sizes are the most lines that a package may have without its tests, by the folder that it is or lies in; the longest folder counts.
var sizes = map[string]int{
	"cmd/accord/": 3500, // every package below it
	"cmd/accord":  2500,
	"propagate/":  3500,
	"propagate":   3000,
	"reconciler/": 3500,
	"reconciler":  700,
	"render/":     3500,
	"render":      3500,
}

// rooms are the folders at the top. A new one is a new word that everybody has to learn.
var rooms = []string{"api", "apiserver", "charts", "clusters", "cmd", "docs", "examples", "internal", "propagate", "reconciler", "render", "source", "status"}

// nameless are folder and file names that say nothing about what is inside.
var nameless = regexp.MustCompile(`^(utils?|common|helpers?|types|misc|pkg)(\.go)?$`)

// earlyInit are the packages that need an init function, because nothing later is early enough.
var earlyInit = []string{"clusters/local/internal/quietetcd", "cmd/accord/members/english", "cmd/accord/start"}

func TestImportsFollowTheArrows(t *testing.T) {
	imports := listed(t, []string{"./..."})
	used := map[[2]string]bool{}
	for _, pkg := range slices.Sorted(maps.Keys(imports)) {
		from, ok := room(pkg)
		if !ok && pkg != module {
			t.Errorf("%s is in no room of the arrows", pkg)
			continue
		}
		for _, imported := range imports[pkg] {
			to, ours := room(imported)
			used[[2]string{from, to}] = true
			if slices.Contains(everywhere, strings.TrimPrefix(imported, module+"/")) {
				continue
			}
			if ours && to != from && !slices.Contains(arrows[from], to) && granted[[2]string{from, to}] == "" {
				t.Errorf("%s imports %s, but no arrow leads from %s to %s", pkg, imported, from, to)
			}
		}
	}
	for arrow := range granted {
		require.True(t, used[arrow], "nobody needs the arrow from %s to %s any more", arrow[0], arrow[1])
	}
}

func TestImportsWithinAFolderFollowTheArrows(t *testing.T) {
	imports := listed(t, []string{"./..."})
	for folder, arrows := range within {
		used := map[[2]string]bool{}
		for pkg, all := range imports {
			from, inside := below(pkg, folder)
			if !inside {
				continue
			}
			if _, known := arrows[from]; !known && from != "." {
				t.Errorf("%s is in no room of %s", pkg, folder)
			}
			for _, imported := range all {
				to, ours := below(imported, folder)
				used[[2]string{from, to}] = true
				if ours && from != "." && to != from && !slices.Contains(arrows[from], to) {
					t.Errorf("%s imports %s, but no arrow leads from %s to %s", pkg, imported, from, to)
				}
			}
		}
		for from, all := range arrows {
			require.Empty(t, reach(arrows, from, func(to string) bool { return slices.Contains(arrows[to], from) }), "a cycle through %s", from)
			for _, to := range all {
				require.True(t, used[[2]string{from, to}], "the arrow from %s to %s of %s is not needed", from, to, folder)
			}
		}
	}
}

// TestAccordLinksNoHub: pipelines and agents do not carry the API server and the store of "accord up", which are a program of their own.
func TestAccordLinksNoHub(t *testing.T) {
	isHub := func(pkg string) bool {
		return under(pkg, "go.etcd.io/etcd/server/v3") || under(pkg, "k8s.io/kubernetes/pkg/controlplane") || pkg == module+"/clusters/local"
	}
	imports := dependencies(t, "./cmd/accord", "./cmd/accord-agent", "./cmd/accord-apiserver")
	for _, program := range []string{"accord", "accord-agent"} {
		if chain := reach(imports, module+"/cmd/"+program, isHub); chain != nil {
			t.Errorf("%s may not link the hub:\n\t%s", program, strings.Join(chain, "\n\t-> "))
		}
	}
	require.NotNil(t, reach(imports, module+"/cmd/accord-apiserver", isHub))
}

func TestPackagesStaySmall(t *testing.T) {
	lines := map[string]int{}
	for _, file := range parsed(t, ".") {
		lines[path.Dir(file.name)] += file.set.File(file.syntax.FileStart).LineCount()
	}
	for _, pkg := range slices.Sorted(maps.Keys(lines)) {
		most, bound := 0, false
		for _, folder := range slices.Sorted(maps.Keys(sizes)) {
			if pkg == folder || strings.HasSuffix(folder, "/") && strings.HasPrefix(pkg, folder) {
				most, bound = sizes[folder], true
			}
		}
		if bound && lines[pkg] >= most {
			t.Errorf("%s has %d lines without tests: keep it below %d, or split it", pkg, lines[pkg], most)
		}
	}
}

// TestStructsStaySmall: the fields of a large struct have several users; a value type for each says who needs which.
// The resources of users in api follow their documents.
func TestStructsStaySmall(t *testing.T) {
	const most = 20
	for _, file := range parsed(t, ".") {
		if under(file.name, "api") {
			continue
		}
		ast.Inspect(file.syntax, func(n ast.Node) bool {
			if s, ok := n.(*ast.StructType); ok && s.Fields.NumFields() > most {
				t.Errorf("%s: a struct of %d fields: group them into types, so that at most %d are left", file.at(s.Pos()), s.Fields.NumFields(), most)
			}
			return true
		})
	}
}

// TestCommandsAreShort: a command is flags, help and an exit code; its work is in a package below.
func TestCommandsAreShort(t *testing.T) {
	const most = 150
	for _, file := range parsed(t, "cmd/accord") {
		if lines := file.set.File(file.syntax.FileStart).LineCount(); path.Dir(file.name) == "cmd/accord" && lines > most {
			t.Errorf("%s has %d lines: move the work to a package below, so that at most %d are left", file.name, lines, most)
		}
	}
}

// below returns where a package lies in a folder of the module, "." for the folder itself.
func below(pkg, folder string) (string, bool) {
	if !under(pkg, module+"/"+folder) {
		return "", false
	}
	return cmp.Or(strings.TrimPrefix(strings.TrimPrefix(pkg, module+"/"+folder), "/"), "."), true
}

func TestFoldersAtTheTop(t *testing.T) {
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	for _, entry := range entries {
		if entry.IsDir() && !strings.HasPrefix(entry.Name(), ".") && !slices.Contains([]string{"bin", "dist"}, entry.Name()) && !slices.Contains(rooms, entry.Name()) {
			t.Errorf("%s/ is no folder of the design: %s", entry.Name(), strings.Join(rooms, " "))
		}
	}
}

func TestEveryRoomHasAName(t *testing.T) {
	walk(t, ".", func(name string, _ fs.DirEntry) {
		if nameless.MatchString(path.Base(name)) {
			t.Errorf("%s: a room needs a name of its own", name)
		}
	})
}

func TestNothingRegistersItself(t *testing.T) {
	for _, file := range parsed(t, ".") {
		if slices.Contains(earlyInit, path.Dir(file.name)) {
			continue
		}
		for _, decl := range file.syntax.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				t.Errorf("%s: no init function: what exists stands in an explicit table", file.at(f.Pos()))
			}
		}
	}
}

// room is the longest key of arrows that pkg lies in.
func room(pkg string) (string, bool) {
	var found string
	for name := range arrows {
		if under(pkg, module+"/"+name) && len(name) > len(found) {
			found = name
		}
	}
	return found, found != ""
}

// under says whether pkg is the package root or below it.
func under(pkg, root string) bool {
	return pkg == root || strings.HasPrefix(pkg, root+"/")
}

func patterns(folders []string) []string {
	var all []string
	for _, folder := range folders {
		all = append(all, "./"+folder+"/...")
	}
	return all
}

func packagesBelow(imports map[string][]string, folders []string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(imports)), func(pkg string) bool {
		return !slices.ContainsFunc(folders, func(folder string) bool { return under(pkg, module+"/"+folder) })
	})
}

// file is one Go file that is no test.
type file struct {
	name   string
	set    *token.FileSet
	syntax *ast.File
}

func parsed(t *testing.T, folders ...string) []file {
	var files []file
	for _, folder := range folders {
		walk(t, folder, func(name string, entry fs.DirEntry) {
			if entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return
			}
			set := token.NewFileSet()
			syntax, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			files = append(files, file{name: name, set: set, syntax: syntax})
		})
	}
	require.NotEmpty(t, files)
	return files
}

// walk visits folders and files below root, but for hidden ones, testdata and what make build makes.
func walk(t *testing.T, root string, visit func(name string, entry fs.DirEntry)) {
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		base := entry.Name()
		if entry.IsDir() && (strings.HasPrefix(base, ".") || base == "testdata" || base == "bin") {
			return fs.SkipDir
		}
		visit(filepath.ToSlash(name), entry)
		return nil
	})
	require.NoError(t, err)
}

func importPath(spec *ast.ImportSpec) string {
	name, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return spec.Path.Value // the parser accepted it; there is nothing better to compare
	}
	return name
}

// localName is the name a file calls an imported package by.
func localName(spec *ast.ImportSpec) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	return path.Base(importPath(spec))
}
