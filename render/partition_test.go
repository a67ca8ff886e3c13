package render

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/render/partition"
)

// builtBy returns the result of a build with parts of a size, and the number of parts of each kustomization.
func builtBy(fsys fstest.MapFS, sizes partition.Sizes) (objects []Object, parts map[string]int, err error) {
	current := emptyCache(Options{}, fsys)
	objects, err = builder{fsys: fsys, current: &current, buffer: make([]byte, 4<<10), sizes: sizes, form: formIn(nil)}.build(Options{})
	parts = map[string]int{}
	for dir, k := range current.built {
		parts[dir] = len(k.parts)
	}
	return objects, parts, err
}

var (
	asOne = partition.Sizes{Least: math.MaxInt}
	tiny  = partition.Sizes{Smallest: 1, Mean: 2, Largest: 3}
)

// requireSame compares a build in parts with a build as one, and returns the parts.
func requireSame(t *testing.T, fsys fstest.MapFS) map[string]int {
	t.Helper()
	want, _, wantErr := builtBy(fsys, asOne)
	got, parts, err := builtBy(fsys, tiny)
	if wantErr != nil {
		require.Error(t, err)
		require.Equal(t, differing.ReplaceAllString(wantErr.Error(), "*"), differing.ReplaceAllString(err.Error(), "*"))
		return parts
	}
	require.NoError(t, err)
	require.Equal(t, len(want), len(got))
	for i := range want {
		require.Equal(t, want[i], got[i])
	}
	return parts
}

// differing matches what differs between two errors of kustomize for the same files: addresses, and the first of several ambiguous
// references, which kustomize visits in the order of a map.
var differing = regexp.MustCompile("0x[0-9a-f]+|updating name reference .*")

// world makes random trees of kustomizations whose objects refer to each other.
type world struct {
	*rand.Rand
	fsys  fstest.MapFS
	names []string
	maps  []string // names of ConfigMaps without a namespace, below and beside the kustomization
	last  string
	n     int
}

func (w *world) one(of ...string) string { return of[w.IntN(len(of))] }

func (w *world) chance(percent int) bool { return w.IntN(100) < percent }

// name returns a new name, or rarely one that was used before.
func (w *world) name() string {
	if len(w.names) > 0 && w.chance(3) {
		return w.one(w.names...)
	}
	name := fmt.Sprintf("%s-%d", w.one("web", "db", "cache"), w.n)
	w.n++
	w.names = append(w.names, name)
	return name
}

// known returns a name that some object may have.
func (w *world) known() string {
	if len(w.names) == 0 {
		return "none"
	}
	return w.one(w.names...)
}

// configMap returns the name of a ConfigMap that the kustomization has, or rarely another.
func (w *world) configMap() string {
	if len(w.maps) == 0 || w.chance(4) {
		return w.known()
	}
	return w.one(w.maps...)
}

func (w *world) object() string {
	w.last = w.name()
	metadata := "metadata:\n  name: " + w.last + "\n"
	if w.chance(40) {
		metadata += "  namespace: " + w.one("shop", "team", "default") + "\n"
	}
	if w.chance(30) {
		metadata += "  labels: {tier: " + w.one("front", "back") + "}\n"
	}
	if w.chance(3) {
		metadata += "  annotations: {config.kubernetes.io/local-config: 'true'}\n"
	}
	switch w.IntN(12) {
	case 0, 1, 2:
		return "apiVersion: apps/v1\nkind: Deployment\n" + metadata + fmt.Sprintf(`spec:
  replicas: 1
  selector: {matchLabels: {app: %[1]s}}
  template:
    metadata: {labels: {app: %[1]s}}
    spec:
      serviceAccountName: %[2]s
      containers:
      - name: web
        image: registry.example.com/%[6]s:1.0
        envFrom: [{configMapRef: {name: %[3]s}}, {secretRef: {name: %[4]s}}]
        env:
        - {name: HOST, value: %[5]s}
      volumes:
      - name: data
        persistentVolumeClaim: {claimName: %[4]s}
`, w.known(), w.known(), w.known(), w.known(), w.known(), w.one("web", "db"))
	case 3, 4, 5:
		if strings.Contains(metadata, "namespace: ") {
			return "apiVersion: v1\nkind: ConfigMap\n" + metadata
		}
		w.maps = append(w.maps, w.last)
		return "apiVersion: v1\nkind: ConfigMap\n" + metadata + "data: {key: " + w.known() + "}\n"
	case 6:
		return "apiVersion: v1\nkind: Service\n" + metadata + "spec: {selector: {app: " + w.known() + "}, ports: [{name: http, port: 80}]}\n"
	case 7:
		return "apiVersion: v1\nkind: ServiceAccount\n" + metadata
	case 8:
		namespace := ""
		if w.chance(60) {
			namespace = ", namespace: " + w.one("shop", "team", "default", "prod")
		}
		return "apiVersion: rbac.authorization.k8s.io/v1\nkind: " + w.one("RoleBinding", "ClusterRoleBinding") + "\n" + metadata +
			fmt.Sprintf("roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: %s}\nsubjects:\n- {kind: ServiceAccount, name: %s%s}\n", w.known(), w.one(w.known(), "default"), namespace)
	case 9:
		return "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\n" + metadata +
			fmt.Sprintf("rules:\n- {apiGroups: [''], resources: [secrets], resourceNames: [%s, %s], verbs: [get]}\n", w.known(), w.known())
	case 10:
		if w.chance(70) {
			return w.object()
		}
		return "apiVersion: v1\nkind: Namespace\nmetadata: {name: " + w.name() + "}\n"
	}
	return "apiVersion: v1\nkind: Secret\n" + metadata + "stringData: {key: " + w.known() + "}\n"
}

// kustomization writes a kustomization and everything below it, and returns nothing.
func (w *world) kustomization(dir string, depth int, component bool) {
	beside := w.maps
	if !component {
		w.maps = nil
	}
	defer func() { w.maps = append(beside, w.maps...) }()
	var b strings.Builder
	if component {
		b.WriteString("apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n")
	}
	b.WriteString("resources:\n")
	for i := range 1 + w.IntN(6) {
		name := fmt.Sprintf("r%d.yaml", i)
		text := w.object()
		for w.chance(30) {
			text += "---\n" + w.object()
		}
		if w.chance(5) {
			text = "apiVersion: v1\nkind: List\nitems:\n- " + strings.ReplaceAll(strings.TrimSpace("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "+w.name()+"}"), "\n", "\n  ") + "\n---\n" + text
		}
		w.fsys[dir+"/"+name] = &fstest.MapFile{Data: []byte(text)}
		b.WriteString("- " + name + "\n")
	}
	for i := range w.IntN(3) * depth {
		below := fmt.Sprintf("%s/d%d", dir, i)
		w.kustomization(below, depth-1, false)
		fmt.Fprintf(&b, "- d%d\n", i)
		if w.chance(15) { // a second use, which needs other names
			twin := fmt.Sprintf("%s/t%d", dir, i)
			w.fsys[twin+"/kustomization.yaml"] = &fstest.MapFile{Data: fmt.Appendf(nil, "nameSuffix: -twin%d\nresources: [../d%d]\n", i, i)}
			fmt.Fprintf(&b, "- t%d\n", i)
		}
	}
	if depth > 0 && w.chance(30) {
		w.kustomization(dir+"/c", 0, true)
		b.WriteString("components: [c]\n")
	}
	field := func(percent int, format string, args ...any) {
		if w.chance(percent) {
			fmt.Fprintf(&b, format+"\n", args...)
		}
	}
	field(25, "namespace: %s", w.one("prod", "shop"))
	field(30, "namePrefix: %s", w.one("a-", "b-"))
	field(20, "nameSuffix: %s", w.one("-x", "-y"))
	field(20, "labels: [{pairs: {team: %s}, includeSelectors: %v}]", w.known(), w.chance(50))
	field(15, "commonAnnotations: {note: %s}", w.known())
	field(20, "images: [{name: registry.example.com/web, newTag: '2'}]")
	field(1, "replicas: [{name: %s, count: 3}]", w.known())
	if w.chance(40) {
		b.WriteString("configMapGenerator:\n")
		for range 1 + w.IntN(2) {
			if len(w.maps) > 0 && w.chance(30) {
				fmt.Fprintf(&b, "- name: %s\n  behavior: %s\n  literals: [value=%s]\n", w.one(w.maps...), w.one("merge", "replace"), w.known())
				continue
			}
			fmt.Fprintf(&b, "- name: %s\n  literals: [value=%s]\n", w.name(), w.known())
			field(20, "  namespace: %s", w.one("prod", "shop"))
			field(20, "  options: {disableNameSuffixHash: true}")
		}
	}
	field(10, "secretGenerator: [{name: %s, literals: [a=b]}]", w.name())
	if len(w.maps) > 0 && w.chance(60) {
		b.WriteString("patches:\n")
		for range 1 + w.IntN(3) {
			switch w.IntN(7) {
			case 6:
				patch := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s}\ndata: {several: '%d'}\n"
				name := fmt.Sprintf("p%d.yaml", w.n)
				w.fsys[dir+"/"+name] = &fstest.MapFile{Data: []byte(fmt.Sprintf(patch, w.configMap(), 1) + "---\n" + fmt.Sprintf(patch, w.configMap(), 2))}
				b.WriteString("- path: " + name + "\n")
			case 0:
				b.WriteString("- target: {kind: Deployment}\n  patch: |\n    - {op: replace, path: /spec/template/spec/serviceAccountName, value: " + w.known() + "}\n")
			case 1:
				b.WriteString("- target: {kind: Deployment, labelSelector: 'tier=front'}\n  patch: |\n    apiVersion: apps/v1\n    kind: Deployment\n    metadata: {name: any}\n    spec: {template: {spec: {imagePullSecrets: [{name: " + w.known() + "}]}}}\n")
			case 2:
				b.WriteString("- target: {kind: ConfigMap, name: '" + w.known() + "'}\n  patch: |\n    $patch: delete\n    apiVersion: v1\n    kind: ConfigMap\n    metadata: {name: any}\n")
			case 3:
				b.WriteString("- target: {kind: ConfigMap}\n  patch: |\n    - {op: add, path: /metadata/annotations/added, value: here}\n")
			case 4:
				b.WriteString("- patch: |\n    apiVersion: v1\n    kind: ConfigMap\n    metadata: {name: " + w.configMap() + "}\n    data: {patched: 'true'}\n")
			case 5:
				if w.chance(85) {
					continue
				}
				fmt.Fprintf(&b, "- target: {kind: Secret, name: '%s'}\n  patch: |\n    - {op: replace, path: /metadata/name, value: renamed}\n", w.known())
			}
		}
	}
	if len(w.maps) > 0 {
		field(8, "patchesStrategicMerge: ['{apiVersion: v1, kind: ConfigMap, metadata: {name: %s}, data: {merged: here}}']", w.configMap())
		field(8, "patchesJson6902: [{target: {version: v1, kind: ConfigMap, name: %s}, patch: '[{\"op\": \"add\", \"path\": \"/metadata/labels\", \"value\": {\"json\": \"6902\"}}]'}]", w.configMap())
	}
	if len(w.maps) > 0 && w.chance(12) {
		fmt.Fprintf(&b, "replacements:\n- source: {kind: %s, name: %s%s}\n  targets: [{select: {kind: Deployment}, fieldPaths: [%s}]\n", "ConfigMap", w.configMap(), w.one("", "", ", fieldPath: data.key"),
			w.one("spec.template.spec.serviceAccountName]", "spec.template.spec.containers.0.image], options: {delimiter: ':', index: 1", "spec.template.spec.serviceAccountName], options: {delimiter: '-', index: 0"))
	}
	field(5, "commonLabels: {common: %s, tier: %s}", w.known(), w.one("front", "back"))
	field(1, "vars: [{name: VALUE, objref: {kind: ConfigMap, name: %s, apiVersion: v1}}]", w.known())
	field(1, "sortOptions: {order: legacy}")
	w.fsys[dir+"/kustomization.yaml"] = &fstest.MapFile{Data: []byte(b.String())}
}

// TestReferencesOfKustomize fails when kustomize changes, so that somebody compares the lists in partition/references.go, and the rules in
// partition/units.go and partition/patches.go, with the new kustomize.
func TestReferencesOfKustomize(t *testing.T) {
	text, err := os.ReadFile("../go.mod")
	require.NoError(t, err)
	require.Contains(t, string(text), "sigs.k8s.io/kustomize/api v0.21.1\n")
	require.Contains(t, string(text), "sigs.k8s.io/kustomize/kyaml v0.21.1\n")
}

// TestPartsAreTheWhole builds random kustomizations in parts and as one: the objects, their order and origins, and the errors are equal.
func TestPartsAreTheWhole(t *testing.T) {
	seeds := uint64(30)
	if n, err := strconv.ParseUint(os.Getenv("SEEDS"), 10, 64); err == nil {
		seeds = n
	}
	built, inParts, failed := 0, 0, 0
	for seed := range seeds {
		w := &world{Rand: rand.New(rand.NewPCG(seed, 1)), fsys: fstest.MapFS{}}
		w.kustomization("all", 2, false)
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			defer func() {
				if t.Failed() {
					for _, name := range slices.Sorted(maps.Keys(w.fsys)) {
						t.Logf("-- %s --\n%s", name, w.fsys[name].Data)
					}
				}
			}()
			parts := requireSame(t, w.fsys)
			switch {
			case len(parts) == 0:
				failed++
			case parts["all"] > 1:
				inParts++
			}
			built++
		})
		if t.Failed() {
			break
		}
	}
	t.Logf("%d built, %d in parts, %d failed", built, inParts, failed)
	require.Greater(t, inParts, int(seeds)/5)
	require.Greater(t, failed, int(seeds)/10)
}
