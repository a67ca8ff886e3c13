package apiserver

import (
	"context"
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/authentication/request/union"
	genericapiserver "k8s.io/apiserver/pkg/server"
	coordinationclient "k8s.io/client-go/kubernetes/typed/coordination/v1"

	"github.com/accord-dev/accord/apiserver/peers"
	"github.com/accord-dev/accord/apiserver/tunnels"
	"github.com/accord-dev/accord/clusters/tunnel"
)

// ways lead on from this replica: to agents through their tunnels, and to the other replicas.
type ways struct {
	tunnels *tunnels.Set
	others  *peers.Peers // nil: there are none
}

func newWays(o Options, c *certificates, leases coordinationclient.LeaseInterface) *ways {
	if o.Replica == "" {
		return &ways{tunnels: tunnels.New(nil)}
	}
	w := &ways{}
	w.others = peers.New(peers.Options{
		Leases: leases, Identity: o.Replica, Address: o.Address, Host: c.host, Own: c.replica, Trust: c.trust, Publishes: o.Bundles.Opened,
		Tunnel: func(cluster, uid string) *tunnel.Tunnel { return w.tunnels.Here(cluster, types.UID(uid)) }, Log: o.Log,
	})
	w.tunnels = tunnels.New(w.others.DialAgent)
	return w
}

// run keeps the other replicas known until ctx ends.
func (w *ways) run(ctx context.Context) {
	if w.others != nil {
		w.others.Run(ctx)
	}
}

// applyTo has a server accept the other replicas as it accepts the hub's API server.
func (w *ways) applyTo(c *genericapiserver.Config, own *certificates) error {
	if w.others == nil {
		return nil
	}
	c.Authentication.Authenticator = union.New(c.Authentication.Authenticator, w.others.Authenticator())
	return c.Authentication.ApplyClientCert(own.trust, c.SecureServing)
}

// ofReplicas answers the requests of replicas about themselves, before those of users.
func (w *ways) ofReplicas(next http.Handler) http.Handler {
	if w.others == nil {
		return next
	}
	own := w.others.Handler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, peers.Prefix) {
			own.ServeHTTP(w, r)
		} else {
			next.ServeHTTP(w, r)
		}
	})
}
