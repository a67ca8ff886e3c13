package manager

import (
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	ctrlsource "sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// Clusters has mgr reconcile a Cluster when it changed, or when requested has it. Package member does not do so itself: an agent has no
// manager, and its program is smaller without the code of one.
func Clusters(mgr manager.Manager, name string, r reconcile.Reconciler, o controller.Options, when predicate.Predicate, requested ...ctrlsource.Source) error {
	b := ctrl.NewControllerManagedBy(mgr).Named(name).For(&v1alpha1.Cluster{}).WithEventFilter(when).WithOptions(o)
	for _, s := range requested {
		b = b.WatchesRawSource(s)
	}
	return b.Complete(r)
}
