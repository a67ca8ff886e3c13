package deliver

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/propagate/applyset"
	"github.com/accord-dev/accord/reconciler/apply/live"
)

// A watch shows that an object changed, and the comparison of values begins with its generation and with the time of accord's entry,
// which has seconds. The audit compares every object with the wanted one, whatever the watch has shown.
const (
	// auditPeriod is the time over which the kinds of all Federations on a cluster are spread.
	auditPeriod = time.Hour
	// auditPage bounds the objects of one request, and auditGap is the least time between two requests to a cluster.
	auditPage = 100
	auditGap  = time.Second
)

// auditPause returns the time between two kinds.
func auditPause(kinds int) time.Duration {
	return max(auditPeriod/time.Duration(max(kinds, 1)), auditGap)
}

// audited is one kind of one Federation.
type audited struct {
	federation types.NamespacedName
	gvk        schema.GroupVersionKind
}

// audit compares all objects on the cluster once in auditPeriod, until ctx ends.
func (w *Worker) audit(ctx context.Context) {
	for {
		kinds := w.auditedKinds()
		for _, k := range kinds {
			if !sleep(ctx, auditPause(len(kinds))) {
				return
			}
			w.auditKind(ctx, k)
		}
		if len(kinds) == 0 && !sleep(ctx, auditPeriod/60) {
			return
		}
	}
}

// auditedKinds returns what is watched on the cluster.
func (w *Worker) auditedKinds() []audited {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []audited
	for federation, x := range w.watches {
		for _, gvk := range x.Kinds() {
			all = append(all, audited{federation, gvk})
		}
	}
	return all
}

// auditKind lists the objects of one kind, page by page. An error ends it: the next round begins again.
func (w *Worker) auditKind(ctx context.Context, k audited) {
	mapping, err := w.member.Kinds.Mapping(k.gvk)
	if err != nil || !w.reachable() {
		return
	}
	o := metav1.ListOptions{LabelSelector: v1alpha1.PartOfLabel + "=" + applyset.ID(k.federation.String()), Limit: auditPage}
	for {
		page, err := w.auditPage(ctx, mapping.Resource, o)
		if err != nil {
			return
		}
		for i := range page.Items {
			observer{w, k.federation}.audit(&page.Items[i])
		}
		if o.Continue = page.GetContinue(); o.Continue == "" || !sleep(ctx, auditGap) {
			return
		}
	}
}

func (w *Worker) auditPage(ctx context.Context, resource schema.GroupVersionResource, o metav1.ListOptions) (*unstructured.UnstructuredList, error) {
	ctx, cancel := context.WithTimeout(ctx, clusters.RequestTimeout)
	defer cancel()
	return w.member.Objects.Resource(resource).List(ctx, o)
}

// audit compares an object whatever was compared before. The watch brings any other version than the recorded one.
func (o observer) audit(u *unstructured.Unstructured) {
	o.put(u, func(before live.Object) bool { return before.Version == live.ParseVersion(u.GetResourceVersion()) })
}

// sleep waits, and reports false if ctx ended before.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}
