package search

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/clusters/search"
)

// statusTime is the time between two looks at the caches for the status of ResourceRegistries.
const statusTime = 2 * time.Second

// Registries starts and ends the caches that ResourceRegistries name, and writes the status of ResourceRegistries: the state of the caches is
// in this process only, and no loop of package reconciler knows it.
type Registries struct {
	Hub    client.Client
	Caches *search.Set
	// Leads reports whether this process writes the status: each replica has caches of its own.
	Leads func() bool
	Log   *slog.Logger

	watched cache.Cache
	changed chan struct{}
}

// Run watches ResourceRegistries and Clusters until ctx ends. An error means that the hub's configuration is wrong.
func (r *Registries) Run(ctx context.Context, cfg *rest.Config, scheme *runtime.Scheme) error {
	r.changed = make(chan struct{}, 1)
	var err error
	r.watched, err = cache.New(cfg, cache.Options{Scheme: scheme, DefaultTransform: traitsOnly})
	if err != nil {
		return fmt.Errorf("watching ResourceRegistries: %w", err)
	}
	notify := func(any) {
		select {
		case r.changed <- struct{}{}:
		default: // it is known
		}
	}
	for _, object := range []client.Object{&v1alpha1.Cluster{}, &v1alpha1.ResourceRegistry{}} {
		informer, err := r.watched.GetInformer(ctx, object, cache.BlockUntilSynced(false))
		if err != nil {
			return fmt.Errorf("watching ResourceRegistries: %w", err)
		}
		handler := toolscache.ResourceEventHandlerFuncs{AddFunc: notify, DeleteFunc: notify, UpdateFunc: func(_, object any) { notify(object) }}
		if _, err := informer.AddEventHandler(handler); err != nil {
			return fmt.Errorf("watching ResourceRegistries: %w", err)
		}
	}
	go func() { _ = r.watched.Start(ctx) }() // it ends with ctx
	if !r.watched.WaitForCacheSync(ctx) {
		return nil
	}
	tick := time.NewTicker(statusTime)
	defer tick.Stop()
	for r.reconcile(ctx); ; {
		select {
		case <-ctx.Done():
			r.Caches.Wait()
			return nil
		case <-r.changed:
			r.reconcile(ctx)
		case <-tick.C:
			r.report(ctx)
		}
	}
}

// traitsOnly drops from Clusters what affinities do not select by.
func traitsOnly(object any) (any, error) {
	if c, ok := object.(*v1alpha1.Cluster); ok {
		c.ManagedFields = nil
		c.Status = v1alpha1.ClusterStatus{}
	}
	return object, nil
}

// read returns the ResourceRegistries and the Clusters.
func (r *Registries) read(ctx context.Context) ([]v1alpha1.ResourceRegistry, []fleet.Cluster, error) {
	var all v1alpha1.ResourceRegistryList
	var clusters v1alpha1.ClusterList
	if err := r.watched.List(ctx, &all); err != nil {
		return nil, nil, err
	}
	if err := r.watched.List(ctx, &clusters); err != nil {
		return nil, nil, err
	}
	return all.Items, fleet.FromAll(clusters.Items, map[string]manifest.Origin{}), nil
}

func (r *Registries) reconcile(ctx context.Context) {
	all, clusters, err := r.read(ctx)
	if err != nil {
		r.Log.Error("cannot read ResourceRegistries", "error", err)
		return
	}
	kinds, wanted := demand(all, clusters)
	r.Caches.Want(ctx, kinds, wanted)
	r.report(ctx)
}

// demand returns the kinds and the caches that ResourceRegistries name. Registries share the caches.
func demand(all []v1alpha1.ResourceRegistry, clusters []fleet.Cluster) ([]schema.GroupVersionKind, map[search.Key]search.Scope) {
	var kinds []schema.GroupVersionKind
	wanted := map[search.Key]search.Scope{}
	for _, registry := range all {
		if registry.DeletionTimestamp != nil {
			continue
		}
		for _, s := range registry.Spec.ResourceSelectors {
			kind := schema.FromAPIVersionAndKind(s.APIVersion, s.Kind)
			kinds = append(kinds, kind)
			scope := search.Scope(nil)
			if s.Namespace != "" {
				scope = search.Scope{s.Namespace}
			}
			for _, c := range selected(registry, clusters) {
				key := search.Key{Cluster: c, Kind: kind}
				if before, known := wanted[key]; known {
					wanted[key] = before.With(scope)
				} else {
					wanted[key] = scope
				}
			}
		}
	}
	slices.SortFunc(kinds, func(a, b schema.GroupVersionKind) int { return cmp.Compare(a.String(), b.String()) })
	return slices.Compact(kinds), wanted
}

// selected returns the names of the clusters that a ResourceRegistry selects, sorted.
func selected(r v1alpha1.ResourceRegistry, clusters []fleet.Cluster) []string {
	var names []string
	for _, c := range clusters {
		if ok, _, _ := c.Matches(affinity(r.Spec.TargetCluster)); ok && !c.Leaving {
			names = append(names, c.Name)
		}
	}
	slices.Sort(names)
	return names
}

// affinity returns the affinity of a policy that selects the same clusters.
func affinity(a v1alpha1.RegistryAffinity) policy.ClusterAffinity {
	same := policy.ClusterAffinity{LabelSelector: a.LabelSelector, ClusterNames: a.ClusterNames, Exclude: a.Exclude}
	if a.FieldSelector != nil {
		same.FieldSelector = &policy.FieldSelector{MatchExpressions: a.FieldSelector.MatchExpressions}
	}
	return same
}

// report writes the status of ResourceRegistries that differs.
func (r *Registries) report(ctx context.Context) {
	if !r.Leads() {
		return
	}
	all, clusters, err := r.read(ctx)
	if err != nil {
		return // reconcile logs it
	}
	states := r.Caches.States()
	for _, registry := range all {
		next := registry.DeepCopy()
		statusOf(next, selected(registry, clusters), states)
		if equality.Semantic.DeepEqual(next.Status, registry.Status) {
			continue
		}
		if err := r.Hub.Status().Patch(ctx, next, client.MergeFrom(&registry)); err != nil && client.IgnoreNotFound(err) != nil && ctx.Err() == nil {
			r.Log.Error("cannot write the status of a ResourceRegistry", "name", registry.Name, "error", err)
		}
	}
}

// mostClusters bounds the clusters in a status.
const mostClusters = 100

// statusOf sets the status of a ResourceRegistry.
func statusOf(r *v1alpha1.ResourceRegistry, clusters []string, states map[search.Key]search.State) {
	s := &r.Status
	before := map[string]v1alpha1.RegistryCluster{}
	for _, c := range s.Clusters {
		before[c.Name] = c
	}
	s.ObservedGeneration, s.Objects, s.Clusters, s.OmittedClusters = r.Generation, 0, nil, 0
	current := 0
	for _, name := range clusters {
		c := clusterState(r, name, states)
		if known, ok := before[name]; ok && known.State == c.State {
			c.Since = known.Since
		}
		s.Objects += c.Objects
		if c.State == v1alpha1.RegistryCurrent {
			current++
		}
		s.Clusters = append(s.Clusters, c)
	}
	if len(s.Clusters) > mostClusters {
		slices.SortStableFunc(s.Clusters, func(a, b v1alpha1.RegistryCluster) int {
			return rank(a.State) - rank(b.State)
		})
		s.OmittedClusters = int64(len(s.Clusters) - mostClusters)
		s.Clusters = s.Clusters[:mostClusters]
	}
	s.Display = fmt.Sprintf("%d/%d", current, len(clusters))
	ready := metav1.Condition{Type: "Ready", Status: metav1.ConditionTrue, Reason: "Current", ObservedGeneration: r.Generation, Message: "the caches follow all selected clusters"}
	switch {
	case len(clusters) == 0:
		ready.Status, ready.Reason, ready.Message = metav1.ConditionFalse, "NoClusterFits", "targetCluster selects no cluster"
	case current < len(clusters):
		ready.Status, ready.Reason = metav1.ConditionFalse, "NotCurrent"
		ready.Message = fmt.Sprintf("the caches of %d of %d clusters are not current: status.clusters has the reason of each", len(clusters)-current, len(clusters))
	}
	s.Message = ready.Message
	meta.SetStatusCondition(&s.Conditions, ready)
	if r.Spec.BackendStore != nil {
		meta.SetStatusCondition(&s.Conditions, metav1.Condition{
			Type: "BackendStoreIgnored", Status: metav1.ConditionTrue, Reason: "NotSupported", ObservedGeneration: r.Generation, Message: "spec.backendStore has no effect: accord keeps the objects in memory",
		})
	} else {
		meta.RemoveStatusCondition(&s.Conditions, "BackendStoreIgnored")
	}
}

func rank(state string) int {
	if state == v1alpha1.RegistryCurrent {
		return 1
	}
	return 0
}

// clusterState returns the state of the caches of one cluster: the worst of its kinds.
func clusterState(r *v1alpha1.ResourceRegistry, cluster string, states map[search.Key]search.State) v1alpha1.RegistryCluster {
	c := v1alpha1.RegistryCluster{Name: cluster, State: v1alpha1.RegistryCurrent, Since: &metav1.Time{Time: time.Now().Truncate(time.Second)}}
	worst := func(state, message string) {
		order := []string{v1alpha1.RegistryCurrent, v1alpha1.RegistryStale, v1alpha1.RegistryPending, v1alpha1.RegistryUnavailable}
		if slices.Index(order, state) > slices.Index(order, c.State) {
			c.State, c.Message = state, message
		}
	}
	for _, s := range r.Spec.ResourceSelectors {
		kind := schema.FromAPIVersionAndKind(s.APIVersion, s.Kind)
		state, known := states[search.Key{Cluster: cluster, Kind: kind}]
		c.Objects += int64(state.Objects)
		switch {
		case known && state.Listed && !state.Served:
			c.NotServed = append(c.NotServed, kind.Kind)
		case !known || !state.Listed && state.Err == nil:
			worst(v1alpha1.RegistryPending, "reading "+kind.Kind)
		case !state.Listed:
			worst(v1alpha1.RegistryUnavailable, fmt.Sprintf("%s: %.500s", kind.Kind, oneLine(state.Err.Error())))
		case state.Err != nil:
			worst(v1alpha1.RegistryStale, fmt.Sprintf("%s: %.500s", kind.Kind, oneLine(state.Err.Error())))
		}
	}
	return c
}
