package sync

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/declared"
	"github.com/accord-dev/accord/propagate/taint"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/activation"
	"github.com/accord-dev/accord/reconciler/store"
)

// declarer owns the fields of Clusters that come from Git. It takes no field from others: a commit that sets a field which
// `accord join` or a person set otherwise is refused.
const declarer = client.FieldOwner(declared.FieldManager)

// errDeclared is the error of a cluster that two Federations declare.
var errDeclared = errors.New("it is already declared by federation")

// isMistake reports whether the author of the commit has to fix err; any other error is the hub's, and is retried.
func isMistake(err error) bool {
	_, refused := errors.AsType[*declared.Refusal](err)
	return refused || errors.Is(err, errDeclared) || apierrors.IsInvalid(err) || apierrors.IsBadRequest(err)
}

// declaration has the Clusters that a commit declares, and the fleet as it is with them.
type declaration struct {
	fleet []v1alpha1.Cluster
	// adds has the names of the Clusters that the hub does not have. changes is set if the commit adds, changes or removes a Cluster.
	adds    []string
	changes bool
}

// declare returns the fleet with the Clusters of Git. A Cluster that this Federation declared and that left Git is deleted,
// unless somebody else set fields of it: then only the declared fields go. declare writes nothing with dryRun: the hub answers
// how each Cluster would be.
func (c *Controller) declare(ctx context.Context, fed *v1alpha1.Federation, wanted, present []v1alpha1.Cluster, dryRun bool) (declaration, error) {
	by := fed.Declarer()
	result := declaration{fleet: slices.Clone(present)}
	for _, d := range wanted {
		i := slices.IndexFunc(present, func(p v1alpha1.Cluster) bool { return p.Name == d.Name })
		if i >= 0 && present[i].Labels[v1alpha1.SourceLabel] != "" && present[i].Labels[v1alpha1.SourceLabel] != by {
			return declaration{}, fmt.Errorf("cluster %s: %w %s", d.Name, errDeclared, present[i].Labels[v1alpha1.SourceLabel])
		}
		if i >= 0 {
			if err := declared.Connection(present[i], d); err != nil {
				return declaration{}, err
			}
		}
		if d.Spec.Taints != nil {
			var before []corev1.Taint
			if i >= 0 {
				before = present[i].Spec.Taints
			}
			d.Spec.Taints = taint.Timed(d.Spec.Taints, before, time.Now())
		}
		u, err := declaredFields(d, by)
		if err != nil {
			return declaration{}, err
		}
		after, err := c.apply(ctx, u, dryRun)
		if refused := refusal(d.Name, err); refused != nil {
			return declaration{}, refused
		} else if err != nil {
			return declaration{}, fmt.Errorf("cluster %s: %w", d.Name, err)
		}
		result.fleet = without(result.fleet, d.Name)
		if after.DeletionTimestamp != nil {
			continue // it is declared again when it is gone
		}
		if i < 0 {
			result.adds = append(result.adds, d.Name)
		}
		result.changes = result.changes || i < 0 || !sameDeclaration(&present[i], after)
		result.fleet = append(result.fleet, *after)
	}
	for _, p := range present {
		if p.Labels[v1alpha1.SourceLabel] != by || slices.ContainsFunc(wanted, func(d v1alpha1.Cluster) bool { return d.Name == p.Name }) {
			continue
		}
		after, err := c.undeclare(ctx, p, dryRun)
		if err != nil {
			return declaration{}, fmt.Errorf("cluster %s left Git: %w", p.Name, err)
		}
		result.changes, result.fleet = true, without(result.fleet, p.Name)
		if after != nil {
			result.fleet = append(result.fleet, *after)
		}
	}
	byName(result.fleet)
	return result, nil
}

// refusal returns the error for the author of a manifest that sets fields which others own; nil if err is another one.
func refusal(cluster string, err error) error {
	status, ok := errors.AsType[*apierrors.StatusError](err)
	if !ok || !apierrors.IsConflict(err) || status.ErrStatus.Details == nil {
		return nil
	}
	return declared.Owners(cluster, status.ErrStatus.Details.Causes)
}

// sameDeclaration reports whether a Cluster has the same labels and the same spec before and after its declaration.
func sameDeclaration(before, after *v1alpha1.Cluster) bool {
	return equality.Semantic.DeepEqual(before.Labels, after.Labels) && equality.Semantic.DeepEqual(before.Spec, after.Spec)
}

// concerns reports whether a commit declares Clusters, or the Federation declared some of the hub.
func concerns(fed *v1alpha1.Federation, wanted, present []v1alpha1.Cluster) bool {
	by := fed.Declarer()
	return len(wanted) > 0 || slices.ContainsFunc(present, func(c v1alpha1.Cluster) bool { return c.Labels[v1alpha1.SourceLabel] == by })
}

// present lists the clusters of the hub, sorted, without those that are being deleted, and not from the cache, which may lack the
// Clusters that a plan declared a moment ago.
func (c *Controller) present(ctx context.Context) ([]v1alpha1.Cluster, error) {
	list := &v1alpha1.ClusterList{}
	if err := c.Secrets.List(ctx, list); err != nil {
		return nil, fmt.Errorf("listing clusters: %w", err)
	}
	return byName(remaining(list.Items)), nil
}

// without returns the clusters without the one of a name.
func without(members []v1alpha1.Cluster, name string) []v1alpha1.Cluster {
	return slices.DeleteFunc(members, func(c v1alpha1.Cluster) bool { return c.Name == name })
}

// apply returns the Cluster as it is afterwards, or would be.
func (c *Controller) apply(ctx context.Context, u *unstructured.Unstructured, dryRun bool) (*v1alpha1.Cluster, error) {
	options := []client.ApplyOption{declarer}
	if dryRun {
		options = append(options, client.DryRunAll)
	}
	if err := c.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(u), options...); err != nil {
		return nil, err
	}
	after := &v1alpha1.Cluster{}
	return after, runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, after)
}

// declaredFields returns the fields that Git declares of a Cluster, as an apply configuration.
func declaredFields(c v1alpha1.Cluster, by string) (*unstructured.Unstructured, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&c)
	if err != nil {
		return nil, err
	}
	spec, _ := content["spec"].(map[string]any)
	u := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	u.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("Cluster"))
	u.SetName(c.Name)
	u.SetLabels(declaredLabels(c.Labels, by))
	return u, nil
}

// undeclare deletes a cluster that only Git declares, and removes the declared fields of one that others know too, which
// it returns as it is then. With dryRun nothing is written.
func (c *Controller) undeclare(ctx context.Context, member v1alpha1.Cluster, dryRun bool) (*v1alpha1.Cluster, error) {
	shared := setByOthers(member.ManagedFields)
	switch {
	case !shared && dryRun:
		return nil, nil
	case !shared:
		return nil, client.IgnoreNotFound(c.Delete(ctx, &member))
	}
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("Cluster"))
	u.SetName(member.Name)
	return c.apply(ctx, u, dryRun)
}

// addFinalizers keeps deleted Clusters of a plan, from before the first delivery, until the Federation lists the objects that stay
// there. The removal controller handles a Cluster that was declared a moment ago and is not in the cache.
func (c *Controller) addFinalizers(ctx context.Context, f *state.Federation, p *activation.Pending) error {
	list := &v1alpha1.ClusterList{}
	if err := c.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil { // it is only read
		return fmt.Errorf("listing clusters: %w", err)
	}
	used := f.UsedClusters(p.Plan)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(finalizerWriters)
	for i := range list.Items {
		if member := &list.Items[i]; used[member.Name] {
			g.Go(func() error { return store.AddFinalizer(ctx, c.Client, member) })
		}
	}
	return g.Wait()
}

// finalizerWriters bounds the concurrent writes of finalizers.
const finalizerWriters = 8
