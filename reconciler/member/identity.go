package member

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/reconciler/deliver"
)

// ProbeOnce probes a cluster and compares it with spec.id, for a run without a hub.
func ProbeOnce(ctx context.Context, w *deliver.Worker, specID string) error {
	ctx, cancel := context.WithTimeout(ctx, ProbeTimeout)
	defer cancel()
	if _, err := clusters.Probe(ctx, w.Member()); err != nil {
		return err
	}
	return identify(ctx, w, func(uid string) error { return clusters.CheckIdentity(w.Name(), specID, uid) })
}

// identify reads the UID of a cluster that answers, and has its worker deliver only if check accepts it. It returns the error of
// check, or why the UID could not be read.
func identify(ctx context.Context, w *deliver.Worker, check func(uid string) error) error {
	uid, err := clusters.Identity(ctx, w.Member())
	if err != nil {
		return err
	}
	err = check(uid)
	w.Identify(err)
	return err
}

// specID is the index of the Clusters by spec.id.
const specID = "spec.id"

func indexSpecID(o client.Object) []string {
	if c, is := o.(*v1alpha1.Cluster); is && c.Spec.ID != "" {
		return []string{c.Spec.ID}
	}
	return nil
}

// identify compares a cluster that answers with its spec.id and with the other Clusters that may be the same cluster.
func (c *Controller) identify(ctx context.Context, member *v1alpha1.Cluster, w *deliver.Worker) error {
	return identify(ctx, w, func(uid string) error {
		if err := clusters.CheckIdentity(member.Name, member.Spec.ID, uid); err != nil || c.Local != nil { // an agent knows no other cluster
			return err
		}
		others, err := c.namesakes(ctx, member.Name, uid)
		if err != nil {
			return fmt.Errorf("listing the clusters: %w", err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		return duplicate(member, others, c.uids)
	})
}

// namesakes records the UID of a cluster, and returns the other Clusters with the same one: those that this replica has identified,
// and those whose spec.id it is. A list of all Clusters for each of them would cost the square of their number.
func (c *Controller) namesakes(ctx context.Context, cluster, uid string) ([]v1alpha1.Cluster, error) {
	var names []string
	c.mu.Lock()
	c.uids[cluster] = uid
	for name, known := range c.uids {
		if known == uid && name != cluster {
			names = append(names, name)
		}
	}
	c.mu.Unlock()
	if uid == "" {
		return nil, nil // accord may not read it
	}
	var declared v1alpha1.ClusterList
	if err := c.Hub.List(ctx, &declared, client.MatchingFields{specID: uid}); err != nil {
		return nil, err
	}
	for _, name := range names {
		var other v1alpha1.Cluster
		if err := c.Hub.Get(ctx, types.NamespacedName{Name: name}, &other); err == nil {
			declared.Items = append(declared.Items, other)
		} else if !apierrors.IsNotFound(err) {
			return nil, err
		}
	}
	return declared.Items, nil
}

// duplicate returns an error if another Cluster is the same cluster and declared it first. uids has the UIDs of the clusters that
// this replica has identified; for others spec.id counts.
func duplicate(member *v1alpha1.Cluster, all []v1alpha1.Cluster, uids map[string]string) error {
	uid := uids[member.Name]
	i := slices.IndexFunc(all, func(o v1alpha1.Cluster) bool {
		known := uids[o.Name]
		if known == "" {
			known = o.Spec.ID
		}
		return uid != "" && o.Name != member.Name && known == uid && o.DeletionTimestamp == nil && before(&o, member)
	})
	if i < 0 {
		return nil
	}
	return &clusters.IdentityError{Reason: clusters.DuplicateCluster, Message: fmt.Sprintf(
		"cluster %s: Cluster %s is the same cluster (the UID of namespace %s is %s); delete one of the two Clusters", member.Name, all[i].Name, metav1.NamespaceSystem, uid)}
}

// before orders Clusters by age, then by name.
func before(a, b *v1alpha1.Cluster) bool {
	if !a.CreationTimestamp.Equal(&b.CreationTimestamp) {
		return a.CreationTimestamp.Before(&b.CreationTimestamp)
	}
	return a.Name < b.Name
}
