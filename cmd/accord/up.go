package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/clusters/local/subprocess"
	"github.com/accord-dev/accord/cmd/accord/background"
	"github.com/accord-dev/accord/cmd/accord/gitrepo"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/serve"
	"github.com/accord-dev/accord/reconciler"
	hubstore "github.com/accord-dev/accord/reconciler/store"
)

const upLong = `Run a complete hub: a Kubernetes API server with its store, and the controllers.

The controllers run in this process. The API server is the program accord-apiserver, which accord runs and ends. Its file is beside that
of accord, or in PATH, or --apiserver names it. Both programs must have the same version.

The data directory has everything, and survives restarts: the API objects in hub/, Git clones in cache/, and the administrator's
kubeconfig. A lock ensures that only one hub uses it. SIGINT, SIGTERM or "accord down" stops the hub. With --detach, accord returns
when the hub is ready; the hub runs in the background, until the machine stops. accord.pid has its process and accord.log its log.

accord refuses to start with a damaged store, and names the file. Git and the members have everything that accord delivered, so a
new store is enough: --rebuild moves the old store aside and starts with an empty one, at the same address and with the same
certificates. Then join the members and apply the Federations again; accord adopts the objects on the members. Below 10 % of free
space, accord logs a warning, and every Federation has the condition DiskSpaceLow. Below 32 MiB the hub refuses writes until 64 MiB
are free. If a write of the store fails, the hub logs file and cause, and ends.

Secrets are encrypted in the store; the key is in hub/encryption.yaml, and without this file they are lost. accord renews the
certificates of the hub before they expire. An audit log is renamed at 100 MB, and accord keeps ten files for 30 days.

Objects of Federations are mirrored on the hub with the status of all clusters, unless spec.mirror is false.
"kubectl rollout status deployment/web" there waits for every decided cluster.

If the hub has no Tenant, accord creates the Tenant "default", which allows everything to every Federation. --require-tenant omits
it. Write your own Tenants and delete "default" before several teams share the hub.`

type upFlags struct {
	controllers controllerFlags
	dataDir     string
	port        int
	rebuild     bool
	rotateKey   bool
	auditLog    string
	apiserver   string
	detach      bool
}

func upCommand() *cobra.Command {
	f := &upFlags{}
	c := &cobra.Command{
		Use:     "up --data-dir DIR",
		Short:   "Run a hub: an API server and the controllers",
		Long:    upLong,
		Example: "  accord up --data-dir ~/.accord --detach\n  accord up --data-dir ~/.accord --webhook-bind-address 127.0.0.1:8082",
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return f.run(c.Context(), c.OutOrStdout(), c.ErrOrStderr()) },
	}
	f.controllers.register(c.Flags(), true)
	c.Flags().StringVar(&f.dataDir, "data-dir", "", "directory of all data (required)")
	c.Flags().IntVar(&f.port, "port", 0, "port of the hub on 127.0.0.1 (default the previous one, else a free one)")
	c.Flags().BoolVar(&f.rebuild, "rebuild", false, "start with a new store, and keep the damaged one beside it")
	c.Flags().BoolVar(&f.rotateKey, "rotate-encryption-key", false, "encrypt the Secrets in the store with a new key, and delete the old key")
	c.Flags().StringVar(&f.auditLog, "audit-log", "", "file of the audit log: the metadata of each request, never its body (default off)")
	c.Flags().StringVar(&f.apiserver, "apiserver", "", "file of the program accord-apiserver (default beside accord, else in PATH)")
	c.Flags().BoolVarP(&f.detach, detachFlag, "d", false, "return when the hub is ready, and let it run in the background (stop it with \"accord down\")")
	return c
}

func (f *upFlags) run(ctx context.Context, stdout, stderr io.Writer) (err error) {
	if f.dataDir == "" {
		return errors.New("--data-dir is required")
	}
	dir, err := filepath.Abs(f.dataDir)
	if err != nil {
		return fmt.Errorf("resolving the data directory: %w", err)
	}
	if f.detach {
		return startInBackground(ctx, dir, stdout)
	}
	log, err := f.controllers.log.logger(ctx, stderr)
	if err != nil {
		return err
	}
	claim, err := background.Take(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, claim.Release()) }()
	stop, err := f.controllers.pprof.serve(log)
	if err != nil {
		return err
	}
	defer stop()
	plane, err := f.start(ctx, dir, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(hub.UnlessCancelled(err), plane.Stop()) }()

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { <-plane.Done(); cancel() }() // ends with plane.Stop above
	o := f.controllers.options(filepath.Join(dir, "cache"), log)
	o.Mirror = true // nothing runs on this hub
	o.Register, o.Authority = true, plane.ClientAuthority
	return f.serve(ctx, stdout, dir, plane, o)
}

// serve runs the controllers on the running hub until the context ends.
func (f *upFlags) serve(ctx context.Context, stdout io.Writer, dir string, plane *subprocess.ControlPlane, o reconciler.Options) error {
	if err := hubstore.Install(ctx, plane.Config()); err != nil {
		return fmt.Errorf("installing the kinds of accord: %w", err)
	}
	note, err := f.controllers.defaultTenant(ctx, plane.Config())
	if err != nil {
		return err
	}
	kubeconfig, err := hub.LinkKubeconfig(dir, plane.Kubeconfig())
	if err != nil {
		return err
	}
	if _, err := gitrepo.CacheDir(o.CacheDir); err != nil {
		return err
	}
	if _, err := io.WriteString(stdout, f.welcome(plane.Config().Host, kubeconfig, dir)+note); err != nil {
		return err
	}
	api := serve.API{Address: "127.0.0.1:0", Namespace: hub.SystemNamespace, Local: true, Log: slog.New(logr.ToSlogHandler(o.Log))}
	if err := serve.Controllers(ctx, plane.Config(), o, api); err != nil {
		return fmt.Errorf("running the controllers: %w", err)
	}
	return nil
}
