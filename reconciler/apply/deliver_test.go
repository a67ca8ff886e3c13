package apply

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/applyset"
	"github.com/accord-dev/accord/reconciler/apply/live"
)

func TestWhatIsAsItShouldBeCostsNothing(t *testing.T) {
	w := newWorld(t, "steady")
	target := w.target(namespaceYAML + deploymentYAML + configMap("one", "1"))
	first := w.delivered(target)
	require.Len(t, first.Applied, 3)
	require.Empty(t, first.Adopted)
	require.Empty(t, first.Drift)
	require.Len(t, first.Inventory, 3)

	before := w.sent.Load()
	again, err := w.attempt(target)
	require.NoError(t, err)
	require.Empty(t, again.Applied)
	require.Zero(t, w.sent.Load()-before)
	require.Equal(t, first.Inventory, again.Inventory)
	require.Len(t, w.recorded, 1)

	w.live = live.Objects{} // a restart: what was accepted is forgotten, the fields are compared
	w.look(target)
	require.Zero(t, w.delivered(target).Requests)
}

func TestColdDeliveryIsOneRequestPerObject(t *testing.T) {
	w := newWorld(t, "cold")
	var text strings.Builder
	for i := range 50 {
		text.WriteString(configMap(fmt.Sprintf("c%02d", i), "v"))
	}
	outcome := w.delivered(w.target(namespaceYAML + text.String()))
	require.Len(t, outcome.Applied, 51)
	// The parent is looked for and written, the namespace is looked for; in a namespace that is new nothing is.
	require.LessOrEqual(t, outcome.Requests, 51+5)

	changed := w.delivered(w.target(namespaceYAML + strings.Replace(text.String(), `key: "v"`, `key: "w"`, 1)))
	require.Len(t, changed.Applied, 1)
	require.Equal(t, 1, changed.Requests, "a change is one request")
}

func TestInventoryIsRecordedBeforeTheFirstApply(t *testing.T) {
	w := newWorld(t, "ahead")
	target := w.target(namespaceYAML + configMap("one", "1"))
	w.options.Record = func(context.Context, []string) error {
		require.Nil(t, w.get("Namespace", "", w.namespace))
		return context.DeadlineExceeded
	}
	outcome, err := Deliver(t.Context(), w.member, w.federation, target, &w.live, nil, w.options)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Nil(t, w.get("Namespace", "", w.namespace), "what cannot be recorded is not begun")
	require.Empty(t, outcome.Inventory)
}

func TestParentListsKindsAndNamespaces(t *testing.T) {
	w := newWorld(t, "parent")
	w.delivered(w.target(namespaceYAML + deploymentYAML + configMap("one", "1")))
	parent := w.get("ConfigMap", applyset.InventoryNamespace, applyset.InventoryName(w.federation))
	require.NotNil(t, parent)
	require.Equal(t, applyset.ID(w.federation), parent.GetLabels()[v1alpha1.ApplySetLabel])
	require.Equal(t, "ConfigMap,Deployment.apps,Namespace", parent.GetAnnotations()[v1alpha1.KindsAnnotation])
	require.Equal(t, "parent", parent.GetAnnotations()[namespacesAnnotation])

	w.delivered(w.target(namespaceYAML + configMap("one", "1")))
	parent = w.get("ConfigMap", applyset.InventoryNamespace, applyset.InventoryName(w.federation))
	require.Equal(t, "ConfigMap,Namespace", parent.GetAnnotations()[v1alpha1.KindsAnnotation])
}

func TestInventoryOfTheHubIsLost(t *testing.T) {
	w := newWorld(t, "amnesia")
	first := w.delivered(w.target(namespaceYAML + deploymentYAML + configMap("one", "1")))
	recalled, err := Discover(t.Context(), w.member, w.federation)
	require.NoError(t, err)
	require.Equal(t, first.Inventory, live.Entries(recalled))
	federations, err := Federations(t.Context(), w.member)
	require.NoError(t, err)
	require.Equal(t, w.federation, federations[applyset.ID(w.federation)])
	for _, r := range recalled {
		if r.ID == w.id("Deployment", "web") {
			require.EqualValues(t, 2, *r.Replicas)
		} else {
			require.Nil(t, r.Replicas)
		}
	}

	w.inventory, w.live = nil, live.Objects{} // nobody watches Deployments now
	outcome := w.delivered(w.target(namespaceYAML + configMap("one", "1")))
	require.Equal(t, []manifest.ID{w.id("Deployment", "web")}, outcome.Pruned)
	require.Nil(t, w.get("Deployment", w.namespace, "web"))
}

func TestDriftIsRepairedAndSaysWhoDidIt(t *testing.T) {
	w := newWorld(t, "drift")
	target := w.target(namespaceYAML + deploymentYAML + configMap("one", "1"))
	w.delivered(target)
	first := func(u *unstructured.Unstructured) map[string]any {
		containers, _, _ := unstructured.NestedFieldNoCopy(u.Object, "spec", "template", "spec", "containers")
		return containers.([]any)[0].(map[string]any)
	}
	const nobody = "" // who only removes fields owns nothing afterwards, and is not on record
	for _, c := range []struct {
		name, manager, fields string
		change                func(u *unstructured.Unstructured)
	}{
		{"an item of a list removed", nobody, `spec.template.spec.containers[name="web"].ports`, func(u *unstructured.Unstructured) { first(u)["ports"] = first(u)["ports"].([]any)[:1] }},
		{"a list of items removed", nobody, `spec.template.spec.containers[name="web"].env`, func(u *unstructured.Unstructured) { delete(first(u), "env") }},
		{"a value changed", "kubectl-edit", "spec.replicas", func(u *unstructured.Unstructured) { u.Object["spec"].(map[string]any)["replicas"] = int64(7) }},
		{"a value in an item", "kubectl-edit", `spec.template.spec.containers[name="web"].image`, func(u *unstructured.Unstructured) { first(u)["image"] = "nginx:evil" }},
		{"an atomic list changed", "kubectl-edit", `spec.template.spec.containers[name="web"].args`, func(u *unstructured.Unstructured) { first(u)["args"] = []any{"c"} }},
	} {
		t.Run(c.name, func(t *testing.T) {
			w.T = t
			w.edit("Deployment", "web", c.change)
			outcome := w.delivered(target)
			require.Equal(t, []live.Drift{{ID: w.id("Deployment", "web"), Manager: c.manager, What: live.Changed, Fields: c.fields}}, outcome.Drift)
			require.Equal(t, 1, outcome.Requests)
			live := w.get("Deployment", w.namespace, "web")
			require.Equal(t, "nginx:1.29", first(live)["image"])
			require.Equal(t, []any{"a", "b"}, first(live)["args"])
			require.Len(t, first(live)["ports"], 2)
			require.Zero(t, w.delivered(target).Requests)
		})
	}
}

// Whoever may patch on the member can apply under accord's own name, with the digest that accord wrote.
func TestHostileApplyAsAccord(t *testing.T) {
	w := newWorld(t, "as-accord")
	target := w.target(namespaceYAML + deploymentYAML + configMap("one", "1"))
	w.delivered(target)
	container := func(object map[string]any) map[string]any {
		containers, _, _ := unstructured.NestedSlice(object, "spec", "template", "spec", "containers")
		return containers[0].(map[string]any)
	}
	contain := func(object map[string]any, containers ...any) {
		require.NoError(t, unstructured.SetNestedSlice(object, containers, "spec", "template", "spec", "containers"))
	}
	cases := []struct {
		name, kind, object, fields string
		change                     func(object map[string]any)
	}{
		{"another image", "Deployment", "web", "spec.template.spec.containers[web].image", func(o map[string]any) {
			first := container(o)
			first["image"] = "evil.example/miner"
			contain(o, first)
		}},
		{"a container more", "Deployment", "web", `spec.template.spec.containers[name="miner"].image, spec.template.spec.containers[name="miner"].name`, func(o map[string]any) {
			contain(o, container(o), map[string]any{"name": "miner", "image": "evil.example/miner"})
		}},
		{"an annotation, which has no generation", "Deployment", "web", "metadata.annotations.example.com/more", func(o map[string]any) {
			require.NoError(t, unstructured.SetNestedField(o, "x", "metadata", "annotations", "example.com/more"))
		}},
		{"a kind without a generation", "ConfigMap", "one", "data.key", func(o map[string]any) {
			require.NoError(t, unstructured.SetNestedField(o, "evil", "data", "key"))
		}},
	}
	for _, restarted := range []bool{false, true} {
		for _, c := range cases {
			t.Run(fmt.Sprintf("%s, restarted %t", c.name, restarted), func(t *testing.T) {
				w.T = t
				id := w.id(c.kind, c.object)
				var sent map[string]any
				require.NoError(t, utiljson.Unmarshal(target.Objects[slices.IndexFunc(target.Objects, func(p propagate.Placed) bool { return p.ID == id })].Body.Bytes(), &sent))
				c.change(sent)
				text, err := json.Marshal(sent)
				require.NoError(t, err)
				mapping, err := w.kubectl.Kinds.Mapping(gvkOf(c.kind))
				require.NoError(t, err)
				_, err = w.kubectl.Objects.Resource(mapping.Resource).Namespace(w.namespace).Patch(t.Context(), c.object, types.ApplyPatchType, text, applied(v1alpha1.FieldManager))
				require.NoError(t, err)

				want := live.Drift{ID: id, Manager: "accord", What: live.Changed, Fields: c.fields}
				if restarted {
					w.live, want.Fields = live.Objects{}, ""
				}
				require.Equal(t, []live.Drift{want}, w.delivered(target).Drift)
				u := w.get(c.kind, w.namespace, c.object)
				require.NotContains(t, fmt.Sprint(u.Object["spec"], u.Object["data"]), "evil")
				require.NotContains(t, u.GetAnnotations(), "example.com/more")
				require.Zero(t, w.delivered(target).Requests)
			})
		}
	}
}

func TestFieldsOfOthersAreLeftAlone(t *testing.T) {
	w := newWorld(t, "others")
	target := w.target(namespaceYAML + deploymentYAML)
	w.delivered(target)
	w.edit("Deployment", "web", func(u *unstructured.Unstructured) {
		u.SetAnnotations(with(u.GetAnnotations(), "team", "blue"))
		require.NoError(t, unstructured.SetNestedField(u.Object, "true", "spec", "template", "metadata", "annotations", "restarted"))
	})
	require.Zero(t, w.delivered(target).Requests, "what is not in our manifest is not ours to watch")

	changed := w.target(namespaceYAML + strings.Replace(deploymentYAML, "nginx:1.29", "nginx:1.30", 1))
	require.Len(t, w.delivered(changed).Applied, 1)
	require.Equal(t, "blue", w.get("Deployment", w.namespace, "web").GetAnnotations()["team"])
}

func TestFieldRemovedFromGitIsRemoved(t *testing.T) {
	w := newWorld(t, "shrink")
	w.delivered(w.target(namespaceYAML + deploymentYAML))
	w.delivered(w.target(namespaceYAML + strings.Replace(deploymentYAML, "        env: [{name: A, value: \"1\"}]\n", "", 1)))
	require.NotContains(t, fmt.Sprint(w.get("Deployment", w.namespace, "web").Object["spec"]), "env:")
}

func TestDeletedByHandIsCreatedAgain(t *testing.T) {
	w := newWorld(t, "deleted")
	target := w.target(namespaceYAML + configMap("one", "1") + configMap("two", "2"))
	w.delivered(target)
	w.remove("ConfigMap", "one")
	outcome := w.delivered(target)
	require.Equal(t, []live.Drift{{ID: w.id("ConfigMap", "one"), What: live.Deleted}}, outcome.Drift)
	require.NotNil(t, w.get("ConfigMap", w.namespace, "one"))
}

func TestLabelTakenOffIsPutOn(t *testing.T) {
	w := newWorld(t, "unlabelled")
	target := w.target(namespaceYAML + configMap("one", "1"))
	w.delivered(target)
	w.edit("ConfigMap", "one", func(u *unstructured.Unstructured) { u.SetLabels(nil) })
	outcome := w.delivered(target)
	require.Equal(t, []live.Drift{{ID: w.id("ConfigMap", "one"), What: live.Changed}}, outcome.Drift)
	require.Equal(t, 2, w.live.Len())
}

func TestWhatAnAPIServerDropsIsAcceptedOnce(t *testing.T) {
	w := newWorld(t, "dropped")
	target := w.target(namespaceYAML + "apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: NS}\nstringData: {a: b}\n")
	w.delivered(target)
	require.LessOrEqual(t, w.delivered(target).Requests, 1)
	require.Zero(t, w.delivered(target).Requests)
}

func TestLargeAndLong(t *testing.T) {
	w := newWorld(t, "extreme")
	long := strings.Repeat("a", 253)
	target := w.target(namespaceYAML + configMap(long, "1") + configMap("large", strings.Repeat("x", 1<<20-2048)))
	require.Len(t, w.delivered(target).Applied, 3)
	require.NotNil(t, w.get("ConfigMap", w.namespace, long))
	require.Zero(t, w.delivered(target).Requests)
}

func TestAnErrorStopsNothingElseButPruning(t *testing.T) {
	w := newWorld(t, "error")
	w.delivered(w.target(namespaceYAML + configMap("old", "1")))
	bad := strings.Replace(deploymentYAML, "replicas: 2", "replicas: -1", 1)
	unserved := "apiVersion: example.com/v1\nkind: Nothing\nmetadata: {name: some, namespace: NS}\n"
	outcome := w.deliver(w.target(namespaceYAML + bad + configMap("new", "1") + unserved))
	require.Equal(t, []manifest.ID{w.id("ConfigMap", "new")}, outcome.Applied)
	require.Len(t, outcome.Errors, 2)
	var rejected, unknown *live.Problem
	require.ErrorAs(t, outcome.Errors[w.id("Deployment", "web")], &rejected)
	require.Equal(t, live.Rejected, rejected.Reason)
	require.False(t, rejected.Retry)
	require.ErrorAs(t, outcome.Errors[manifest.ID{Group: "example.com", Kind: "Nothing", Namespace: w.namespace, Name: "some"}], &unknown)
	require.Equal(t, live.NoMatch, unknown.Reason)
	require.Empty(t, outcome.Pruned)
	require.NotNil(t, w.get("ConfigMap", w.namespace, "old"))

	require.Equal(t, []manifest.ID{w.id("ConfigMap", "old")}, w.delivered(w.target(namespaceYAML+configMap("new", "1"))).Pruned)
}

func TestEndedContextEndsTheDelivery(t *testing.T) {
	w := newWorld(t, "ended")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	outcome, err := Deliver(ctx, w.member, w.federation, w.target(namespaceYAML), &w.live, read("_x__Namespace"), w.options)
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, outcome.Applied)
	require.Equal(t, []string{"_x__Namespace"}, outcome.Inventory)
}

func TestDefinitionAndItsObjectsInOneDelivery(t *testing.T) {
	w := newWorld(t, "definition")
	target := w.target(namespaceYAML + `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boats.definition.example.com}
spec:
  group: definition.example.com
  names: {kind: Boat, plural: boats}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties: {spec: {type: object, properties: {size: {type: integer}}}}
---
apiVersion: definition.example.com/v1
kind: Boat
metadata: {name: b, namespace: NS}
spec: {size: 3}
`)
	require.Len(t, w.delivered(target).Applied, 3)
	require.NoError(t, w.kubectl.Kinds.Refresh())
	require.Zero(t, w.delivered(target).Requests)
}

func TestFieldOwnershipMovesWithForce(t *testing.T) {
	w := newWorld(t, "force")
	target := w.target(namespaceYAML + configMap("one", "1"))
	w.delivered(target)
	body := fmt.Appendf(nil, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"one","namespace":%q},"data":{"key":"theirs"}}`, w.namespace)
	_, err := w.kubectl.Metadata.Resource(configMapsResource).Namespace(w.namespace).Patch(t.Context(), "one", types.ApplyPatchType, body, applied("rival"))
	require.NoError(t, err)
	outcome := w.delivered(target)
	require.Equal(t, []live.Drift{{ID: w.id("ConfigMap", "one"), Manager: "rival", What: live.Changed, Fields: "data"}}, outcome.Drift)
	require.Equal(t, "1", w.get("ConfigMap", w.namespace, "one").Object["data"].(map[string]any)["key"])
}
