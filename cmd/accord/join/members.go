package join

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/cmd/accord/hub"
)

// askLimit bounds the time to read the UID of one member.
const askLimit = 5 * time.Second

// checkMembers returns an error if the cluster is a member under another name, or if the name is that of another cluster.
func (f *Options) checkMembers(ctx context.Context, h *hub.Hub, c *candidate, name string) error {
	var members v1alpha1.ClusterList
	if err := h.List(ctx, &members); err != nil {
		return h.Wrap("listing the clusters", err)
	}
	for i, uid := range uids(ctx, h, members.Items) {
		member := &members.Items[i]
		if member.DeletionTimestamp != nil {
			continue
		}
		err := distinct(name, c, member, uid)
		if err != nil && !(f.Replace && member.Name == name) {
			return err
		}
	}
	return nil
}

// distinct compares the cluster that joins under a name with one member. uid is the UID of the member, empty if it is unknown.
func distinct(name string, c *candidate, member *v1alpha1.Cluster, uid string) error {
	same := uid != "" && uid == c.uid || uid == "" && member.Spec.APIEndpoint == c.config.Host
	switch {
	case member.Name != name && same:
		return fmt.Errorf("the cluster %s is a member already, as Cluster %s: one cluster has one name; remove that one first with \"accord leave %s\"",
			c.config.Host, member.Name, member.Name)
	case member.Name == name && uid != "" && c.uid != "" && uid != c.uid:
		return fmt.Errorf("cluster %s is another cluster (%s): the UID of its namespace %s is %s, and that of %s is %s; choose another name, or give this name to %s with --replace",
			name, member.Spec.APIEndpoint, metav1.NamespaceSystem, uid, c.config.Host, c.uid, c.config.Host)
	}
	return nil
}

// uids returns the UIDs of the members: spec.id, or the answer of the member to the credentials on the hub. It is empty for a
// member that does not answer.
func uids(ctx context.Context, h *hub.Hub, members []v1alpha1.Cluster) []string {
	all := make([]string, len(members))
	var asking sync.WaitGroup
	for i := range members {
		if all[i] = members[i].Spec.ID; all[i] != "" {
			continue
		}
		asking.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, askLimit)
			defer cancel()
			if cfg, err := memberConfig(ctx, h, &members[i]); err == nil {
				all[i], _ = clusterUID(ctx, cfg) // a member without an answer is not compared
			}
		})
	}
	asking.Wait()
	return all
}

// memberConfig returns the configuration with which the hub connects to a member.
func memberConfig(ctx context.Context, h *hub.Hub, member *v1alpha1.Cluster) (*rest.Config, error) {
	ref, secret := member.Spec.SecretRef, &corev1.Secret{}
	if ref == nil {
		return nil, clusters.CheckSecretRef(member, "")
	}
	if err := h.Get(ctx, client.ObjectKey{Namespace: ref.Namespace, Name: ref.Name}, secret); err != nil {
		return nil, h.Wrap(fmt.Sprintf("reading secret %s/%s", ref.Namespace, ref.Name), err)
	}
	return clusters.RESTConfig(member, secret, ref.Namespace) // the rights of the user limit the namespaces
}
