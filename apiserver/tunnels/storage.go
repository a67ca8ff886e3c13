package tunnels

import (
	"context"
	"fmt"
	"net/http"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/httpstream"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	authorizationclient "k8s.io/client-go/kubernetes/typed/authorization/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/delivery"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/tunnel"
)

// DefaultCheck is the time between two looks whether an agent still has the right to its open tunnel.
const DefaultCheck = time.Minute

// reviewAfter is the number of looks after which the right of an agent is reviewed even if its other requests are authorized.
const reviewAfter = 10

// Storage serves the subresource at which an agent opens its tunnel.
type Storage struct {
	Tunnels *Set
	// Hub reads Clusters.
	Hub client.Reader
	// Visited returns the time of the last request of an agent for the index of its cluster. The hub authorized it by the same role that
	// permits the tunnel, so that no review is needed meanwhile.
	Visited func(cluster, agent string) time.Time
	// Reviews decides about the rights of other agents with an open tunnel.
	Reviews authorizationclient.SubjectAccessReviewInterface
	// Check is the time between two such decisions.
	Check time.Duration
}

var _ rest.Connecter = (*Storage)(nil)

// New implements rest.Storage.
func (*Storage) New() runtime.Object { return &delivery.Bundle{} }

// Destroy implements rest.Storage.
func (*Storage) Destroy() {}

// NewConnectOptions implements rest.Connecter.
func (*Storage) NewConnectOptions() (runtime.Object, bool, string) { return nil, false, "" }

// ConnectMethods implements rest.Connecter.
func (*Storage) ConnectMethods() []string { return []string{http.MethodGet} }

var resource = schema.GroupResource{Group: delivery.GroupVersion.Group, Resource: delivery.Bundles + "/" + delivery.Attach}

// Connect implements rest.Connecter. RBAC has decided that the user may open the tunnel. A role with the right to read everything has this
// right, too, and would make its holder the cluster: only the agent itself opens a tunnel.
func (s *Storage) Connect(ctx context.Context, name string, _ runtime.Object, out rest.Responder) (http.Handler, error) {
	agent, known := request.UserFrom(ctx)
	if !known || !delivery.IsAgent(agent.GetName(), name) {
		return nil, apierrors.NewForbidden(resource, name, fmt.Errorf("only the agent of cluster %q opens its tunnel", name))
	}
	cluster, err := ReadCluster(ctx, s.Hub, name)
	if err != nil {
		return nil, err
	}
	if cluster.Spec.SyncMode != v1alpha1.SyncModePull {
		return nil, apierrors.NewConflict(resource, name, fmt.Errorf("cluster %q is in push mode: accord connects to it without a tunnel", name))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !httpstream.IsUpgradeRequest(r) {
			out.Error(apierrors.NewBadRequest("the tunnel is a WebSocket: \"accord-agent\" opens it"))
			return
		}
		if t, err := tunnel.Accept(w, r); err == nil { // otherwise the request is answered
			// The connection outlives the request, whose stack and state would take more memory than the tunnel.
			go s.hold(name, cluster.UID, agent, t)
		}
	}), nil
}

// hold keeps a tunnel open until it ends, or its agent has no right to it any more. A Cluster that is deleted takes the rights along.
func (s *Storage) hold(cluster string, uid types.UID, agent user.Info, t *tunnel.Tunnel) {
	s.Tunnels.add(cluster, uid, t)
	defer s.Tunnels.remove(cluster, t)
	check := time.NewTicker(s.Check)
	defer check.Stop()
	checked := time.Now()
	reviewed := checked
	for {
		select {
		case <-t.Ended():
			return
		case now := <-check.C:
			visited := s.Visited(cluster, agent.GetName()).After(checked)
			checked = now
			if visited && now.Sub(reviewed) < reviewAfter*s.Check {
				continue
			}
			if s.revoked(cluster, agent) {
				return
			}
			reviewed = now
		}
	}
}

// revoked reports whether the hub denies the tunnel to its agent. A hub that does not answer denies nothing.
func (s *Storage) revoked(cluster string, agent user.Info) bool {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	review, err := s.Reviews.Create(ctx, &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: agent.GetName(), Groups: agent.GetGroups(),
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Group: delivery.GroupVersion.Group, Resource: delivery.Bundles, Subresource: delivery.Attach, Name: cluster, Verb: "get",
		},
	}}, metav1.CreateOptions{})
	return err == nil && !review.Status.Allowed
}

// ReadCluster reads a Cluster with the right to list, which accord has.
func ReadCluster(ctx context.Context, hub client.Reader, name string) (*v1alpha1.Cluster, error) {
	found := &v1alpha1.ClusterList{}
	if err := hub.List(ctx, found, client.MatchingFields{"metadata.name": name}); err != nil {
		return nil, apierrors.NewInternalError(fmt.Errorf("reading cluster %q: %w", name, err))
	}
	if len(found.Items) == 0 {
		return nil, apierrors.NewNotFound(v1alpha1.GroupVersion.WithResource("clusters").GroupResource(), name)
	}
	return &found.Items[0], nil
}
