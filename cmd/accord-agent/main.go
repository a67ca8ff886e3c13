// Command accord-agent executes one cluster in pull mode, in a pod of that cluster: it fetches the bundle of the cluster from the hub,
// applies it, and reports. "accord register" installs it. It is a program of its own, because "accord" has Git, the commands and the
// aggregated API of the hub inside, and three times the size.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/accord-dev/accord/api/registration"
	"github.com/accord-dev/accord/reconciler/agent"
	"github.com/accord-dev/accord/reconciler/state/reachability"
)

const long = `Execute one cluster in pull mode. "accord register" installs the agent with its flags.

The agent needs no route from the hub to the cluster: it connects to the hub, waits for the bundle of the cluster, and applies it through
the API server beside it. While the hub does not answer, it repairs drift to the last bundle.`

func main() {
	pflag.CommandLine = pflag.NewFlagSet(os.Args[0], pflag.ContinueOnError) // Kubernetes' packages register flags there
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	if err := command().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "accord-agent:", err)
		os.Exit(1)
	}
}

type flags struct {
	cluster, hubKubeconfig, kubeconfig string
	namespace, logLevel                string
	cacheDir                           string
	noTunnel                           bool
	lease                              time.Duration
	enrollment                         enrollment
}

func command() *cobra.Command {
	f := &flags{}
	c := &cobra.Command{
		Use: "accord-agent --cluster NAME (--hub-kubeconfig FILE | --hub https://HOST:PORT)", Short: "Execute one cluster in pull mode", Long: long,
		Args: cobra.NoArgs, SilenceUsage: true, SilenceErrors: true,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c.Context(), c.ErrOrStderr()) },
	}
	set := c.Flags()
	set.StringVar(&f.cluster, "cluster", "", "name of the Cluster on the hub")
	set.StringVar(&f.hubKubeconfig, "hub-kubeconfig", "", "kubeconfig of the hub, with the certificate of the agent")
	set.StringVar(&f.kubeconfig, "kubeconfig", "", "kubeconfig of the cluster (default the account of the pod)")
	set.StringVar(&f.namespace, "namespace", "accord-system", "namespace of the agent, which has the Secret with the kubeconfig of the hub; empty to renew no certificate there")
	set.DurationVar(&f.lease, "lease-duration", reachability.AgentLease, "time after which the hub counts the cluster as unreachable if it does not hear the agent, from 10s to 10m")
	set.StringVar(&f.cacheDir, "cache-dir", "", "directory that keeps the last bundle, with its Secrets, for a start while the hub is away; empty to keep none")
	set.BoolVar(&f.noTunnel, "no-tunnel", false, "open no tunnel: users of the hub cannot reach the API server of the cluster")
	set.StringVar(&f.logLevel, "log-level", "info", "least level of log lines: debug, info, warn or error")
	f.enrollment.bind(set)
	return c
}

func (f *flags) run(ctx context.Context, stderr io.Writer) error {
	if f.cluster == "" || (f.hubKubeconfig == "") == (f.enrollment.Hub == "") {
		return errors.New("--cluster, and either --hub-kubeconfig or --hub are required; \"accord register\" sets them")
	}
	if f.lease < 10*time.Second || f.lease > 10*time.Minute {
		return fmt.Errorf("--lease-duration %s: use 10s to 10m", f.lease)
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(f.logLevel)); err != nil {
		return fmt.Errorf("--log-level %q: use debug, info, warn or error", f.logLevel)
	}
	log := slog.New(slog.NewJSONHandler(stderr, &slog.HandlerOptions{Level: level}))
	ctrllog.SetLogger(logr.FromSlogHandler(log.Handler()))
	klog.SetSlogLogger(log)
	local, err := f.local()
	if err != nil {
		return err
	}
	hub, err := f.hub(ctx, local, log)
	if err != nil {
		return err
	}
	o := agent.Options{Cluster: f.cluster, Hub: hub, Local: local, Lease: f.lease, CacheDir: f.cacheDir, Tunnel: !f.noTunnel, Log: log}
	if f.namespace != "" {
		o.Secret = types.NamespacedName{Namespace: f.namespace, Name: registration.HubSecret}
	}
	a, err := agent.New(o)
	if err != nil {
		return err
	}
	log.Info("executing the cluster", "cluster", f.cluster, "hub", hub.Host)
	a.Run(ctx)
	return nil
}

// hub returns the connection to the hub. With --hub, the agent registers the cluster first, unless the cluster is registered.
func (f *flags) hub(ctx context.Context, local *rest.Config, log *slog.Logger) (*rest.Config, error) {
	if f.enrollment.Hub != "" {
		return f.enrollment.run(ctx, f.cluster, local, types.NamespacedName{Namespace: f.namespace, Name: registration.HubSecret}, log)
	}
	cfg, err := clientcmd.BuildConfigFromFlags("", f.hubKubeconfig)
	if err != nil {
		return nil, fmt.Errorf("--hub-kubeconfig: %w", err)
	}
	return cfg, nil
}

// local returns the connection to the cluster.
func (f *flags) local() (*rest.Config, error) {
	if f.kubeconfig != "" {
		cfg, err := clientcmd.BuildConfigFromFlags("", f.kubeconfig)
		if err != nil {
			return nil, fmt.Errorf("--kubeconfig: %w", err)
		}
		return cfg, nil
	}
	cfg, err := rest.InClusterConfig()
	if err != nil {
		return nil, fmt.Errorf("the account of the pod: %w; outside of a pod set --kubeconfig", err)
	}
	return cfg, nil
}
