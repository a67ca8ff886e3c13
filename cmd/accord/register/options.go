// Package register registers a cluster in pull mode on a hub, from the cluster's side, and reverses it.
package register

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/api/registration"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/version"
	"github.com/accord-dev/accord/propagate/permit"
	"github.com/accord-dev/accord/reconciler/registration/applicant"
)

const registerLong = `Register a cluster in pull mode: its agent connects to the hub, and the hub needs no way to the cluster and no credentials of it.

Run the command with administrator rights on the cluster. "accord token create --print-register-command" on the hub prints it. The steps:

  preflight    the cluster has no agent yet, and you may create one
  discovery    the ConfigMap cluster-info of the hub is signed with the token, and its CA has the hash of --discovery-token-ca-cert-hash
  certificate  a key is made here and never leaves the cluster; the hub signs a certificate for system:accord:agent:NAME:REGISTRATION
  agent        the namespace, ServiceAccount, roles, Secret and Deployment of the agent are created in the cluster
  ready        the agent has reported to the hub

The hub approves the certificate only if the token permits the name and no other cluster has it. The provider, the region and the zones
are those of the Cluster on the hub, unless Git declares the Cluster: policies select by them.

The agent gets a ClusterRole with the built-in kinds of workloads and namespaces. --secrets and --crds add those kinds, --admin grants
all rights.

With --manifests, the command prints manifests for Git. When they are applied, the agent makes its key, verifies the hub, and requests its
certificate with the token in the Secret accord-agent-token.

The agent opens a tunnel, through which users of the hub reach the API server of the cluster ("accord logs", "accord exec"). It acts
for the users and groups of --impersonate-user and --impersonate-group only, with the rights that the cluster gives to them. Without
these flags it acts for nobody. --no-tunnel leaves out the tunnel.`

// Options are the command line of "accord register".
type Options struct {
	applicant.Applicant
	Kubeconfig, Context string
	Image               string
	// CacheDir is the directory in the pod that keeps the last bundle; empty: none is kept.
	CacheDir             string
	Admin, Secrets, CRDs bool
	Tunnel               Tunnel
	// DryRun prints the manifests of the agent, Manifests those of an agent that registers the cluster itself.
	DryRun, Manifests bool
	Wait              bool
}

// Tunnel says which users and groups of the hub may act on the cluster through the tunnel of the agent.
type Tunnel struct {
	Off           bool
	Users, Groups []string
}

// Command returns "accord register".
func Command() *cobra.Command {
	o := &Options{}
	c := &cobra.Command{
		Use:     "register HUB --token ID.SECRET --discovery-token-ca-cert-hash sha256:HASH",
		Short:   "Register a cluster in pull mode",
		Long:    registerLong,
		Example: "  accord register https://hub.example:6443 --token 8f3k2a.0123456789abcdef --discovery-token-ca-cert-hash sha256:... --cluster-name edge-7",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.Hub = args[0]
			return o.Run(c.Context(), c.OutOrStdout())
		},
	}
	f := c.Flags()
	f.StringVar(&o.Token, "token", "", "token of \"accord token create\" (required)")
	f.StringSliceVar(&o.Pins, "discovery-token-ca-cert-hash", nil, "hash of the CA of the hub, sha256:... (repeatable)")
	f.BoolVar(&o.SkipPins, "discovery-token-unsafe-skip-ca-verification", false, "trust any CA that is signed with the token: every other holder of the token can pretend to be the hub")
	f.StringVar(&o.Kubeconfig, "cluster-kubeconfig", "", "kubeconfig of the cluster (default as kubectl)")
	f.StringVar(&o.Context, "cluster-context", "", "context in the kubeconfig of the cluster (default the current one)")
	f.StringVar(&o.Cluster, "cluster-name", "", "name of the Cluster on the hub (default the name of the context)")
	f.StringVar(&o.Traits.Region, "cluster-region", "", "region of the Cluster")
	f.StringVar(&o.Traits.Provider, "cluster-provider", "", "provider of the Cluster")
	f.StringSliceVar(&o.Traits.Zones, "cluster-zones", nil, "zones of the Cluster")
	f.StringVar(&o.Image, "image", agentImage(version.Get().Version), "image of the agent")
	f.StringVar(&o.CacheDir, "cache-dir", "/var/cache/accord", "directory of the agent, in memory, that keeps the last bundle with its Secrets for a start while the hub is away; empty to keep none")
	f.BoolVar(&o.Admin, "admin", false, "bind the agent to cluster-admin in place of the default role")
	f.BoolVar(&o.Secrets, "secrets", false, "add Secrets to the default role")
	f.BoolVar(&o.CRDs, "crds", false, "add CustomResourceDefinitions to the default role")
	f.StringSliceVar(&o.Tunnel.Users, "impersonate-user", nil, "user of the hub that the agent may act for through the tunnel (repeatable)")
	f.StringSliceVar(&o.Tunnel.Groups, "impersonate-group", nil, "group of the hub whose members keep it when the agent acts for them (repeatable)")
	f.BoolVar(&o.Tunnel.Off, "no-tunnel", false, "open no tunnel: users of the hub cannot reach the API server of the cluster")
	f.BoolVar(&o.DryRun, "dry-run", false, "print the manifests of the agent and exit; nothing is requested or created")
	f.BoolVar(&o.Manifests, "manifests", false, "print the manifests of an agent that registers the cluster itself, for Git, and exit; without --token, you create the Secret "+registration.TokenSecret)
	f.BoolVar(&o.Wait, "wait", true, "wait until the Cluster is Ready")
	f.DurationVar(&o.Timeout, "timeout", 5*time.Minute, "time limit of the certificate, and of the wait for Ready")
	return c
}

// agentImage returns the image of the agent of this version.
func agentImage(version string) string {
	return strings.Replace(text.DefaultImage(version), "/accord:", "/accord-agent:", 1)
}

// check completes the options, or returns an error that names the invalid one.
func (o *Options) check() error {
	switch {
	case o.DryRun && o.Manifests:
		return errors.New("--dry-run and --manifests are mutually exclusive: the first one prints what \"accord register\" would create")
	case o.Token == "" && !o.DryRun && !o.Manifests:
		return errors.New("--token is required: \"accord token create\" on the hub prints it")
	case o.Admin && (o.Secrets || o.CRDs):
		return errors.New("--admin is mutually exclusive with --secrets and --crds: it grants all rights")
	case o.Tunnel.Off && len(o.Tunnel.Users)+len(o.Tunnel.Groups) > 0:
		return errors.New("--no-tunnel is mutually exclusive with --impersonate-user and --impersonate-group: the agent acts for users through the tunnel only")
	case o.Timeout <= 0:
		return fmt.Errorf("--timeout must be positive, got %s", o.Timeout)
	}
	if err := permit.CheckImpersonated(o.Tunnel.Users, o.Tunnel.Groups); err != nil {
		return err
	}
	if o.DryRun {
		return nil
	}
	return o.Check()
}
