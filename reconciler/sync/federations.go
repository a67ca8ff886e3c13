package sync

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/control"
	"github.com/accord-dev/accord/propagate/declared"
	"github.com/accord-dev/accord/propagate/tenancy"
)

// federations declares the Federations of one revision on the hub.
type federations struct {
	hub      client.Client
	uncached client.Reader
	by       *v1alpha1.Federation // declares them
	rules    *tenancy.Rules
	// allowPrune is set if a commit of the revision has the trailer that allows to delete Federations.
	allowPrune bool
	// dryRun has the hub check each write, and writes nothing.
	dryRun bool
}

// declare makes the Federations of the hub as Git declares them. A Federation that left Git is deleted if the one that declares it
// prunes; never that one itself, and none with a field that others set. A *manifest.Error is a mistake in Git.
func (x federations) declare(ctx context.Context, wanted []control.Federation) error {
	if !x.by.Spec.DeclareFederations {
		return nil
	}
	present := &v1alpha1.FederationList{}
	if err := x.uncached.List(ctx, present); err != nil {
		return fmt.Errorf("listing federations: %w", err)
	}
	for _, f := range wanted {
		if err := x.apply(ctx, f, present.Items); err != nil {
			return err
		}
	}
	for i := range present.Items {
		p := &present.Items[i]
		if !x.left(p, wanted) {
			continue
		}
		if !x.allowPrune {
			return &manifest.Error{Message: fmt.Sprintf("federation %s/%s left Git, and its deletion from the hub needs the trailer %q in the message of the commit: add it, or restore the manifest",
				p.Namespace, p.Name, v1alpha1.PruneTrailer+": "+v1alpha1.PruneAllow)}
		}
		if err := x.delete(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// apply writes the fields that Git sets of one Federation, and creates its namespace.
func (x federations) apply(ctx context.Context, f control.Federation, present []v1alpha1.Federation) error {
	i := slices.IndexFunc(present, func(p v1alpha1.Federation) bool { return p.Namespace == f.Namespace && p.Name == f.Name })
	if i >= 0 {
		if other := present[i].Labels[v1alpha1.SourceLabel]; other != "" && other != x.by.Declarer() {
			return &manifest.Error{Origin: f.Origin, Message: fmt.Sprintf("federation %s/%s: %v %s", f.Namespace, f.Name, errDeclared, other)}
		}
	} else if made, err := x.createNamespace(ctx, f.Namespace); err != nil || !made {
		return err
	}
	u, err := federationFields(f.Federation, x.by.Declarer())
	if err != nil {
		return err
	}
	options := []client.ApplyOption{declarer}
	if x.dryRun {
		options = append(options, client.DryRunAll)
	}
	return federationMistake(f, x.hub.Apply(ctx, client.ApplyConfigurationFromUnstructured(u), options...))
}

// federationMistake returns the *manifest.Error for an answer of the hub that the author of the manifest, or the administrator, has to
// change something about; any other error as it is.
func federationMistake(f control.Federation, err error) error {
	if err == nil {
		return nil
	}
	refused, owned := errors.AsType[*declared.Refusal](refusal("", err))
	switch {
	case owned:
		return &manifest.Error{Origin: f.Origin, Message: fmt.Sprintf("federation %s/%s: %q set %s on the hub, and Git does not take a field from others; remove the field from the manifest, or write the value that the hub has",
			f.Namespace, f.Name, refused.Owner, refused.Field)}
	case apierrors.IsForbidden(err):
		return &manifest.Error{Origin: f.Origin, Message: fmt.Sprintf("federation %s/%s: accord has no right to declare Federations on the hub: print its rights with \"accord install --declare-federations\" (%v)",
			f.Namespace, f.Name, err)}
	case apierrors.IsInvalid(err), apierrors.IsBadRequest(err):
		return &manifest.Error{Origin: f.Origin, Message: fmt.Sprintf("federation %s/%s: %v", f.Namespace, f.Name, err)}
	}
	return fmt.Errorf("federation %s/%s: %w", f.Namespace, f.Name, err)
}

func isManifestError(err error) bool {
	_, is := errors.AsType[*manifest.Error](err)
	return is
}

// createNamespace creates a namespace of the hub that does not exist. It returns false if a dry-run has nothing to write into.
func (x federations) createNamespace(ctx context.Context, name string) (exists bool, err error) {
	ns := &corev1.Namespace{}
	ns.Name = name
	options := []client.CreateOption{declarer}
	if x.dryRun {
		options = append(options, client.DryRunAll)
	}
	err = x.hub.Create(ctx, ns, options...)
	switch {
	case apierrors.IsAlreadyExists(err):
		return true, nil
	case err == nil:
		return !x.dryRun, nil
	case apierrors.IsForbidden(err): // it may exist: then the next write succeeds
		return true, nil
	}
	return false, fmt.Errorf("namespace %s: %w", name, err)
}

// left reports whether a Federation of the hub is to be deleted because Git does not declare it any more.
func (x federations) left(p *v1alpha1.Federation, wanted []control.Federation) bool {
	return p.Labels[v1alpha1.SourceLabel] == x.by.Declarer() && p.UID != x.by.UID && p.DeletionTimestamp == nil && x.by.Spec.Prune &&
		(x.rules == nil || x.rules.Tenant.Spec.Has(v1alpha1.DeclareFederations)) && !setByOthers(p.ManagedFields) &&
		!slices.ContainsFunc(wanted, func(f control.Federation) bool { return f.Namespace == p.Namespace && f.Name == p.Name })
}

// delete deletes a Federation, which deletes nothing on the clusters.
func (x federations) delete(ctx context.Context, p *v1alpha1.Federation) error {
	options := []client.DeleteOption{client.Preconditions{UID: &p.UID}}
	if x.dryRun {
		options = append(options, client.DryRunAll)
	}
	if err := x.hub.Delete(ctx, p, options...); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("federation %s/%s left Git: %w", p.Namespace, p.Name, err)
	}
	return nil
}

// setByOthers reports whether somebody beside Git owns fields of the spec of an object.
func setByOthers(fields []metav1.ManagedFieldsEntry) bool {
	return slices.ContainsFunc(fields, func(m metav1.ManagedFieldsEntry) bool {
		return m.Manager != string(declarer) && m.Subresource == "" && m.FieldsV1 != nil && strings.Contains(string(m.FieldsV1.Raw), `"f:spec"`)
	})
}

// federationFields returns the fields that Git declares of a Federation, as an apply configuration.
func federationFields(f v1alpha1.Federation, by string) (*unstructured.Unstructured, error) {
	spec, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&f.Spec)
	if err != nil {
		return nil, err
	}
	u := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	u.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("Federation"))
	u.SetNamespace(f.Namespace)
	u.SetName(f.Name)
	u.SetAnnotations(f.Annotations)
	u.SetLabels(declaredLabels(f.Labels, by))
	return u, nil
}

// declaredLabels returns labels of Git with the one that names the Federation that declares the object.
func declaredLabels(labels map[string]string, by string) map[string]string {
	all := maps.Clone(labels)
	if all == nil {
		all = map[string]string{}
	}
	all[v1alpha1.SourceLabel] = by
	return all
}

// declaredFederations lists the Federations of the hub that one declares: a plan is made again when one is missing.
func (c *Controller) declaredFederations(ctx context.Context, fed *v1alpha1.Federation) (string, error) {
	if !fed.Spec.DeclareFederations {
		return "", nil
	}
	list := &v1alpha1.FederationList{}
	if err := c.List(ctx, list, client.MatchingLabels{v1alpha1.SourceLabel: fed.Declarer()}); err != nil {
		return "", fmt.Errorf("listing federations: %w", err)
	}
	names := make([]string, len(list.Items))
	for i, f := range list.Items {
		names[i] = f.Namespace + "/" + f.Name
	}
	slices.Sort(names)
	return strings.Join(names, " "), nil
}

// federations returns what declares the Federations of a commit.
func (c *Controller) federations(s *scope, allowPrune, dryRun bool) federations {
	return federations{hub: c.Client, uncached: c.Secrets, by: s.fed, rules: s.rules, allowPrune: allowPrune, dryRun: dryRun}
}

// declareFederations writes the Federations of the plan to the hub.
func (c *Controller) declareFederations(ctx context.Context, s *scope) (bool, error) {
	err := c.federations(s, s.pending.Input.AllowPrune, false).declare(ctx, s.pending.Federations)
	return err == nil, err
}
