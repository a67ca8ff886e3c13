// Package promote copies objects of a member into Git: clean manifests, and a policy that keeps them on their cluster.
package promote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/defaulting"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate/importer"
	"github.com/accord-dev/accord/render/unrender"
)

const long = `Copy objects of a cluster into Git: print their manifests without what the cluster added, and a policy that places them on the cluster.
--write writes them to files of the working tree. When you have committed and pushed them, accord adopts the objects on the cluster,
because the policy has conflictResolution: Overwrite. Pods do not restart. Then extend the placement of the policy to other clusters.

--all copies a whole namespace. Objects that a controller or the cluster made are left out, such as ReplicaSets and the token of an account,
and so are those that accord delivers already. Secrets are left out because manifests in Git are readable: encrypt them (docs/how-to/secrets.md),
or copy them in plain text with --secrets.

The hub forwards the requests to the cluster, as for "accord get -C".`

// Options select the objects.
type Options struct {
	hub                hub.Flags
	namespace, cluster string
	all, dependencies  bool
	secrets, policy    bool
	policyName, dir    string
}

// Command returns "accord promote".
func Command() *cobra.Command {
	o := &Options{}
	c := &cobra.Command{
		Use:   "promote (KIND/NAME... | --all) --cluster CLUSTER",
		Short: "Copy objects of a member into Git",
		Long:  long,
		Example: `  accord promote deployment/web -n shop -C eu-1 -d
  accord promote --all -n shop -C eu-1 --write apps`,
		RunE: func(c *cobra.Command, args []string) error {
			return o.run(c.Context(), c.OutOrStdout(), c.ErrOrStderr(), args)
		},
	}
	f := c.Flags()
	o.hub.Register(f)
	f.StringVarP(&o.namespace, "namespace", "n", "", "namespace of the objects (default that of the context)")
	f.StringVarP(&o.cluster, "cluster", "C", "", "name of the Cluster (required)")
	f.BoolVar(&o.all, "all", false, "copy all objects of the namespace")
	f.BoolVarP(&o.dependencies, "dependencies", "d", false, "copy the ConfigMaps, Secrets, accounts and volume claims that the objects refer to, too")
	f.BoolVar(&o.secrets, "secrets", false, "copy Secrets in plain text")
	f.BoolVar(&o.policy, "auto-create-policy", true, "add a policy that places the objects on the cluster")
	f.StringVar(&o.policyName, "policy-name", "", "name of the policy (default that of the object and its kind; with several objects promoted-from-CLUSTER)")
	f.StringVar(&o.dir, "write", "", "directory for the files (default: print the manifests)")
	c.MarkFlagsMutuallyExclusive("all", "dependencies")
	return c
}

func (o *Options) run(ctx context.Context, out, errOut io.Writer, args []string) error {
	switch {
	case o.cluster == "":
		return errors.New("--cluster is required: \"accord get clusters\" shows the names")
	case o.all == (len(args) > 0):
		return errors.New("name objects as KIND/NAME, or copy the whole namespace with --all")
	}
	h, err := o.hub.Connect()
	if err != nil {
		return err
	}
	if err := h.Get(ctx, client.ObjectKey{Name: o.cluster}, &v1alpha1.Cluster{}); err != nil {
		return h.Wrap("reading cluster "+o.cluster, err)
	}
	getter := o.hub.Getter(o.namespace, hub.ProxyPath(o.cluster))
	r := &reader{Options: o, factory: cmdutil.NewFactory(cmdutil.NewMatchVersionFlags(getter))}
	if r.namespace, _, err = getter.ToRawKubeConfigLoader().Namespace(); err != nil {
		return fmt.Errorf("reading the namespace: %w", err)
	}
	live, err := r.read(ctx, args)
	if err != nil {
		return fmt.Errorf("reading the objects of cluster %s: %w", o.cluster, err)
	}
	s, err := o.choose(live)
	if err != nil {
		return err
	}
	for _, note := range append(r.notes, s.notes...) {
		fmt.Fprintln(errOut, note)
	}
	if len(s.manifests) == 0 {
		return fmt.Errorf("nothing to copy from namespace %s of cluster %s", r.namespace, o.cluster)
	}
	if o.dir == "" {
		return s.print(out)
	}
	return s.write(out, o.dir)
}

// selection is the manifests to copy.
type selection struct {
	manifests, policies []*unstructured.Unstructured
	notes               []string // about the objects that are left out
}

// choose returns the manifests of live objects. A named object that does not belong into Git is an error.
func (o *Options) choose(live []*unstructured.Unstructured) (*selection, error) {
	kinds, err := defaulting.NewKinds()
	if err != nil {
		return nil, err
	}
	r, err := importer.New(importer.Input{Secrets: o.secrets, Clusters: []importer.Cluster{{
		Name: o.cluster, Objects: live,
		Defaults: func(gvk schema.GroupVersionKind) *unrender.Defaulter { return (*unrender.Defaulter)(kinds.Of(gvk)) },
	}}})
	if err != nil {
		return nil, err
	}
	s := &selection{}
	if len(r.LeftOut) > 0 && !o.all {
		return nil, fmt.Errorf("%s does not belong into Git: it is %s", r.LeftOut[0].ID, r.LeftOut[0].Reason)
	}
	for _, secret := range r.Secrets {
		s.notes = append(s.notes, "left out: "+secret.ID.String()+"; encrypt it for Git, or copy it in plain text with --secrets")
	}
	if n := len(r.LeftOut); n > 0 {
		s.notes = append(s.notes, fmt.Sprintf("left out: %s that a controller or the cluster made, or accord delivers", phrase.Count(n, "object")))
	}
	for _, object := range r.Objects {
		s.manifests = append(s.manifests, object.Manifest)
	}
	if o.policy {
		s.policies = importer.Placement{Name: o.nameOf(s.manifests)}.Policies(r.Objects)
	}
	return s, nil
}

// nameOf returns the name of the policies.
func (o *Options) nameOf(manifests []*unstructured.Unstructured) func([]string) string {
	name := o.policyName
	if name == "" && len(manifests) == 1 {
		name = strings.ToLower(manifests[0].GetName() + "-" + manifests[0].GetKind())
	}
	return func([]string) string { return cmp.Or(name, "promoted-from-"+o.cluster) }
}
