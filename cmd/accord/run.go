package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/apiserver"
	"github.com/accord-dev/accord/cmd/accord/gitrepo"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/serve"
	"github.com/accord-dev/accord/internal/version"
)

const runLong = `Run the controllers on an existing hub: in a pod of the hub (see "accord install"), or outside of it with a kubeconfig.

The objects of "accord install" must exist: the CustomResourceDefinitions, and the namespace of the leases. Several replicas elect
a leader and share the clusters. When a replica stops, the others take over its clusters.`

type runFlags struct {
	controllers controllerFlags
	hub         hub.Flags
	namespace   string
	secrets     string
	cacheDir    string
	leaderElect bool
	share       bool
	replica     string
	api         string
	register    bool
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
	f.controllers.register(flags, false)
	f.hub.Register(flags)
	flags.Lookup("kubeconfig").Usage = "kubeconfig of the hub (default $" + hub.KubeconfigEnv + ", else as kubectl, else the pod's account)"
	flags.StringVar(&f.namespace, "namespace", hub.SystemNamespace, "namespace of the leases and of the key of fingerprints")
	flags.StringVar(&f.secrets, "secrets-namespace", "", "the only namespace whose Secrets are credentials of clusters (default --namespace)")
	flags.StringVar(&f.cacheDir, "cache-dir", "", "directory of the Git clones and of the snapshots of live clusters (default below the user's cache directory)")
	flags.BoolVar(&f.leaderElect, "leader-elect", true, "elect a leader among several replicas")
	flags.BoolVar(&f.share, "share-clusters", true, "execute some of the clusters while another replica leads; if false, stand by")
	flags.StringVar(&f.replica, "replica", "", "unique name of this replica (default from the host name)")
	flags.StringVar(&f.api, "api-bind-address", "", "address of the aggregated API, to which Service "+apiserver.Service+" leads, host:port (default off)")
	flags.BoolVar(&f.register, "register-clusters", false, "approve the clusters in pull mode that register with a token (requires \"accord install --register-clusters\")")
	return c
}

func (f *runFlags) run(ctx context.Context, stderr io.Writer) error {
	h, err := f.hub.Connect()
	if err != nil {
		return err
	}
	log, err := f.controllers.log.logger(ctx, stderr)
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
	o.LeaderElection, o.Namespace, o.SecretsNamespace = f.leaderElect, f.namespace, f.secrets
	o.Register = f.register
	o.Share, o.Replica = f.leaderElect && f.share, f.replica
	log.Info("running the controllers", "hub", h.Config.Host, "version", version.Get().Version)
	api := serve.API{Address: f.api, Namespace: f.namespace, Secrets: f.secrets, Log: log}
	if err := serve.Controllers(ctx, h.Config, o, api); err != nil {
		return fmt.Errorf("running the controllers on %s: %w", h.Config.Host, err)
	}
	return nil
}
