package apiserver

import (
	"cmp"
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/rest"
	restclient "k8s.io/client-go/rest"

	"github.com/accord-dev/accord/api/delivery"
	"github.com/accord-dev/accord/apiserver/clusterproxy"
	"github.com/accord-dev/accord/apiserver/registry"
	"github.com/accord-dev/accord/apiserver/search"
	"github.com/accord-dev/accord/apiserver/tunnels"
	"github.com/accord-dev/accord/clusters/proxy"
	clustersearch "github.com/accord-dev/accord/clusters/search"
)

// groups has the storage of each resource of each group, and the loop that starts caches.
type groups struct {
	storage map[schema.GroupVersion]map[string]rest.Storage
	caches  func(context.Context) error
}

// newGroups returns the groups of a server. Its requests end with ctx.
func newGroups(ctx context.Context, cfg *restclient.Config, o Options, r *registration, open *tunnels.Set) (*groups, error) {
	reviews := r.front.hub.AuthorizationV1().SubjectAccessReviews()
	delivered := registry.Storage(o.Bundles, ctx.Done())
	delivered[delivery.Bundles+"/"+delivery.Attach] = &tunnels.Storage{Tunnels: open, Hub: r.hub, Visited: o.Bundles.Visited, Reviews: reviews, Check: cmp.Or(o.TunnelCheck, tunnels.DefaultCheck)}
	members := &clusterproxy.Members{Hub: r.hub, SecretsNamespace: o.SecretsNamespace, Tunnels: open}
	hub, err := proxy.New(cfg, "hub")
	if err != nil {
		return nil, fmt.Errorf("connecting to the hub: %w", err)
	}
	all := &search.Server{Caches: clustersearch.NewSet(members.Reader), Members: members, Hub: r.hub, AsCaller: hub, HubReviews: reviews, Stopping: ctx.Done()}
	registries := &search.Registries{Hub: r.hub, Caches: all.Caches, Leads: o.Bundles.Opened, Log: o.Log}
	return &groups{
		storage: map[schema.GroupVersion]map[string]rest.Storage{
			delivery.GroupVersion:     delivered,
			clusterproxy.GroupVersion: clusterproxy.Storage(r.hub, members, all.ToHub, ctx.Done()),
			search.GroupVersion:       all.Storage(),
		},
		caches: func(ctx context.Context) error { return registries.Run(ctx, cfg, r.hub.Scheme()) },
	}, nil
}
