package apply

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/reconciler/apply/ownership"
)

// retention is a customization with a script for Retain, in lines 10 and following of rules.yaml.
func retention(apiVersion, kind, script string) string {
	return fmt.Sprintf(`apiVersion: config.karmada.io/v1alpha1
kind: ResourceInterpreterCustomization
metadata: {name: ours}
spec:
  target: {apiVersion: %s, kind: %s}
  customizations:
    retention:
      luaScript: |
        function Retain(desired, observed)
          %s
          return desired
        end
`, apiVersion, kind, script)
}

// gadgets is a member that serves a kind of which only the users' script knows what is retained.
func gadgets(t *testing.T, federation, script string) (*world, func(spec string) propagate.ClusterPlan) {
	w := newWorld(t, federation)
	if w.get("CustomResourceDefinition", "", "gadgets.a.io") == nil {
		inventor := newWorld(t, "gadgets")
		inventor.delivered(inventor.target(definition("a.io", "Gadget", "gadgets")))
	}
	w.create(foreignNamespace)
	require.NoError(t, w.kubectl.Kinds.Refresh())
	return w, func(spec string) propagate.ClusterPlan {
		object := "apiVersion: a.io/v1\nkind: Gadget\nmetadata: {name: g, namespace: NS, labels: {app: g}}\nspec: {" + spec + "}\n"
		return w.planned(`[{apiVersion: a.io/v1, kind: Gadget}]`, object, retention("a.io/v1", "Gadget", script))
	}
}

const keepSize = `if observed.spec.size ~= nil then desired.spec.size = observed.spec.size end`

func TestScriptKeepsWhatIsLive(t *testing.T) {
	w, gadget := gadgets(t, "kept", keepSize)
	first := gadget("size: 1, path: a")
	w.delivered(first)
	w.edit("Gadget", "g", setting(int64(7), "spec", "size"))

	again := w.delivered(first)
	require.Empty(t, again.Drift, "what the script keeps is no drift")
	require.LessOrEqual(t, again.Requests, 2)
	require.Equal(t, int64(7), w.field("Gadget", "g", "spec", "size"))
	require.Zero(t, w.delivered(first).Requests)

	next := gadget("size: 2, path: b")
	require.Equal(t, 2, w.delivered(next).Requests, "one to read it, one to apply it")
	require.Equal(t, int64(7), w.field("Gadget", "g", "spec", "size"))
	require.Equal(t, "b", w.field("Gadget", "g", "spec", "path"))
	require.Zero(t, w.delivered(next).Requests)

	w.edit("Gadget", "g", setting("evil", "spec", "path"))
	require.Equal(t, []live.Drift{{ID: w.id("Gadget", "g"), Manager: "kubectl-edit", What: live.Changed, Fields: "spec.path"}}, w.delivered(next).Drift)
	require.Equal(t, "b", w.field("Gadget", "g", "spec", "path"))
}

// What a script copies is applied, so it is ours too: nobody else has to keep it there.
func TestWhatAScriptCopiesIsOwnedTogether(t *testing.T) {
	w, gadget := gadgets(t, "together", `desired.spec.tags = observed.spec.tags`)
	w.delivered(gadget("size: 1"))
	w.edit("Gadget", "g", setting(map[string]any{"colour": "blue"}, "spec", "tags"))
	w.delivered(gadget("size: 2"))
	owners := ownership.Of(w.get("Gadget", w.namespace, "g"))
	require.True(t, owners.Ours().Owns("spec.tags"))
	require.True(t, slices.ContainsFunc(owners, func(m ownership.Manager) bool { return m.Name == "kubectl-edit" && m.Owns("spec.tags") }))

	w.edit("Gadget", "g", setting(map[string]any{"colour": "green"}, "spec", "tags"))
	w.delivered(gadget("size: 3"))
	require.Equal(t, map[string]any{"colour": "green"}, w.field("Gadget", "g", "spec", "tags"))
}

// A script may give back the live object with all that an API server writes into it.
func TestScriptThatCopiesEverything(t *testing.T) {
	w, gadget := gadgets(t, "everything", `
          for _, field in ipairs({"labels", "annotations", "uid", "resourceVersion", "generation", "creationTimestamp", "managedFields"}) do
            desired.metadata[field] = observed.metadata[field]
          end
          desired.status = observed.status`)
	w.delivered(gadget("size: 1"))
	w.edit("Gadget", "g", func(u *unstructured.Unstructured) { u.SetLabels(with(u.GetLabels(), "team", "blue")) })
	next := gadget("size: 2")
	w.delivered(next)
	seen := seenIn(&w.live, w.id("Gadget", "g"))
	require.Equal(t, next.Objects[len(next.Objects)-1].Digest, seen.Digest, "the digest is that of what was rendered")
	require.Equal(t, int64(2), w.field("Gadget", "g", "spec", "size"))
	require.Equal(t, "blue", seen.Labels["team"])
	require.Zero(t, w.delivered(next).Requests)
	w.live = live.Objects{}
	require.LessOrEqual(t, w.delivered(next).Requests, 2)
	require.Zero(t, w.delivered(next).Requests)
}

func TestScriptThatFails(t *testing.T) {
	w, gadget := gadgets(t, "failing", `if observed.spec.size > 1 then error("too large") end`)
	w.delivered(gadget("size: 1"))
	w.edit("Gadget", "g", setting(int64(2), "spec", "size"))
	version := w.get("Gadget", w.namespace, "g").GetResourceVersion()
	outcome := w.deliver(gadget("size: 1, path: b"))
	err := outcome.Errors[w.id("Gadget", "g")]
	require.ErrorContains(t, err, "rules.yaml:10: ")
	require.ErrorContains(t, err, "too large")
	var at *manifest.Error
	require.ErrorAs(t, err, &at)
	require.Equal(t, manifest.Origin{Path: "rules.yaml", Line: 10}, at.Origin)
	require.Empty(t, outcome.Applied)
	require.Equal(t, version, w.get("Gadget", w.namespace, "g").GetResourceVersion(), "nothing is applied")
}

// The rules of a kind hold for what the script leaves as Git has it; what it decides holds.
func TestScriptAndTheRulesOfTheKind(t *testing.T) {
	for name, c := range map[string]struct {
		script, path string
		left         bool
	}{
		"the script is about something else": {`desired.spec.path = observed.spec.path`, "a", true},
		"the script decides":                 {`desired.spec.suspend = observed.spec.suspend`, "b", false},
	} {
		t.Run(name, func(t *testing.T) {
			w, kustomization := suspendable(t, worldOf("both", name))
			target := func(spec string) propagate.ClusterPlan {
				return w.planned(`[{apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization}]`, kustomization(spec),
					retention("kustomize.toolkit.fluxcd.io/v1", "Kustomization", c.script))
			}
			w.delivered(target("suspend: false, path: a"))
			w.edit("Kustomization", "apps", setting(true, "spec", "suspend"))
			next := target("suspend: false, path: b")
			w.delivered(next)
			require.Equal(t, true, w.field("Kustomization", "apps", "spec", "suspend"))
			require.Equal(t, c.path, w.field("Kustomization", "apps", "spec", "path"))
			require.Equal(t, c.left, len(seenIn(&w.live, w.id("Kustomization", "apps")).Yielded) == 1, "what a script copied is ours, too")
			require.Zero(t, w.delivered(next).Requests)
		})
	}
}

// TestHostileRetainScript: a script that changes what was approved is refused, and nothing is applied.
func TestHostileRetainScript(t *testing.T) {
	w, gadget := gadgets(t, "planted", `desired.spec.path = "evil"`)
	w.delivered(gadget("size: 1, path: a"))
	outcome := w.deliver(gadget("size: 2, path: a"))
	require.ErrorContains(t, outcome.Errors[w.id("Gadget", "g")], "rules.yaml:8: retention: Retain changes spec.path to a value that the observed object does not have there")
	require.Equal(t, int64(1), w.field("Gadget", "g", "spec", "size"))
}
