package apply

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/applyset"
	"github.com/accord-dev/accord/reconciler/apply/live"
)

func TestWhatIsNotWantedIsPruned(t *testing.T) {
	w := newWorld(t, "pruned")
	first := w.delivered(w.target(namespaceYAML + deploymentYAML + configMap("one", "1")))
	require.Len(t, first.Inventory, 3)
	outcome := w.delivered(w.target(namespaceYAML + configMap("one", "1")))
	require.Equal(t, []manifest.ID{w.id("Deployment", "web")}, outcome.Pruned)
	require.Len(t, outcome.Inventory, 2)
	require.Nil(t, w.get("Deployment", w.namespace, "web"))
	require.Zero(t, w.delivered(w.target(namespaceYAML+configMap("one", "1"))).Requests)
}

func TestWithoutPruneWhatIsNotWantedIsOrphaned(t *testing.T) {
	w := newWorld(t, "orphaned")
	w.options.Prune = false
	w.delivered(w.target(namespaceYAML + configMap("one", "1")))
	outcome := w.delivered(w.target(namespaceYAML))
	require.Contains(t, outcome.Orphaned, w.id("ConfigMap", "one"))
	require.Contains(t, outcome.Inventory, w.id("ConfigMap", "one").Entry())
	require.Zero(t, outcome.Requests)
}

func TestHeldIsHandsOff(t *testing.T) {
	w := newWorld(t, "held")
	target := w.target(namespaceYAML + configMap("one", "1") + configMap("two", "2") + configMap("three", "3"))
	w.delivered(target)
	w.edit("ConfigMap", "one", changeKey("edited"))
	w.remove("ConfigMap", "two")
	target.Objects[1].Held, target.Objects[2].Held = "suspended", "suspended"
	target.Objects = target.Objects[:3]
	w.options.Withdraw = func(id manifest.ID, labels map[string]string) string {
		require.Equal(t, applyset.ID(w.federation), labels[v1alpha1.PartOfLabel])
		return "suspended too"
	}
	outcome := w.delivered(target)
	require.Equal(t, map[manifest.ID]string{
		w.id("ConfigMap", "one"): "suspended", w.id("ConfigMap", "two"): "suspended", w.id("ConfigMap", "three"): "suspended too",
	}, outcome.Held)
	require.Zero(t, outcome.Requests)
	require.Nil(t, w.get("ConfigMap", w.namespace, "two"))
	require.NotNil(t, w.get("ConfigMap", w.namespace, "three"))
}

// TestWhatIsHeldKeepsWhatItNeeds: an object that is held may be older than Git, or have left it. What it refers to stays with
// it, and what that refers to.
func TestWhatIsHeldKeepsWhatItNeeds(t *testing.T) {
	w := newWorld(t, "needy")
	workload := strings.NewReplacer("      containers:", "      serviceAccountName: worker\n      containers:",
		"volumes: [", "volumes: [{name: settings, configMap: {name: one}}, ").Replace(deploymentYAML)
	account := "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: worker, namespace: NS}\n---\n"
	w.delivered(w.target(namespaceYAML + workload + account + configMap("one", "1") + configMap("two", "2")))
	w.options.Withdraw = func(id manifest.ID, _ map[string]string) string {
		return map[manifest.ID]string{w.id("Deployment", "web"): "suspended"}[id]
	}
	outcome := w.delivered(w.target(namespaceYAML))
	require.Equal(t, []manifest.ID{w.id("ConfigMap", "two")}, outcome.Pruned)
	require.Equal(t, "apps/Deployment "+w.namespace+"/web needs it and stays: suspended", outcome.Held[w.id("ConfigMap", "one")])
	require.Contains(t, outcome.Held, w.id("ServiceAccount", "worker"))
	require.NotNil(t, w.get("ConfigMap", w.namespace, "one"))
	require.NotNil(t, w.get("ServiceAccount", w.namespace, "worker"))

	w.options.Withdraw = nil
	outcome = w.delivered(w.target(namespaceYAML))
	require.Len(t, outcome.Pruned, 3)
	require.Empty(t, outcome.Held)
}

// TestEvictedCopiesGoFirst: the old copy of an evicted object goes before anything is applied, whatever the federation prunes; an object
// that is held, or that accord did not create, stays.
func TestEvictedCopiesGoFirst(t *testing.T) {
	w := newWorld(t, "evicted")
	w.delivered(w.target(namespaceYAML + configMap("one", "1") + configMap("two", "2") + configMap("three", "3")))
	w.options.Prune, w.options.PruneLimits = false, v1alpha1.PruneLimits{MaxObjects: new(int32)}
	w.options.Evicted = []manifest.ID{w.id("ConfigMap", "one"), w.id("ConfigMap", "three"), w.id("ConfigMap", "absent")}
	w.options.Withdraw = func(id manifest.ID, _ map[string]string) string {
		return map[manifest.ID]string{w.id("ConfigMap", "three"): "suspended"}[id]
	}
	target := w.target(namespaceYAML)
	target.Failed = []propagate.Failure{{ID: w.id("ConfigMap", "new"), Err: errors.New("no")}} // it stops pruning only
	outcome := w.delivered(target)
	require.Equal(t, []manifest.ID{w.id("ConfigMap", "one")}, outcome.Pruned)
	require.NotContains(t, outcome.Inventory, w.id("ConfigMap", "one").Entry())
	require.NotNil(t, w.get("ConfigMap", w.namespace, "two"))
	require.NotNil(t, w.get("ConfigMap", w.namespace, "three"))
	require.Equal(t, "suspended", outcome.Held[w.id("ConfigMap", "three")])
}

func TestPreservedIsReleased(t *testing.T) {
	w := newWorld(t, "preserved")
	preserve := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one, namespace: NS, annotations: {accord.dev/preserve: \"true\"}}\ndata: {key: kept}\n"
	w.delivered(w.target(namespaceYAML + preserve))
	outcome := w.delivered(w.target(namespaceYAML))
	require.Equal(t, []manifest.ID{w.id("ConfigMap", "one")}, outcome.Released)
	live := w.get("ConfigMap", w.namespace, "one")
	require.Equal(t, "kept", live.Object["data"].(map[string]any)["key"])
	require.NotContains(t, live.GetLabels(), v1alpha1.PartOfLabel)
	require.Empty(t, live.GetAnnotations())
	require.NotContains(t, outcome.Inventory, w.id("ConfigMap", "one").Entry())
}

// TestRelease: all objects stay as they are, without a mark of accord, and the inventory is gone. Objects of another Federation keep theirs.
func TestRelease(t *testing.T) {
	w, other := newWorld(t, "released"), newWorld(t, "unreleased")
	w.delivered(w.target(namespaceYAML + configMap("one", "1") + configMap("two", "2")))
	other.delivered(other.target(namespaceYAML + configMap("three", "3")))
	marked, parents := w.get("ConfigMap", w.namespace, "one"), w.member.Metadata.Resource(configMapsResource).Namespace(applyset.InventoryNamespace)
	require.Contains(t, marked.GetLabels(), v1alpha1.PartOfLabel)
	_, err := parents.Get(t.Context(), applyset.InventoryName(w.federation), metav1.GetOptions{})
	require.NoError(t, err)

	outcome, err := Release(t.Context(), w.member, w.federation)
	require.NoError(t, err)
	require.Empty(t, outcome.Errors)
	require.Empty(t, outcome.Pruned)
	require.Len(t, outcome.Released, 3, "the namespace, too")
	for _, name := range []string{"one", "two"} {
		left := w.get("ConfigMap", w.namespace, name)
		require.NotNil(t, left)
		require.Equal(t, map[string]string{"one": "1", "two": "2"}[name], left.Object["data"].(map[string]any)["key"])
		require.Empty(t, left.GetLabels())
		require.Empty(t, left.GetAnnotations())
	}
	_, err = parents.Get(t.Context(), applyset.InventoryName(w.federation), metav1.GetOptions{})
	require.True(t, apierrors.IsNotFound(err), "%v", err)
	require.Contains(t, other.get("ConfigMap", other.namespace, "three").GetLabels(), v1alpha1.PartOfLabel)
	outcome, err = Release(t.Context(), w.member, w.federation)
	require.NoError(t, err, "a second run has nothing to do")
	require.Empty(t, outcome.Released)
}

// TestAnEmptiedMemberGetsTheInventoryAgain: somebody deleted the objects and the parent of the ApplySet, while the hub kept its inventory.
func TestAnEmptiedMemberGetsTheInventoryAgain(t *testing.T) {
	w := newWorld(t, "emptied")
	w.create(strings.Split(namespaceYAML, "---")[0])
	want := w.target(configMap("one", "1"))
	w.delivered(want)
	_, err := Uninstall(t.Context(), w.kubectl, w.federation)
	require.NoError(t, err)
	found, err := Discover(t.Context(), w.member, w.federation)
	require.NoError(t, err)
	require.Empty(t, found)

	recorded := len(w.recorded)
	w.delivered(want)
	require.Len(t, w.recorded, recorded, "the hub has the inventory")
	found, err = Discover(t.Context(), w.member, w.federation)
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Zero(t, w.delivered(want).Requests, "and that is all")
}

func TestWhatCannotBeRenderedStaysAndStopsPruning(t *testing.T) {
	w := newWorld(t, "unrendered")
	w.delivered(w.target(namespaceYAML + configMap("one", "1") + configMap("two", "2")))
	target := w.target(namespaceYAML)
	target.Failed = []propagate.Failure{{ID: w.id("ConfigMap", "one"), Err: errors.New("no")}}
	outcome := w.delivered(target)
	require.Empty(t, outcome.Pruned)
	require.NotNil(t, w.get("ConfigMap", w.namespace, "two"))
}

func TestPruneLimits(t *testing.T) {
	percent, most := int32(20), int32(2)
	for name, c := range map[string]struct {
		brake  v1alpha1.PruneLimits
		allow  bool
		keep   int // of ten
		braked string
	}{
		"half is not more than half":        {keep: 5},
		"more than half":                    {keep: 4, braked: "that is more than 50% of them"},
		"few are no share":                  {brake: v1alpha1.PruneLimits{MaxPercent: &percent}, keep: 6},
		"a share":                           {brake: v1alpha1.PruneLimits{MaxPercent: &percent}, keep: 5, braked: "that is more than 20% of them"},
		"a number":                          {brake: v1alpha1.PruneLimits{MaxObjects: &most}, keep: 7, braked: "that is more than 2"},
		"more than half, and the commit is": {allow: true, keep: 1},
	} {
		t.Run(name, func(t *testing.T) {
			d := &delivery{live: &live.Objects{}, options: Options{PruneLimits: c.brake, AllowPrune: c.allow}}
			var remove []manifest.ID
			for i := range 10 {
				id := manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: fmt.Sprint(i)}
				d.live.Put(id, live.Object{})
				if i >= c.keep {
					remove = append(remove, id)
				}
			}
			if c.braked == "" {
				require.Empty(t, d.pruneBlocked(remove))
				return
			}
			require.Contains(t, d.pruneBlocked(remove), c.braked)
			require.Contains(t, d.pruneBlocked(remove), fmt.Sprintf("would delete %d of 10 objects (ConfigMap shop/%d, ", 10-c.keep, c.keep))
			require.Contains(t, d.pruneBlocked(remove), "Accord-Prune: allow")
		})
	}
}

func TestNamespaceGoesWithTheTrailerOnly(t *testing.T) {
	w := newWorld(t, "precious")
	w.delivered(w.target(namespaceYAML + configMap("one", "1")))
	outcome := w.delivered(w.target(""))
	require.Contains(t, outcome.PruneBlocked, "the objects include Namespace precious")
	require.Empty(t, outcome.Pruned)
	require.NotNil(t, w.get("ConfigMap", w.namespace, "one"), "nothing goes")
	require.Len(t, outcome.Inventory, 2)

	w.options.AllowPrune = true
	w.create(foreignConfigMap("theirs", "1"))
	outcome = w.delivered(w.target(""))
	require.Equal(t, []manifest.ID{w.id("ConfigMap", "one")}, outcome.Pruned)
	require.Contains(t, outcome.Orphaned[manifest.ID{Kind: "Namespace", Name: w.namespace}], "configmaps theirs")

	w.remove("ConfigMap", "theirs")
	outcome = w.delivered(w.target(""))
	require.Equal(t, []manifest.ID{{Kind: "Namespace", Name: w.namespace}}, outcome.Pruned)
	require.Equal(t, []string{"_" + w.namespace + "__Namespace"}, outcome.Inventory, "it is there until its finalizer is gone")
}

// TestHostileLabel: anybody who may write the label on an object must not have accord delete it, take it over, or stop pruning
// for the others.
func TestHostileLabel(t *testing.T) {
	w := newWorld(t, "label")
	w.delivered(w.target(namespaceYAML + configMap("one", "1") + configMap("two", "2")))
	labelled := func(name, owner string) string {
		return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " + name + "\n  namespace: NS\n  labels: {" + v1alpha1.PartOfLabel + ": " +
			applyset.ID(w.federation) + "}\n" + owner + "data: {key: theirs}\n"
	}
	parent := w.get("ConfigMap", w.namespace, "two")
	w.create(labelled("child", "  ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: two, uid: "+string(parent.GetUID())+", controller: true}]\n"))
	for i := range 8 {
		w.create(labelled(fmt.Sprint("copy-", i), ""))
	}

	outcome := w.delivered(w.target(namespaceYAML + configMap("two", "2")))
	require.Equal(t, []manifest.ID{w.id("ConfigMap", "one")}, outcome.Pruned, "the copies do not count for the limits")
	require.Equal(t, "it has the label of this federation, and accord did not create it", outcome.Orphaned[w.id("ConfigMap", "copy-0")])
	require.Len(t, outcome.Orphaned, 9)
	require.Len(t, outcome.Inventory, 2)
	require.NotNil(t, w.get("ConfigMap", w.namespace, "copy-7"))
	require.NotNil(t, w.get("ConfigMap", w.namespace, "child"))

	taken := w.deliver(w.target(namespaceYAML + configMap("two", "2") + configMap("copy-0", "ours")))
	require.ErrorContains(t, taken.Errors[w.id("ConfigMap", "copy-0")], "accord did not create it; it stays as it is")
	require.Equal(t, "theirs", w.field("ConfigMap", "copy-0", "data", "key"))
}

// TestHostileLabelAfterTheHubIsLost: what is rebuilt from the member is what accord applied, and not what has the label.
func TestHostileLabelAfterTheHubIsLost(t *testing.T) {
	w := newWorld(t, "label-lost")
	w.delivered(w.target(namespaceYAML + configMap("one", "1") + configMap("two", "2")))
	w.create("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: copy, namespace: NS, labels: {" + v1alpha1.PartOfLabel + ": " + applyset.ID(w.federation) + "}}\n")
	w.inventory, w.live = nil, live.Objects{}
	outcome := w.delivered(w.target(namespaceYAML + configMap("two", "2")))
	require.Equal(t, []manifest.ID{w.id("ConfigMap", "one")}, outcome.Pruned)
	require.NotNil(t, w.get("ConfigMap", w.namespace, "copy"))
	found, err := Discover(t.Context(), w.member, w.federation)
	require.NoError(t, err)
	require.Len(t, found, 2)
}
