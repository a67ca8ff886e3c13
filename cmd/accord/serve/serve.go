// Package serve runs the controllers with the servers of the same process.
package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"

	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/apiserver"
	"github.com/accord-dev/accord/apiserver/bundles"
	"github.com/accord-dev/accord/apiserver/peers"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/reconciler"
	"github.com/accord-dev/accord/reconciler/replica"
)

// errEnded ends the controllers and the aggregated API together.
var errEnded = errors.New("the process ends")

// API has the settings of the aggregated API server.
type API struct {
	Address   string // host:port; "" = off
	Namespace string // of accord on the hub
	Secrets   string // namespace of the credentials of clusters; "" = Namespace
	Local     bool   // the hub runs in this process
	Log       *slog.Logger
}

// Controllers runs the controllers, and beside them the aggregated API server that serves their bundles. Both end with the first of them.
func Controllers(ctx context.Context, cfg *rest.Config, o reconciler.Options, api API) error {
	if api.Address == "" {
		return reconciler.Run(ctx, cfg, o)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", api.Address)
	if err != nil {
		return fmt.Errorf("listening for the aggregated API: %w", err)
	}
	var address string
	if !api.Local {
		if address, err = peers.Address(listener); err == nil {
			o.Replica, err = replica.Name(o.Replica)
		}
		if err != nil {
			return errors.Join(err, listener.Close())
		}
	}
	o.Bundles = bundles.New(bundles.CompressedLimit)
	g, ctx := errgroup.WithContext(ctx)
	orEnded := func(err error) error {
		if err == nil {
			return errEnded
		}
		return err
	}
	g.Go(func() error { return orEnded(reconciler.Run(ctx, cfg, o)) })
	g.Go(func() error {
		return orEnded(hub.UnlessCancelled(apiserver.Run(ctx, cfg, apiserver.Options{
			Bundles: o.Bundles, Listener: listener, Namespace: api.Namespace, SecretsNamespace: cmp.Or(api.Secrets, api.Namespace), Local: api.Local, Log: api.Log,
			Replica: o.Replica, Address: address,
		})))
	})
	if err := g.Wait(); !errors.Is(err, errEnded) {
		return err
	}
	return nil
}
