package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/charts"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/install"
	"github.com/accord-dev/accord/cmd/accord/install/crds"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/egress"
	"github.com/accord-dev/accord/internal/version"
)

const installLong = `Print the manifests that run accord on an existing cluster, which becomes the hub.

The manifests are the CustomResourceDefinitions, admission policies, a namespace for restricted pods, RBAC without wildcards, a
NetworkPolicy, a PodDisruptionBudget, and two replicas that elect a leader and share the clusters; with --cache-volume one replica with a
volume. Accord may read Secrets in its own namespace and in the namespaces of --secrets-from: the namespaces of Federations whose sources or webhooks need a Secret.

They are the templates of the Helm chart. --values takes a values file of the chart, for the settings that have no flag, such as an
Ingress for the webhook. A flag replaces the value of the file.

The CustomResourceDefinitions are in the program. --crds takes others: file:PATH, https://HOST/PATH or oci://HOST/REPOSITORY:TAG, a YAML
file or an archive of such files (.tar.gz); in a registry it is a layer. A remote file requires --crds-sha256. accord uses the proxy of
the environment, keeps a remote file in --crds-cache-dir, and refuses a file with another checksum, and objects that are no
CustomResourceDefinitions of accord.`

// installFlags are values of the chart.
type installFlags struct {
	namespace, image, clusterSecrets, values, cacheVolume string
	secretsFrom                                           []string
	sourceNetworks, webhookProxies                        egress.Networks
	register, declareFederations                          bool
	crds                                                  crds.Source
}

func installCommand() *cobra.Command {
	f := &installFlags{}
	c := &cobra.Command{
		Use:   "install",
		Short: "Print the manifests that run accord on an existing hub",
		Long:  installLong,
		Example: `  accord install | kubectl apply --server-side -f -
  accord install --values values.yaml --image registry.example/accord:v0.1.0`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.print(c) },
	}
	set := c.Flags()
	set.StringVar(&f.namespace, "namespace", hub.SystemNamespace, "namespace of accord")
	set.StringVar(&f.image, "image", text.DefaultImage(version.Get().Version), "image of accord")
	set.StringVar(&f.crds.Location, "crds", crds.Embedded, "source of the CustomResourceDefinitions: embedded, file:PATH, https://HOST/PATH or oci://HOST/REPOSITORY:TAG")
	set.StringVar(&f.crds.SHA256, "crds-sha256", "", "SHA-256 of the file of --crds; required for a remote one")
	set.StringVar(&f.crds.CacheDir, "crds-cache-dir", "", "directory that keeps remote files (default below the user's cache directory)")
	set.StringVar((*string)(&f.crds.Pull), "crds-pull", string(crds.IfNotPresent), "when to fetch a remote file: IfNotPresent or Always")
	set.StringVar(&f.values, "values", "", "file with values of the chart, - for stdin")
	set.StringSliceVar(&f.secretsFrom, "secrets-from", nil, "additional namespace whose Secrets accord may read (repeatable)")
	set.StringVar(&f.clusterSecrets, "secrets-namespace", "", "the only namespace whose Secrets are credentials of clusters (default --namespace)")
	set.Var(&f.sourceNetworks, "allow-source-networks", "loopback, link-local and private networks in which sources and forges may be, such as 10.0.0.0/8 (repeatable; default none)")
	set.Var(&f.webhookProxies, "webhook-proxies", "networks of the proxies in front of the webhook, whose X-Forwarded-For names the sender, such as 10.0.0.0/8 (repeatable; default none)")
	set.StringVar(&f.cacheVolume, "cache-volume", "", "size of a PersistentVolumeClaim for the cache directory, such as 8Gi: a new pod has the snapshots of live clusters; accord then runs as one replica, which can read live clusters")
	set.BoolVar(&f.register, "register-clusters", false, "let clusters in pull mode register with a token; accord gets the right to approve client certificates of the hub")
	set.BoolVar(&f.declareFederations, "declare-federations", false, "let Federations declare other Federations in Git (spec.declareFederations); accord gets the right to create and delete Federations, and to create namespaces")
	return c
}

// print writes the manifests.
func (f *installFlags) print(c *cobra.Command) error {
	v, err := charts.Defaults()
	if err != nil {
		return fmt.Errorf("reading the built-in values: %w", err)
	}
	v.Image, v.Namespace.Create = f.image, true
	if err := f.read(c.InOrStdin(), v); err != nil {
		return err
	}
	for flag, set := range map[string]func(){
		"image":                 func() { v.Image = f.image },
		"secrets-from":          func() { v.SecretsFrom = f.secretsFrom },
		"secrets-namespace":     func() { v.SecretsNamespace = f.clusterSecrets },
		"allow-source-networks": func() { v.AllowSourceNetworks = networks(f.sourceNetworks) },
		"webhook-proxies":       func() { v.WebhookProxies = networks(f.webhookProxies) },
		"cache-volume":          func() { v.CacheVolume = f.cacheVolume },
		"register-clusters":     func() { v.RegisterClusters = f.register },
		"declare-federations":   func() { v.DeclareFederations = f.declareFederations },
	} {
		if c.Flags().Changed(flag) {
			set()
		}
	}
	line := text.NewProgressLine(c.ErrOrStderr(), "reading the definitions")
	line.Start()
	definitions, err := f.crds.Read(c.Context())
	line.End()
	if err != nil {
		return err
	}
	return install.Write(c.OutOrStdout(), f.namespace, v, definitions)
}

// read merges the values of the file.
func (f *installFlags) read(stdin io.Reader, v *charts.Values) (err error) {
	var text []byte
	switch f.values {
	case "":
		return nil
	case "-":
		text, err = io.ReadAll(stdin)
	default:
		text, err = os.ReadFile(f.values)
	}
	if err != nil {
		return fmt.Errorf("--values: %w", err)
	}
	if err := v.Merge(text); err != nil {
		return fmt.Errorf("--values %s: %w", f.values, err)
	}
	return nil
}

func networks(all egress.Networks) (texts []string) {
	for _, n := range all {
		texts = append(texts, n.String())
	}
	return texts
}
