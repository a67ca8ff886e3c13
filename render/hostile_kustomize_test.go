package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// doubled returns kustomizations that each use the one below twice.
func doubled(levels int) map[string]string {
	files := map[string]string{"l0/kustomization.yaml": "resources: [a.yaml]", "l0/a.yaml": plain}
	for i := 1; i <= levels; i++ {
		for _, side := range []string{"x", "y"} {
			files[fmt.Sprintf("l%d%s/kustomization.yaml", i, side)] = fmt.Sprintf("namePrefix: %s\nresources: [../l%d]\n", side, i-1)
		}
		files[fmt.Sprintf("l%d/kustomization.yaml", i)] = fmt.Sprintf("resources: [../l%dx, ../l%dy]\n", i, i)
	}
	return files
}

// copied returns a kustomization whose patch copies an object into itself several times.
func copied(times int) map[string]string {
	patch := "    - {op: add, path: /data/x, value: {}}\n"
	for range times {
		patch += "    - {op: copy, from: /data, path: /data/x}\n"
	}
	return map[string]string{
		"kustomization.yaml": "resources: [a.yaml]\npatches:\n- target: {kind: ConfigMap}\n  patch: |\n" + patch,
		"a.yaml":             "apiVersion: x.org/v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: v}\n",
	}
}

// replaced returns a kustomization with consecutive replacements of the same source.
func replaced(source, options string, times int) map[string]string {
	text := "resources: [a.yaml]\nreplacements:\n"
	for i := range times {
		text += fmt.Sprintf("- source: %s\n  targets: [{select: {kind: ConfigMap}, fieldPaths: [data.x%d], options: {create: true%s}}]\n", source, i, options)
	}
	return map[string]string{"kustomization.yaml": text, "a.yaml": "apiVersion: x.org/v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: v}\n"}
}

// inFile moves the replacements to a file of their own.
func inFile(files map[string]string) map[string]string {
	head, list, _ := strings.Cut(files["kustomization.yaml"], "replacements:\n")
	files["kustomization.yaml"], files["r.yaml"] = head+"replacements: [{path: r.yaml}]\n", list
	return files
}

func TestHostileKustomizations(t *testing.T) {
	many := strings.Builder{}
	for i := range 6000 {
		fmt.Fprintf(&many, "---\napiVersion: v1\nkind: A\nmetadata: {name: a%d}\n", i)
	}
	few := strings.Builder{}
	for i := range 500 {
		fmt.Fprintf(&few, "---\napiVersion: v1\nkind: A\nmetadata: {name: a%d}\n", i)
	}
	patches := "resources: [a.yaml]\npatches:\n" + strings.Repeat("- {target: {kind: A}, patch: '[{\"op\": \"add\", \"path\": \"/x\", \"value\": 1}]'}\n", 1000)
	k := func(text string, more ...string) map[string]string {
		files := map[string]string{"kustomization.yaml": text, "a.yaml": plain}
		for i := 0; i < len(more); i += 2 {
			files[more[i]] = more[i+1]
		}
		return files
	}
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"more objects than kustomize can compare", k("resources: [a.yaml]\nvars: [{name: V, objref: {apiVersion: v1, kind: A, name: a1}}]\n", "a.yaml", many.String()), "kustomization.yaml:1: has more than 5000 objects and kustomizations to build, counting a base as often as it is used, and cannot be built in parts: kustomization.yaml has vars; split it"},
		{"bases that use each other twice", doubled(40), "has more than 20000 objects and kustomizations to build, counting a base as often as it is used; split it"},
		{"a patch that copies the object into itself", copied(40), "kustomization.yaml:1: has more than 33554432 bytes to build"},
		{"a patch in a file that does", k("resources: [a.yaml]\npatches: [{path: p.json}]\n", "p.json", "["+strings.TrimSuffix(strings.Repeat(`{"op":"copy","from":"/x","path":"/x/y"},`, 40), ",")+"]"), "bytes to build"},
		{"a transformer that does", k("resources: [a.yaml]\ntransformers: [t.yaml]\n", "t.yaml", "apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: x}\ntarget: {kind: A}\npatch: |\n"+strings.Repeat("  - {op: copy, from: /x, path: /x/y}\n", 40)), "bytes to build"},
		{"more patches than can be tried", k(patches, "a.yaml", few.String()), "has more than 200000 changes of an object to build"},
		{"labels that are long, on many objects", k("commonAnnotations: {a: "+strings.Repeat("x", 100_000)+"}\nresources: [a.yaml]\n", "a.yaml", few.String()), "bytes to build"},
		{"replacements that copy an object into itself", replaced("{kind: ConfigMap, fieldPath: data}", "", 40), "kustomization.yaml:1: has more than 33554432 bytes to build"},
		{"replacements in a file that do", inFile(replaced("{kind: ConfigMap, fieldPath: data}", "", 40)), "bytes to build"},
		{"replacements that put a text into itself", replaced("{kind: ConfigMap, fieldPath: data.k}", ", delimiter: ':'", 40), "bytes to build"},
		{"more replacements than anybody has", replaced("{kind: Secret, fieldPath: data.k}", "", 1001), "has more than 1000 replacements to build"},
		{"a patch of aliases of aliases", k("resources: [a.yaml]\npatches:\n- patch: |\n    a: &a {x: " + strings.Repeat("y", 100_000) + "}\n    b: [" + strings.Repeat("*a,", 500) + "]\n"), "including repeated aliases"},
		{"a base outside the tree", k("resources: [../../etc]\n"), `kustomization.yaml:1: "../../etc" is outside the tree`},
		{"an absolute path", k("resources: [/etc/passwd]\n"), `kustomization.yaml:1: "/etc/passwd" is an absolute path, expected one relative to the kustomization`},
		{"a base in a repository", k("resources: ['github.com/org/repo?ref=main']\n"), "is remote; accord reads only the tree: commit a copy and reference it"},
		{"a base over git", k("resources: ['git::https://example.org/repo']\n"), "is remote"},
		{"a base over https", k("resources: ['https://example.org/a.yaml']\n"), "is remote"},
		{"a base of a user", k("resources: ['git@example.org:org/repo']\n"), "is remote"},
		{"a base in the old form", k("bases: ['http://example.org/a']\n"), "is remote"},
		{"a Helm chart", k("helmCharts: [{name: x}]\n"), "kustomization.yaml:1: has Helm charts, which accord does not run; commit the rendered chart"},
		{"a Helm chart in the old form", k("helmChartInflationGenerator: [{chartName: x}]\n"), "kustomization.yaml:1: "},
		{"a function", k("transformers: [t.yaml]\n", "t.yaml", "apiVersion: v1\nkind: X\nmetadata: {name: x, annotations: {config.kubernetes.io/function: 'exec: {path: ./run}'}}\n"), "accord runs neither plugins nor functions"},
		{"a plugin of Go", k("generators: [t.yaml]\n", "t.yaml", "apiVersion: someteam.example.com/v1\nkind: Generator\nmetadata: {name: x}\n"), "accord runs neither plugins nor functions"},
		{"a generator that reads outside", k("configMapGenerator: [{name: x, files: ['k=../../etc/passwd']}]\n"), `"../../etc/passwd" is outside the tree`},
		{"a generator of environment that reads outside", k("secretGenerator: [{name: x, envs: [../x]}]\n"), `"../x" is outside the tree`},
		{"a replacement outside", k("replacements: [{path: ../x}]\n"), `"../x" is outside the tree`},
		{"a schema outside", k("openapi: {path: /x}\n"), `"/x" is an absolute path`},
		{"a schema for many objects", k("resources: [a.yaml]\nopenapi: {version: v1.21.2}\n", "a.yaml", few.String()), "has more than 250 objects and kustomizations to build with the field openapi"},
		{"a schema in a base for many objects", map[string]string{"kustomization.yaml": "resources: [a.yaml, b]", "a.yaml": few.String(), "b/kustomization.yaml": "openapi: {version: v1.21.2}"}, "with the field openapi"},
		{"a base that is itself", k("resources: [.]\n"), "uses itself"},
		{"bases in a circle", map[string]string{"a/kustomization.yaml": "resources: [../b]", "b/kustomization.yaml": "resources: [../a]"}, "uses itself: a -> b -> a"},
		{"a field that is not known", k("resource: [a.yaml]\n"), `unknown field "resource"`},
		{"an object in it that has no name", k("resources: [b.yaml]\n", "b.yaml", "apiVersion: v1\nkind: A\nmetadata: {}\n"), "b.yaml:3: A has no metadata.name"},
		{"an escape sequence in a reference", k("resources: [\"a\\e[0m.yaml\"]\n"), "has unprintable characters"},
	} {
		t.Run(c.name, func(t *testing.T) { refused(t, treeOf(c.files), c.want) })
	}
}

// TestKustomizationsWithinTheLimits builds kustomizations of realistic size.
func TestKustomizationsWithinTheLimits(t *testing.T) {
	for name, c := range map[string]struct {
		files   map[string]string
		objects int
	}{
		"bases that use each other twice, a few times": {doubled(5), 32},
		"a patch that copies a few times":              {copied(4), 1},
		"many replacements of texts":                   {replaced("{kind: ConfigMap, fieldPath: data.k}", "", 200), 1},
		"many replacements of names":                   {replaced("{kind: ConfigMap}", "", 200), 1},
		"many replacements in a file":                  {inFile(replaced("{kind: ConfigMap, fieldPath: data.k}", "", 200)), 1},
		"a replacement of a mapping":                   {replaced("{kind: ConfigMap, fieldPath: data}", "", 1), 1},
	} {
		t.Run(name, func(t *testing.T) {
			objects, err := Build(treeOf(c.files), Options{})
			require.NoError(t, err)
			require.Len(t, objects, c.objects)
		})
	}
}
