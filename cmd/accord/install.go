package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/template"

	"github.com/distribution/reference"
	"github.com/spf13/cobra"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/admission"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/egress"
)

//go:embed install.yaml
var installManifests string

const installLong = `Print the manifests that run accord on an existing cluster, which becomes the hub.

The manifests are the CustomResourceDefinitions, an admission policy that records who approves, a namespace for restricted pods, RBAC without wildcards, a NetworkPolicy, and two replicas that
elect a leader and share the clusters. Accord may read Secrets in its own namespace and in the namespaces of --secrets-from:
the namespaces of Federations whose sources or webhooks need a Secret.`

// installation is the input of the manifests.
type installation struct {
	Namespace        string
	Image            string
	SecretNamespaces []string
	// ClusterSecrets is the namespace of the credentials of clusters.
	ClusterSecrets string
	SourceNetworks egress.Networks
	WebhookProxies egress.Networks
	// Register grants the rights to register clusters in pull mode.
	Register bool
}

func installCommand() *cobra.Command {
	i := installation{}
	var secretsFrom []string
	c := &cobra.Command{
		Use:     "install",
		Short:   "Print the manifests that run accord on an existing hub",
		Long:    installLong,
		Example: "  accord install | kubectl apply --server-side -f -",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			i.ClusterSecrets = cmp.Or(i.ClusterSecrets, i.Namespace)
			i.SecretNamespaces = slices.Compact(slices.Sorted(slices.Values(append(secretsFrom, i.Namespace, i.ClusterSecrets))))
			return i.print(c.OutOrStdout())
		},
	}
	c.Flags().StringVar(&i.Namespace, "namespace", hub.SystemNamespace, "namespace of accord")
	c.Flags().StringVar(&i.Image, "image", text.DefaultImage(text.Version()), "image of accord")
	c.Flags().StringSliceVar(&secretsFrom, "secrets-from", nil, "additional namespace whose Secrets accord may read (repeatable)")
	c.Flags().StringVar(&i.ClusterSecrets, "secrets-namespace", "", "the only namespace whose Secrets are credentials of clusters (default --namespace)")
	c.Flags().Var(&i.SourceNetworks, "allow-source-networks", "loopback, link-local and private networks in which sources and forges may be, such as 10.0.0.0/8 (repeatable; default none)")
	c.Flags().Var(&i.WebhookProxies, "webhook-proxies", "networks of the proxies in front of the webhook, whose X-Forwarded-For names the sender, such as 10.0.0.0/8 (repeatable; default none)")
	c.Flags().BoolVar(&i.Register, "register-clusters", false, "let clusters in pull mode register with a token; accord gets the right to approve client certificates of the hub")
	return c
}

// check returns an error for values that would break the manifests.
func (i installation) check() error {
	for _, ns := range append([]string{i.Namespace}, i.SecretNamespaces...) {
		if wrong := validation.IsDNS1123Label(ns); len(wrong) > 0 {
			return fmt.Errorf("namespace %q: %s", ns, strings.Join(wrong, "; "))
		}
	}
	if _, err := reference.ParseNormalizedNamed(i.Image); err != nil {
		return fmt.Errorf("--image %q: %w", i.Image, err)
	}
	return nil
}

// definition is a CustomResourceDefinition without status, which the API server writes.
type definition struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              apiextensionsv1.CustomResourceDefinitionSpec `json:"spec"`
}

// print writes all manifests as one YAML stream.
func (i installation) print(out io.Writer) error {
	if err := i.check(); err != nil {
		return err
	}
	t, err := template.New("install.yaml").Parse(admission.Manifests + "---\n" + installManifests)
	if err != nil {
		return fmt.Errorf("reading the built-in manifests: %w", err)
	}
	crds, err := v1alpha1.CRDs()
	if err != nil {
		return fmt.Errorf("reading the built-in CustomResourceDefinitions: %w", err)
	}
	for _, crd := range crds {
		doc, err := yaml.Marshal(definition{crd.TypeMeta, crd.ObjectMeta, crd.Spec})
		if err != nil {
			return fmt.Errorf("encoding %s: %w", crd.Name, err)
		}
		if _, err := fmt.Fprintf(out, "%s---\n", doc); err != nil {
			return err
		}
	}
	return t.Execute(out, i)
}
