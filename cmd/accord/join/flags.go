package join

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/accord-dev/accord/cmd/accord/hub"
)

// Register adds the flags of "accord join".
func (f *Options) Register(c *cobra.Command) {
	flags := c.Flags()
	f.Hub.Register(flags)
	f.Tree.Register(c)
	flags.StringVar(&f.SecretsNamespace, "secrets-namespace", hub.SystemNamespace, "namespace of the credentials on the hub, as for accord run")
	flags.StringVar(&f.Kubeconfig, "member-kubeconfig", "", "kubeconfig of the member (default as kubectl)")
	flags.StringVar(&f.Context, "member-context", "", "context in the kubeconfig of the member (default the current one)")
	flags.StringVar(&f.Traits.Provider, "provider", "", "provider of the Cluster")
	flags.StringVar(&f.Traits.Region, "region", "", "region of the Cluster")
	flags.StringSliceVar(&f.Traits.Zones, "zone", nil, "zone of the Cluster (repeatable)")
	flags.StringToStringVar(&f.Traits.Labels, "label", nil, "label of the Cluster, key=value (repeatable)")
	flags.BoolVar(&f.PrintRBAC, "print-rbac", false, "print the identity and the smallest role for the objects of DIR or --repo, and exit")
	flags.BoolVar(&f.Admin, "admin", false, "bind accord to cluster-admin in place of the default role")
	flags.BoolVar(&f.Secrets, "secrets", false, "add Secrets to the default role")
	flags.BoolVar(&f.CRDs, "crds", false, "add CustomResourceDefinitions to the default role")
	flags.StringSliceVar(&f.Impersonate, "impersonate", nil, "allow accord to impersonate this ServiceAccount of a Tenant, NAMESPACE/NAME, by a Role accord-impersonate in its namespace (repeatable)")
	flags.StringSliceVar(&f.Users, "impersonate-user", nil, "user of the hub that accord may act for on the cluster, as \"accord logs\" needs it (repeatable)")
	flags.StringSliceVar(&f.Groups, "impersonate-group", nil, "group of the hub whose members keep it when accord acts for them (repeatable)")
	flags.DurationVar(&f.TokenLife, "token-lifetime", defaultTokenLife, "life of the token, which accord renews when half of it is over")
	flags.BoolVar(&f.DryRun, "dry-run", false, "check the connections and exit")
	flags.StringVar(&f.Write, "write", "", "write the manifest of the Cluster for Git to this file, \"-\" for standard output")
	flags.BoolVar(&f.Replace, "replace", false, "give the name of an existing Cluster to another cluster")
	flags.BoolVar(&f.AllowHub, "allow-hub", false, "join the hub itself")
}

// Register adds the flags of "accord leave".
func (f *Leave) Register(flags *pflag.FlagSet) {
	f.RegisterConnection(flags)
	flags.BoolVar(&f.Prune, "prune", false, "delete the delivered objects, too")
	flags.BoolVar(&f.Release, "release", false, "remove the marks and the inventory of accord; the delivered objects stay")
}

// RegisterConnection adds the flags of "accord leave" and "accord cluster remove".
func (f *Leave) RegisterConnection(flags *pflag.FlagSet) {
	f.Hub.Register(flags)
	flags.StringVar(&f.SecretsNamespace, "secrets-namespace", hub.SystemNamespace, "namespace of the credentials on the hub, as for accord run")
	flags.StringVar(&f.Kubeconfig, "member-kubeconfig", "", "kubeconfig of an administrator of the member (default the credentials on the hub)")
	flags.StringVar(&f.Context, "member-context", "", "context in the kubeconfig of the member")
	flags.BoolVar(&f.Force, "force", false, "remove the Cluster although the cluster cannot be reached or no controllers run")
}
