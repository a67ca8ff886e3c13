package reconciler_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
)

// claims watches what the hub says and has it checked on the members at the moment at which it is said.
type claims struct {
	*observer
	world *world
	hub   client.WithWatch

	mu      sync.Mutex
	checked map[string]int // claims by kind
}

// listen checks everything that the hub says until the test ends. The hub may be killed meanwhile.
func (o *observer) listen(w *world) *claims {
	o.t.Helper()
	hub, err := client.NewWithWatch(w.config, client.Options{Scheme: w.hub.Scheme()})
	require.NoError(o.t, err)
	c := &claims{observer: o, world: w, hub: hub, checked: map[string]int{}}
	ctx, cancel := context.WithCancel(o.t.Context())
	var listening sync.WaitGroup
	for _, list := range []client.ObjectList{&v1alpha1.ReleaseList{}, &v1alpha1.FederatedObjectList{}, &v1alpha1.DeliveryList{}} {
		listening.Go(func() {
			for ctx.Err() == nil {
				c.follow(ctx, list)
				time.Sleep(100 * time.Millisecond)
			}
		})
	}
	o.t.Cleanup(func() { cancel(); listening.Wait() })
	return c
}

// follow checks what one watch says. One that begins anew begins with all that there is.
func (c *claims) follow(ctx context.Context, list client.ObjectList) {
	events, err := c.hub.Watch(ctx, list, client.InNamespace(c.world.namespace))
	if err != nil {
		return // the hub is down
	}
	defer events.Stop()
	for e := range events.ResultChan() {
		if e.Type != watch.Added && e.Type != watch.Modified {
			continue
		}
		switch claimed := e.Object.(type) {
		case *v1alpha1.Release:
			c.release(ctx, claimed)
		case *v1alpha1.FederatedObject:
			c.object(ctx, claimed)
		case *v1alpha1.Delivery:
			c.delivery(ctx, claimed)
		}
	}
}

// release checks "this commit is live everywhere".
func (c *claims) release(ctx context.Context, r *v1alpha1.Release) {
	ready := apimeta.FindStatusCondition(r.Status.Conditions, "Ready")
	if ready == nil || ready.Status != metav1.ConditionTrue || ready.ObservedGeneration != r.Generation {
		return
	}
	number := c.commits.number(r.Spec.Subject)
	who := fmt.Sprintf("the Release of commit %d is Ready", number)
	want := c.commits.at(number)
	if want == nil {
		c.complain("%s, which cannot be read", who)
		return
	}
	for cluster, objects := range want {
		live, ok := c.live(ctx, cluster)
		if !ok {
			return
		}
		for id, v := range objects {
			if id.Kind == "ConfigMap" {
				c.claimed(claim{who, versionOf(r.ResourceVersion), true}, place{cluster, id}, v.digest, number, live)
			}
		}
	}
	c.count("Release")
}

// object checks "this is on all its clusters".
func (c *claims) object(ctx context.Context, o *v1alpha1.FederatedObject) {
	if o.Status.ObservedGeneration != o.Generation {
		return
	}
	who := fmt.Sprintf("FederatedObject %s says that generation %d was observed", o.Name, o.Generation)
	for _, v := range o.Spec.Results {
		for _, cluster := range v.Clusters {
			at := place{cluster, o.Spec.Template.ID()}
			live, ok := c.live(ctx, cluster)
			if !ok {
				return
			}
			first := slices.IndexFunc(c.commits.of(cluster, at.id), func(w version) bool { return w.digest == v.Digest })
			if first < 0 {
				c.complain("%s, with a digest that no commit wants on %s: %q", who, cluster, v.Digest)
				continue
			}
			ready := apimeta.IsStatusConditionTrue(o.Status.Conditions, "Ready")
			c.claimed(claim{who, versionOf(o.ResourceVersion), ready}, at, v.Digest, first, live)
		}
	}
	c.count("FederatedObject")
}

// delivery checks "somebody changed this" and "this cluster has everything", of the objects that were deleted by hand.
func (c *claims) delivery(ctx context.Context, d *v1alpha1.Delivery) {
	places := c.onCluster(d.Spec.Cluster)
	drifted := apimeta.FindStatusCondition(d.Status.Conditions, v1alpha1.Drifted)
	if drifted != nil && drifted.Status == metav1.ConditionTrue && !slices.ContainsFunc(places, func(at place) bool { return strings.Contains(drifted.Message, at.id.Name) }) {
		c.complain("Delivery %s tells a drift that never was: %s", d.Name, drifted.Message)
	}
	if len(places) > 0 && apimeta.IsStatusConditionTrue(d.Status.Conditions, "Ready") {
		live, ok := c.live(ctx, d.Spec.Cluster)
		for _, at := range places {
			if who := (claim{"Delivery " + d.Name + " is Ready", versionOf(d.ResourceVersion), true}); ok && live[at.id] == "" && !c.excused(at, who) {
				c.complain("%s, but %s is missing on %s", who.who, at.id, at.cluster)
			}
		}
	}
	c.count("Delivery")
}

func (c *claims) count(kind string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.checked[kind]++
}

// live are the digests of what is accord's on a member now; false when the test ends.
func (c *claims) live(ctx context.Context, cluster string) (digests map[manifest.ID]string, ok bool) {
	list := &corev1.ConfigMapList{}
	if err := c.world.members[cluster].List(ctx, list, client.HasLabels{v1alpha1.PartOfLabel}); err != nil {
		if ctx.Err() == nil {
			c.complain("listing what is on %s: %v", cluster, err)
		}
		return nil, false
	}
	digests = map[manifest.ID]string{}
	for _, cm := range list.Items {
		digests[manifest.ID{Kind: "ConfigMap", Namespace: cm.Namespace, Name: cm.Name}] = cm.Annotations[v1alpha1.DigestAnnotation]
	}
	return digests, true
}
