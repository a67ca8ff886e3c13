// Package bootstrap creates the first Federation of a hub, which declares the others from Git.
package bootstrap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/progress"
	"github.com/accord-dev/accord/propagate/declared"
)

const long = `Keep the Federations of a hub in Git: create one Federation that declares every Federation whose manifest is below a path of a repository.
From then on a commit adds, changes and removes Federations. A commit that removes one needs the trailer "Accord-Prune: allow", and deletes
nothing on the clusters.

The command writes to the hub only. With --export it prints the manifest: commit it below the same path, and the Federation declares itself,
too. Run the command again to change the Federation while its manifest is not in Git.

A private repository needs a Secret of the namespace, with the keys that spec.sources[].secretRef has (kubectl explain federation.spec.sources).`

// options are the flags.
type options struct {
	hub      hub.Flags
	name     string
	source   v1alpha1.Source
	ref      v1alpha1.Ref
	secret   string
	interval time.Duration
	timeout  time.Duration
	export   bool
}

// Command returns "accord bootstrap".
func Command() *cobra.Command {
	o := &options{}
	c := &cobra.Command{
		Use:   "bootstrap --url URL [--path DIR]",
		Short: "Keep the Federations of the hub in Git",
		Long:  long,
		Example: `  accord bootstrap --url https://git.example.com/fleet.git --path federations
  accord bootstrap --url https://git.example.com/fleet.git --path federations --export > federations/bootstrap.yaml`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c.Context(), c.OutOrStdout(), c.ErrOrStderr()) },
	}
	f := c.Flags()
	o.hub.Register(f)
	namespace := f.StringP("namespace", "n", hub.SystemNamespace, "namespace of the Federation; it is created")
	f.StringVar(&o.name, "name", "federations", "name of the Federation")
	f.StringVar(&o.source.URL, "url", "", "repository: https://, ssh:// or user@host:path (required)")
	f.StringVar(&o.source.Path, "path", "", "directory of the manifests in the repository (default its root)")
	f.StringVar(&o.ref.Branch, "branch", "", "branch to follow (default that of the repository)")
	f.StringVar(&o.secret, "secret", "", "Secret with the credentials of the repository")
	f.DurationVar(&o.interval, "interval", time.Minute, "time between two readings of the repository")
	f.DurationVar(&o.timeout, "timeout", time.Minute, "maximum time to wait until the Federations are declared")
	f.BoolVar(&o.export, "export", false, "print the manifest, and write nothing")
	c.PreRun = func(*cobra.Command, []string) { o.hub.SetNamespace(*namespace, false) }
	return c
}

func (o *options) run(ctx context.Context, out, stderr io.Writer) error {
	switch {
	case o.source.URL == "":
		return errors.New("--url is required: name the repository that has the manifests of the Federations")
	case o.interval < time.Second || o.timeout <= 0:
		return errors.New("--interval must be at least 1s, and --timeout positive")
	}
	h, err := o.hub.Connect()
	if err != nil {
		return err
	}
	manifest := o.manifest(h.Namespace)
	if o.export {
		written, err := yaml.Marshal(manifest.Object)
		if err != nil {
			return err
		}
		_, err = out.Write(written)
		return err
	}
	if err := create(ctx, h, manifest); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(out, "federation %s/%s declares the Federations of %s\n", h.Namespace, o.name, address(o.source)); err != nil {
		return err
	}
	return o.await(ctx, h, out, stderr)
}

// address returns the repository with the path.
func address(s v1alpha1.Source) string {
	if s.Path == "" {
		return s.URL
	}
	return s.URL + ", directory " + s.Path
}

// manifest returns the Federation as an apply configuration, with the fields that the flags set.
func (o *options) manifest(namespace string) *unstructured.Unstructured {
	source := map[string]any{"name": "main", "url": o.source.URL}
	if o.source.Path != "" {
		source["path"] = o.source.Path
	}
	if o.ref.Branch != "" {
		source["ref"] = map[string]any{"branch": o.ref.Branch}
	}
	if o.secret != "" {
		source["secretRef"] = map[string]any{"name": o.secret}
	}
	u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{
		"declareFederations": true, "prune": true, "interval": o.interval.String(), "sources": []any{source},
	}}}
	u.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("Federation"))
	u.SetNamespace(namespace)
	u.SetName(o.name)
	return u
}

// create applies the Federation as the owner of the fields that come from Git: its manifest can be committed later.
func create(ctx context.Context, h *hub.Hub, manifest *unstructured.Unstructured) error {
	ns := &corev1.Namespace{}
	ns.Name = manifest.GetNamespace()
	if err := h.Get(ctx, client.ObjectKeyFromObject(ns), ns); apierrors.IsNotFound(err) {
		if err := h.Create(ctx, ns); err != nil && !apierrors.IsAlreadyExists(err) {
			return h.Wrap("creating namespace "+ns.Name, err)
		}
	} // who may not read it may still write into it
	err := h.Apply(ctx, client.ApplyConfigurationFromUnstructured(manifest), client.FieldOwner(declared.FieldManager))
	if apierrors.IsConflict(err) {
		return fmt.Errorf("federation %s/%s exists with other values, which somebody else set: change them there, or choose another --name (%w)", ns.Name, manifest.GetName(), err)
	}
	return h.Wrap("creating the Federation", err)
}

// await waits until the controllers have read the repository, and prints the Federations that it declares.
func (o *options) await(ctx context.Context, h *hub.Hub, out, stderr io.Writer) error {
	fed, err := h.Federation(ctx, h.Namespace+"/"+o.name)
	if err != nil {
		return err
	}
	request, err := h.RequestReconciliation(ctx, fed)
	if err != nil {
		return err
	}
	now, err := h.WaitForReconciliation(ctx, fed, request, time.Now().Add(o.timeout), stderr)
	if err != nil {
		return fmt.Errorf("reading %s: %w", o.source.URL, err)
	}
	if problem := progress.SourceError(now); problem != "" {
		return fmt.Errorf("reading %s: %s", o.source.URL, problem)
	}
	if err := refused(now); err != nil {
		return err
	}
	list := &v1alpha1.FederationList{}
	if err := h.List(ctx, list, client.MatchingLabels{v1alpha1.SourceLabel: now.Declarer()}); err != nil {
		return h.Wrap("listing the Federations", err)
	}
	slices.SortFunc(list.Items, func(a, b v1alpha1.Federation) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	for _, f := range list.Items {
		if _, err := fmt.Fprintf(out, "federation %s/%s declared\n", f.Namespace, f.Name); err != nil {
			return err
		}
	}
	if len(list.Items) == 0 {
		_, err = fmt.Fprintf(out, "%s declares no Federation: commit a manifest of kind Federation, then run \"accord reconcile %s/%s\"\n", address(o.source), h.Namespace, o.name)
	}
	return err
}

// refused returns why the newest commit is not active; nil if it is, or about to be.
func refused(fed *v1alpha1.Federation) error {
	if ready := progress.Condition(fed.Status.Conditions, fed.Generation, "Ready"); ready != nil && ready.Status == metav1.ConditionFalse {
		return errors.New(ready.Message)
	}
	return nil
}
