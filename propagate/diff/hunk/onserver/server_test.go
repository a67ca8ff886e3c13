// Package onserver has no code. Its test applies changes to a real API server and compares the answers with package
// hunk: which changes the server rejects, and which change a pod template.
package onserver

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/local/localtest"
	"github.com/accord-dev/accord/internal/golden"
	"github.com/accord-dev/accord/propagate/diff/hunk"
	"github.com/accord-dev/accord/status/kind"
)

type member struct{ client.Client }

// TestOnAServer runs one file of testdata per kind. A *.yaml in it is an object; the parts after it are changes to the
// object, as JSON merge patches. The name of a change begins with the expected result: the immutable fields,
// "accepted", or "restarts" if pods are replaced.
func TestOnAServer(t *testing.T) {
	c, err := client.New(localtest.Start(t, "member").Config(), client.Options{})
	require.NoError(t, err)
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, g *golden.Case) {
		var object *unstructured.Unstructured
		for _, f := range g.Files {
			if strings.HasSuffix(f.Name, ".yaml") {
				object = parse(t, f.Data)
				member{c}.create(t, object)
				continue
			}
			t.Run(f.Name, func(t *testing.T) { member{c}.judge(t, f.Name, object, patched(t, object, f.Data)) })
		}
	})
	t.Run("defect D1: values are refused as by the server", func(t *testing.T) { valuesAsTheServer(t, member{c}) })
}

// judge compares the result of hunk for a change with the answer of the server.
func (m member) judge(t *testing.T, name string, before, after *unstructured.Unstructured) {
	verdict, _, _ := strings.Cut(name, ":")
	k := kind.Of(before.GroupVersionKind().GroupKind())
	refused := strings.Join(hunk.Immutable(k, before, after), "+")
	restarts := hunk.Restarts(k, before, after)

	stored, changed := m.live(t, before), after.DeepCopy()
	err := m.apply(t, changed, true)
	if refused == "" {
		require.NoError(t, err)
		same := equality.Semantic.DeepEqual(podsOf(k, stored), podsOf(k, changed))
		require.Equal(t, same, !restarts, "the server's template changes, or not")
		require.Equal(t, map[bool]string{true: "restarts", false: "accepted"}[restarts], verdict)
		return
	}
	require.Equal(t, verdict, refused)
	require.True(t, apierrors.IsInvalid(err) || apierrors.IsForbidden(err), "the server says: %v", err)
	for _, path := range strings.Split(refused, "+") {
		require.True(t, names(err, path), "the server does not mind %s: %v", path, err)
	}
}

// names reports whether a rejection is about a field, by its name or by the name of a field above it.
func names(err error, path string) bool {
	return slices.ContainsFunc(strings.Split(path, "."), func(step string) bool {
		return regexp.MustCompile(`(?i)[ .\[]` + step + `[\[.:]`).MatchString(err.Error())
	})
}

func podsOf(k kind.Kind, u *unstructured.Unstructured) map[string]any {
	if k.Template == nil {
		return nil
	}
	return k.Template(u)
}

// create applies an object and waits until the server can validate changes of it.
func (m member) create(t *testing.T, u *unstructured.Unstructured) {
	t.Helper()
	live := u.DeepCopy()
	require.NoError(t, m.apply(t, live, false))
	switch u.GetKind() {
	case "PersistentVolumeClaim": // no controller binds it
		require.NoError(t, unstructured.SetNestedField(live.Object, "Bound", "status", "phase"))
		storage, _, err := unstructured.NestedString(live.Object, "spec", "resources", "requests", "storage")
		require.NoError(t, err)
		require.NoError(t, unstructured.SetNestedField(live.Object, storage, "status", "capacity", "storage"))
		require.NoError(t, m.Status().Update(t.Context(), live))
	case "CustomResourceDefinition":
		require.NoError(t, wait.PollUntilContextTimeout(t.Context(), 20*time.Millisecond, time.Minute, true, func(context.Context) (bool, error) {
			live := m.live(t, u)
			health, _ := kind.Of(u.GroupVersionKind().GroupKind()).Health(live)
			return health == kind.Healthy, nil
		}))
	}
}

// apply applies u as accord does on a member, and sets u to the object that the server returns.
func (m member) apply(t *testing.T, u *unstructured.Unstructured, dry bool) error {
	t.Helper()
	text, err := json.Marshal(u)
	require.NoError(t, err)
	options := &client.PatchOptions{FieldManager: v1alpha1.FieldManager, Force: new(true)}
	if dry {
		options.DryRun = []string{metav1.DryRunAll}
	}
	return m.Patch(t.Context(), u, client.RawPatch(types.ApplyPatchType, text), options)
}

func (m member) live(t *testing.T, u *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	live := &unstructured.Unstructured{}
	live.SetGroupVersionKind(u.GroupVersionKind())
	require.NoError(t, m.Get(t.Context(), client.ObjectKeyFromObject(u), live))
	return live
}

func parse(t *testing.T, data []byte) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{}
	raw, err := yaml.YAMLToJSONStrict(data)
	require.NoError(t, err)
	require.NoError(t, u.UnmarshalJSON(raw))
	return u
}

// patched returns u with a merge patch applied.
func patched(t *testing.T, u *unstructured.Unstructured, patch []byte) *unstructured.Unstructured {
	t.Helper()
	text, err := yaml.Marshal(u.Object)
	require.NoError(t, err)
	out := parse(t, text)
	raw, err := yaml.YAMLToJSONStrict(patch)
	require.NoError(t, err)
	p := &unstructured.Unstructured{Object: map[string]any{}}
	require.NoError(t, json.Unmarshal(raw, &p.Object))
	merge(out.Object, p.Object)
	text, err = yaml.Marshal(out.Object)
	require.NoError(t, err)
	return parse(t, text)
}

// merge implements RFC 7386.
func merge(into, patch map[string]any) {
	for key, v := range patch {
		below, ok := v.(map[string]any)
		old, had := into[key].(map[string]any)
		switch {
		case v == nil:
			delete(into, key)
		case ok && had:
			merge(old, below)
		default:
			into[key] = v
		}
	}
}
