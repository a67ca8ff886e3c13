package reconciler_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
)

// permittedLag is how long after a start of controllers the hub may still have the claims of the process before.
const permittedLag = 30 * time.Second

// tampering is the deletion of one object by hand, between two lives of the controllers.
type tampering struct {
	version int64     // of the hub at the deletion: later writes are by the process after it
	until   time.Time // until then a process may still repeat the recorded claims
	pending bool      // the watch has not delivered it yet
}

// claim is one thing that the hub says.
type claim struct {
	who     string
	version int64 // of the record
	ready   bool
}

// tamper deletes one object that every commit wants, while the controllers are dead (of replicas: one of them), and takes away
// one thing that their restart could use. mend gives it back.
func (k *killings) tamper(n int) (at place, mend func()) {
	k.t.Helper()
	at = place{k.clusters[k.random.IntN(len(k.clusters))], manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: fmt.Sprintf("steady-%d", k.random.IntN(steadyObjects))}}
	mend = func() {}
	t := tampering{version: k.hubVersion(), until: time.Now().Add(permittedLag), pending: true}
	switch {
	case k.replicas > 0:
	case n%4 == 1: // nothing can be planned
		require.NoError(k.t, os.RemoveAll(filepath.Join(k.hubDir, "cache-controllers")))
		mend = k.hideGit()
	case n%4 == 2: // the member cannot be observed
		k.cables[at.cluster].setCut(true)
		mend = func() { k.cables[at.cluster].setCut(false) }
	case n%4 == 3: // the recorded commit can be planned
		mend = k.hideGit()
	}
	k.observer.tamper(at, t)
	deleted := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: at.id.Namespace, Name: at.id.Name}}
	require.NoError(k.t, client.IgnoreNotFound(k.members[at.cluster].Delete(k.t.Context(), deleted)))
	return at, mend
}

// hideGit makes the repository unreadable until show is called.
func (k *killings) hideGit() (show func()) {
	bare := k.commits.bare
	require.NoError(k.t, os.Rename(bare, bare+".away"))
	return func() { require.NoError(k.t, os.Rename(bare+".away", bare)) }
}

func (k *killings) hubVersion() int64 {
	list := &v1alpha1.ReleaseList{}
	require.NoError(k.t, k.hub.List(k.t.Context(), list, client.InNamespace(k.namespace)))
	return versionOf(list.ResourceVersion)
}

// nothingStale returns when the object is there again, or no record claims it; it complains if neither comes in time.
func (k *killings) nothingStale(at place) {
	k.t.Helper()
	for deadline := time.Now().Add(permittedLag); ; time.Sleep(50 * time.Millisecond) {
		stale := k.stale(at)
		if stale == "" {
			if k.replicas == 0 { // else the next leader may repeat the last report of a killed replica until the hand-over is over
				k.observer.lagEnds(at)
			}
			return
		}
		if time.Now().After(deadline) {
			k.observer.complain("%s was deleted on %s while the controllers were dead, and %s after their start %s is still Ready", at.id, at.cluster, permittedLag, stale)
			return
		}
	}
}

// stale names a record that is Ready although an object is missing; empty if there is none. A Release that another one
// superseded answers for the past.
func (k *killings) stale(at place) string {
	k.t.Helper()
	var deliveries v1alpha1.DeliveryList
	var objects v1alpha1.FederatedObjectList
	var releases v1alpha1.ReleaseList
	for _, list := range []client.ObjectList{&deliveries, &objects, &releases} {
		require.NoError(k.t, k.hub.List(k.t.Context(), list, client.InNamespace(k.namespace)))
	}
	live, _ := k.claims.live(k.t.Context(), at.cluster) // after the records: an object that is missing now was missing then
	if live[at.id] != "" {
		return ""
	}
	for _, d := range deliveries.Items {
		if d.Spec.Cluster == at.cluster && apimeta.IsStatusConditionTrue(d.Status.Conditions, "Ready") {
			return "Delivery " + d.Name
		}
	}
	for _, o := range objects.Items {
		if o.Spec.Template.ID() == at.id && apimeta.IsStatusConditionTrue(o.Status.Conditions, "Ready") {
			return "FederatedObject " + o.Name
		}
	}
	for _, r := range releases.Items {
		if r.Status.SupersededBy == "" && apimeta.IsStatusConditionTrue(r.Status.Conditions, "Ready") {
			return "Release " + r.Name
		}
	}
	return ""
}

// tamper notes a deletion by hand, before it is made.
func (o *observer) tamper(at place, t tampering) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tampered[at] = t
}

// lagBegins notes that a replica was killed: the one that takes over may repeat recorded claims from now on, also if the one before
// had not yet observed a deletion.
func (o *observer) lagBegins() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for at, t := range o.tampered {
		if !t.until.IsZero() {
			t.until = time.Now().Add(permittedLag)
			o.tampered[at] = t
		}
	}
}

// lagEnds notes that no record claims an object that is missing: from now on none may.
func (o *observer) lagEnds(at place) {
	o.mu.Lock()
	defer o.mu.Unlock()
	t := o.tampered[at]
	t.until = time.Time{}
	o.tampered[at] = t
}

// byHand reports whether a deletion is the one by hand.
func (o *observer) byHand(at place) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	t := o.tampered[at]
	was := t.pending
	t.pending = false
	if was {
		o.tampered[at] = t
	}
	return was
}

// excused reports whether a claim about an object that is missing may stand: the object was deleted by hand, and the claim is
// not green, or it is of the process before the deletion, or the permitted lag is not over.
func (o *observer) excused(at place, c claim) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	t, tampered := o.tampered[at]
	return tampered && (!c.ready || c.version <= t.version || time.Now().Before(t.until))
}

// onCluster returns the objects that were deleted by hand on a cluster.
func (o *observer) onCluster(cluster string) []place {
	o.mu.Lock()
	defer o.mu.Unlock()
	var all []place
	for at := range o.tampered {
		if at.cluster == cluster {
			all = append(all, at)
		}
	}
	return all
}

func versionOf(resourceVersion string) int64 {
	v, _ := strconv.ParseInt(resourceVersion, 10, 64)
	return v
}
