package local

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/clusterroleaggregation"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"
	"k8s.io/kubernetes/pkg/controller/namespace"

	"github.com/accord-dev/accord/clusters/local/internal/logs"
)

const (
	namespaceResync = 5 * time.Minute
	discoveryPeriod = 30 * time.Second // a kind made by a new CRD is collected after at most this long
)

// startHousekeeping runs the three controllers without which an API server does not keep its own promises: a
// deleted namespace would stay Terminating for ever, dependents would outlive their owners, and the roles
// view, edit and admin would allow nothing. The function returned ends them and waits.
func startHousekeeping(c *rest.Config, log *slog.Logger) (stop func() error, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer func() {
		if err != nil {
			cancel()
		}
	}()
	ctx = klog.NewContext(ctx, logs.Quiet(log, "housekeeping"))
	c = rest.CopyConfig(c)
	c.UserAgent = "accord-housekeeping"
	client, err := kubernetes.NewForConfig(c)
	if err != nil {
		return nil, fmt.Errorf("connecting the housekeeping controllers: %w", err)
	}
	objects, err := metadata.NewForConfig(c)
	if err != nil {
		return nil, fmt.Errorf("connecting the housekeeping controllers: %w", err)
	}
	typed := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTransform(forHousekeeping))
	partial := metadataInformers{metadatainformer.NewSharedInformerFactoryWithOptions(objects, 0, metadatainformer.WithTransform(forHousekeeping))}
	started := make(chan struct{})
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client.Discovery()))
	collector, err := garbagecollector.NewGarbageCollector(ctx, client, objects, mapper, ignoredByCollector(), partial, started)
	if err != nil {
		return nil, fmt.Errorf("making the garbage collector: %w", err)
	}
	namespaces := namespace.NewNamespaceController(ctx, client, objects, client.Discovery().ServerPreferredNamespacedResources,
		typed.Core().V1().Namespaces(), namespaceResync, corev1.FinalizerKubernetes)
	roles := clusterroleaggregation.NewClusterRoleAggregation(typed.Rbac().V1().ClusterRoles(), client.RbacV1())

	typed.Start(ctx.Done())
	close(started)
	var running sync.WaitGroup
	running.Go(func() { namespaces.Run(ctx, 2) })
	running.Go(func() { roles.Run(ctx, 1) })
	running.Go(func() { collector.Run(ctx, 2, discoveryPeriod) })
	running.Go(func() { collector.Sync(ctx, client.Discovery(), discoveryPeriod) })
	return func() error {
		cancel()
		running.Wait()
		typed.Shutdown()
		partial.Shutdown()
		return nil
	}, nil
}

// forHousekeeping removes from an object that an informer keeps the metadata that no controller here reads. It is most of the metadata.
func forHousekeeping(object any) (any, error) {
	if o, err := meta.Accessor(object); err == nil { // otherwise the informer missed a deletion, and has only the last state
		o.SetManagedFields(nil)
		o.SetAnnotations(nil)
	}
	return object, nil
}

func ignoredByCollector() map[schema.GroupResource]struct{} {
	ignored := map[schema.GroupResource]struct{}{}
	for r := range garbagecollector.DefaultIgnoredResources() {
		ignored[r] = struct{}{}
	}
	return ignored
}

// metadataInformers gives the garbage collector the metadata of the objects of every kind; kube-controller-manager shares its full caches here, which a hub does not have.
type metadataInformers struct {
	metadatainformer.SharedInformerFactory
}

func (m metadataInformers) ForResource(r schema.GroupVersionResource) (informers.GenericInformer, error) {
	return m.SharedInformerFactory.ForResource(r), nil
}
