package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/gitrepo"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/reconciler"
)

const runLong = `Run the controllers on an existing hub: in a pod of it (see "accord install"), or from outside with a kubeconfig.
What "accord install" prints must be there: the CustomResourceDefinitions, and the namespace of the leases by which several
replicas elect one that leads and share the clusters: each is connected to some, and takes over those of one that ends.`

type runFlags struct {
	controllers controllerFlags
	kubeconfig  string
	context     string
	namespace   string
	cacheDir    string
	leaderElect bool
	share       bool
	replica     string
}

func runCommand() *cobra.Command {
	f := &runFlags{}
	c := &cobra.Command{
		Use:   "run",
		Short: "Run the controllers on an existing hub",
		Long:  runLong,
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return f.run(c.Context(), c.ErrOrStderr()) },
	}
	flags := c.Flags()
	f.controllers.register(flags)
	flags.StringVar(&f.kubeconfig, "kubeconfig", "", "kubeconfig of the hub (default $"+hub.KubeconfigEnv+", else as kubectl, else the pod's account)")
	flags.StringVar(&f.context, "context", "", "context in that kubeconfig (default its current one)")
	flags.StringVar(&f.namespace, "namespace", hub.SystemNamespace, "namespace of accord: of the leases of its replicas, and of the key of fingerprints")
	flags.StringVar(&f.cacheDir, "cache-dir", "", "directory of the Git clones (default below the user's cache directory)")
	flags.BoolVar(&f.leaderElect, "leader-elect", true, "let one of several replicas lead")
	flags.BoolVar(&f.share, "share-clusters", true, "hold some of the clusters while another replica leads; without it this one stands by")
	flags.StringVar(&f.replica, "replica", "", "name of this replica, unique among those of the hub (default from the name of the host)")
	return c
}

func (f *runFlags) run(ctx context.Context, stderr io.Writer) error {
	h, err := (&hub.Flags{Kubeconfig: f.kubeconfig, Context: f.context}).Connect()
	if err != nil {
		return err
	}
	log, err := f.controllers.log.logger(stderr)
	if err != nil {
		return err
	}
	stop, err := f.controllers.pprof.serve(log)
	if err != nil {
		return err
	}
	defer stop()
	cacheDir, err := gitrepo.CacheDir(f.cacheDir)
	if err != nil {
		return err
	}
	if err := h.List(ctx, &v1alpha1.FederationList{}); err != nil {
		return h.Wrap("listing the federations", err)
	}
	o := f.controllers.options(cacheDir, log)
	o.LeaderElection, o.Namespace = f.leaderElect, f.namespace
	o.Share, o.Replica = f.leaderElect && f.share, f.replica
	log.Info("running the controllers", "hub", h.Config.Host, "version", text.Version())
	if err := reconciler.Run(ctx, h.Config, o); err != nil {
		return fmt.Errorf("running the controllers on %s: %w", h.Config.Host, err)
	}
	return nil
}
