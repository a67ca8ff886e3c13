package onhub

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	kstatus "github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// sample is one row of the truth table, for generation 2.
type sample struct {
	Kind, About      string
	Status           map[string]any
	Kstatus, Kubectl string
}

func samples(t *testing.T) []sample {
	file, err := os.Open("../testdata/truth.jsonl")
	require.NoError(t, err)
	defer file.Close()
	var list []sample
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var s sample
		require.NoError(t, json.Unmarshal(lines.Bytes(), &s))
		s.Status = integers(s.Status).(map[string]any)
		list = append(list, s)
	}
	require.Greater(t, len(list), 40)
	return list
}

// integers makes numbers what the API server's JSON makes them.
func integers(v any) any {
	switch v := v.(type) {
	case float64:
		return int64(v)
	case []any:
		for i := range v {
			v[i] = integers(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = integers(v[k])
		}
	}
	return v
}

// sampleAbout is the row of that kind with those words.
func sampleAbout(t *testing.T, kind, about string) map[string]any {
	t.Helper()
	all := samples(t)
	i := slices.IndexFunc(all, func(s sample) bool { return s.Kind == kind && s.About == about })
	require.GreaterOrEqual(t, i, 0, "no row %s: %s", kind, about)
	return all[i].Status
}

// agreesWithTheTable writes every row down and asks kubectl about all of them: those of which it says that they are done
// are those of the table. Once the spec of one moves on, it is not done.
func (h *hub) agreesWithTheTable(t *testing.T) {
	objects := map[string][]*unstructured.Unstructured{} // by what kubectl does
	for i, s := range samples(t) {
		u := h.create(t, s.Kind, fmt.Sprint("row-", i), map[string]string{"truth": s.Kubectl})
		h.next(t, u)
		h.report(t, u, s.Status)
		result, err := kstatus.Compute(u)
		require.NoError(t, err)
		require.Equal(t, s.Kstatus, result.Status.String(), "%s: %s", s.Kind, s.About)
		objects[s.Kubectl] = append(objects[s.Kubectl], u)
	}
	for kind := range specs {
		objects["waits"] = append(objects["waits"], h.create(t, kind, "unreported", map[string]string{"truth": "waits"}))
	}
	require.Equal(t, names(objects["returns"]), h.met(t, "truth=returns"), "kubectl waits for what is done")
	require.Empty(t, h.met(t, "truth=waits"), "kubectl returns early")
	for _, u := range objects["returns"] {
		h.next(t, u)
	}
	require.Empty(t, h.met(t, "truth=returns"), "kubectl returns for a generation that nobody has looked at")
}

func names(objects []*unstructured.Unstructured) []string {
	set := map[string]bool{}
	for _, u := range objects {
		set[strings.ToLower(u.GetKind())+".accord.dev/"+u.GetName()] = true
	}
	return slices.Sorted(maps.Keys(set))
}

// met are the objects with a label of which kubectl wait says that they are Ready. With no timeout it looks once.
func (h *hub) met(t *testing.T, selector string) []string {
	t.Helper()
	var list []string
	for kind := range specs {
		out, _ := h.run(t, "wait", strings.ToLower(kind), "-l", selector, "--for=condition=Ready", "--timeout=0")
		for line := range strings.Lines(out) {
			if name, ok := strings.CutSuffix(strings.TrimSpace(line), " condition met"); ok {
				list = append(list, name)
			} else {
				require.Contains(t, line, "condition not met", "%s: kubectl says something else", kind)
			}
		}
	}
	slices.Sort(list)
	return list
}

// followsOneRelease from before it is there until it is done: --for=create returns when the commit was noticed,
// --for=condition=Ready when all is done, and no earlier.
func (h *hub) followsOneRelease(t *testing.T) {
	const name = "prod-4f2c9e1a0b3c"
	noticed := h.start(t, "wait", "release/"+name, "--for=create", "--timeout=30s")
	require.Never(t, func() bool { return len(noticed) > 0 }, 500*time.Millisecond, 50*time.Millisecond)
	u := h.create(t, "Release", name, nil)
	require.True(t, (<-noticed).well, "the commit was noticed")

	done := h.start(t, "wait", "release/"+name, "--for=condition=Ready", "--timeout=30s")
	h.next(t, u)
	for _, about := range []string{"about to start, current", "starting", "unhealthy", "held", "held and lost", "suspended, older", "unplaced, current"} {
		h.report(t, u, sampleAbout(t, "Release", about))
		require.Never(t, func() bool { return len(done) > 0 }, 200*time.Millisecond, 20*time.Millisecond, "%s is not done", about)
	}
	h.report(t, u, sampleAbout(t, "Release", "current"))
	end := <-done
	require.True(t, end.well, end.out)
	require.Contains(t, end.out, name+" condition met")
}

// ended is how one kubectl ended.
type ended struct {
	out  string
	well bool
}

// start a kubectl that is not waited for.
func (h *hub) start(t *testing.T, args ...string) <-chan ended {
	end := make(chan ended, 1)
	go func() {
		out, well := h.run(t, args...)
		end <- ended{out, well}
	}()
	return end
}

// knowsWhichPathsAreSafe: docs/concepts/status.md says which jsonpaths can be waited for, and that Ready is none of them.
func (h *hub) knowsWhichPathsAreSafe(t *testing.T) {
	u := h.create(t, "Release", "paths", nil)
	h.next(t, u)
	jsonpath := func(path string) bool {
		_, met := h.run(t, "wait", "release/paths", "--for=jsonpath="+path, "--timeout=0")
		return met
	}
	h.report(t, u, sampleAbout(t, "Release", "held"))
	require.True(t, jsonpath(`{.status.summary.display}=0/1`))
	require.False(t, jsonpath(`{.status.supersededBy}`))
	h.report(t, u, sampleAbout(t, "Release", "overtaken, starting"))
	require.True(t, jsonpath(`{.status.supersededBy}`))
	require.True(t, jsonpath(`{.status.conditions[?(@.type=="Superseded")].status}=True`))

	h.report(t, u, sampleAbout(t, "Release", "current"))
	h.next(t, u)
	require.True(t, jsonpath(`{.status.conditions[?(@.type=="Ready")].status}=True`), "kubectl began to look at generations here: say so in docs/concepts/status.md")
	_, met := h.run(t, "wait", "release/paths", "--for=condition=Ready", "--timeout=0")
	require.False(t, met)

	object := h.create(t, "FederatedObject", "paths", nil)
	h.next(t, object)
	for about, want := range map[string]bool{"held": false, "unobserved": false, "starting": true, "current": true} {
		h.report(t, object, sampleAbout(t, "FederatedObject", about))
		_, met := h.run(t, "wait", "federatedobject/paths", "--for=jsonpath={.status.observedGeneration}=2", "--timeout=0")
		require.Equal(t, want, met, about)
	}
}

// patchesArgoCD does what examples/argocd/README.md says.
func (h *hub) patchesArgoCD(t *testing.T) {
	require.NoError(t, h.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "argocd"}}))
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "argocd-cm"}, Data: map[string]string{"url": "https://argocd.example.com"}}
	require.NoError(t, h.Create(t.Context(), cm))
	const file = "../../examples/argocd/argocd-cm.yaml"
	out, well := h.run(t, "patch", "configmap", "argocd-cm", "-n", "argocd", "--patch-file", file)
	require.True(t, well, out)
	require.NoError(t, h.Get(t.Context(), client.ObjectKeyFromObject(cm), cm))
	require.Equal(t, "https://argocd.example.com", cm.Data["url"], "what was there stays")
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	var want corev1.ConfigMap
	require.NoError(t, yaml.UnmarshalStrict(raw, &want))
	require.Len(t, want.Data, len(specs))
	for kind := range specs {
		key := "resource.customizations.health.accord.dev_" + kind
		require.NotEmpty(t, want.Data[key])
		require.Equal(t, want.Data[key], cm.Data[key])
	}
}
