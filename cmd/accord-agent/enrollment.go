package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/reconciler/registration/applicant"
)

// enrollment registers the cluster of an agent that was installed by manifests from Git.
type enrollment struct {
	applicant.Applicant
	tokenFile string
}

func (e *enrollment) bind(set *pflag.FlagSet) {
	set.StringVar(&e.Hub, "hub", "", "address of the hub, in place of --hub-kubeconfig: the agent registers the cluster, unless the Secret in --namespace has a kubeconfig of the hub")
	set.StringVar(&e.tokenFile, "token-file", "", "file with the token of \"accord token create\" that registers the cluster")
	set.StringSliceVar(&e.Pins, "discovery-token-ca-cert-hash", nil, "hash of the CA of the hub, sha256:... (repeatable)")
	set.BoolVar(&e.SkipPins, "discovery-token-unsafe-skip-ca-verification", false, "trust any CA that is signed with the token: every other holder of the token can pretend to be the hub")
	set.StringVar(&e.Traits.Region, "cluster-region", "", "region of the Cluster")
	set.StringVar(&e.Traits.Provider, "cluster-provider", "", "provider of the Cluster")
	set.StringSliceVar(&e.Traits.Zones, "cluster-zones", nil, "zones of the Cluster")
	set.DurationVar(&e.Timeout, "registration-timeout", 5*time.Minute, "time limit of the certificate")
}

// run returns the connection to the hub, for which it registers the cluster if that is due.
func (e *enrollment) run(ctx context.Context, cluster string, local *rest.Config, secret types.NamespacedName, log *slog.Logger) (*rest.Config, error) {
	e.Cluster, e.Say = cluster, func(format string, args ...any) { log.Info(fmt.Sprintf(format, args...), "cluster", cluster) }
	c, err := client.New(local, client.Options{Scheme: clientgoscheme.Scheme})
	if err != nil {
		return nil, fmt.Errorf("connecting to the cluster: %w", err)
	}
	kubeconfig, err := e.Enroll(ctx, c, secret, func() (string, error) {
		text, err := os.ReadFile(e.tokenFile)
		return strings.TrimSpace(string(text)), err
	})
	if err != nil {
		return nil, fmt.Errorf("registering the cluster: %w", err)
	}
	return clientcmd.RESTConfigFromKubeConfig(kubeconfig)
}
