// Package livesource prints the manifests with which an administrator prepares a live cluster for a Federation that reads it.
package livesource

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/api/jsonschema"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/leastrole"
	"github.com/accord-dev/accord/source/cluster"
)

const rightsLong = `Print the least rights with which accord reads the live clusters of a Federation: a ServiceAccount with get, list and watch on the
selected kinds. Roles are enough for the namespaces that a source names; other kinds need a ClusterRole.

accord asks each cluster which kinds it serves, with your own kubeconfig, and writes nothing. As an administrator of the cluster, apply the
output. With a Tenant, name its account with --account: accord impersonates it.`

const crdsLong = `Print the CustomResourceDefinitions of PropagationPolicy, ClusterPropagationPolicy, OverridePolicy and ClusterOverridePolicy. A cluster
that serves them can have the policies of a Federation beside the workloads: select policy.karmada.io/* in cluster.kinds of the source.

A cluster that runs Karmada's control plane has its own definitions: keep them.`

// Command returns "accord source".
func Command() *cobra.Command {
	c := &cobra.Command{
		Use:   "source",
		Short: "Prepare a live cluster for a Federation that reads it",
		Long:  "Prepare a live cluster for a Federation that reads it. accord writes nothing there: the commands print manifests.",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(rightsCommand(), crdsCommand())
	return c
}

// options select a Federation and the account.
type options struct {
	live       load.Live
	federation string
	account    string
}

func rightsCommand() *cobra.Command {
	o := &options{}
	c := &cobra.Command{
		Use:     "rights -f FEDERATION --source-context CONTEXT",
		Short:   "Print the rights that accord needs in the live clusters of a Federation",
		Long:    rightsLong,
		Args:    cobra.NoArgs,
		Example: "  accord source rights -f dr.yaml --source-context production | kubectl --context production apply -f -",
		RunE: func(c *cobra.Command, _ []string) error {
			return o.rights(c.OutOrStdout())
		},
	}
	c.Flags().StringVarP(&o.federation, "federation", "f", "", "manifest of the Federation (required)")
	o.live.Register(c.Flags())
	c.Flags().StringVar(&o.account, "account", hub.SystemNamespace+"/accord-read", "ServiceAccount in the live cluster, as NAMESPACE/NAME")
	return c
}

func (o *options) rights(out io.Writer) error {
	namespace, name, ok := strings.Cut(o.account, "/")
	switch {
	case o.federation == "":
		return errors.New("--federation is required: name the manifest of the Federation")
	case !ok || namespace == "" || name == "" || strings.Contains(name, "/"):
		return fmt.Errorf("--account must be NAMESPACE/NAME, got %q", o.account)
	}
	fed, err := (&load.Flags{FederationName: o.federation}).Federation("")
	if err != nil {
		return err
	}
	found := false
	for _, s := range fed.Spec.Sources {
		if s.Cluster == nil {
			continue
		}
		found = true
		rules, err := o.rulesOf(s)
		if err != nil {
			return fmt.Errorf("source %q: %w", s.Name, err)
		}
		if err := text.Manifests(out, rules.WithAccount(namespace, name, "accord-read-"+fed.Name+"-"+s.Name)); err != nil {
			return err
		}
	}
	if !found {
		return fmt.Errorf("no live cluster in Federation %s: it has no source with the field cluster", fed.Name)
	}
	return nil
}

// rulesOf returns the rights that a source needs in the cluster of its context.
func (o *options) rulesOf(s v1alpha1.Source) (leastrole.Rules, error) {
	cfg, name, err := o.live.Config(s.Name)
	if err != nil {
		return nil, err
	}
	selection, err := cluster.NewSelection(s.Cluster)
	if err != nil {
		return nil, err
	}
	cfg.Wrap(cluster.ReadOnly)
	member, err := clusters.Connect(cfg, name)
	if err != nil {
		return nil, err
	}
	defer member.Close()
	apis, err := member.Kinds.Discover()
	if err != nil {
		return nil, err
	}
	scopes, err := selection.Scopes(apis)
	if err != nil {
		return nil, err
	}
	return cluster.Rights(scopes), nil
}

func crdsCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "crds",
		Short:   "Print the definitions of policies for a cluster that has its own",
		Long:    crdsLong,
		Args:    cobra.NoArgs,
		Example: "  accord source crds | kubectl --context production apply --server-side -f -",
		RunE: func(c *cobra.Command, _ []string) error {
			crds, err := jsonschema.PolicyCRDs()
			if err != nil {
				return err
			}
			return text.Manifests(c.OutOrStdout(), crds)
		},
	}
}
