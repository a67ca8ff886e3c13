package reconciler

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/status"
)

// dispatched is what the hub was told of a leg by this replica, entry by entry, so that only what is new is sent. It is
// guarded by the mutex of the federation.
type dispatched struct {
	// begun: the report on the hub is ours.
	begun bool
	// head is a hash of all but the objects, and objects have one each, by entry.
	head    uint64
	objects map[string]uint64
}

// dispatch tells the hub what is known of a cluster that this replica holds, if that is news.
func (r *reporter) dispatch(ctx context.Context, f *federation, cluster string) error {
	f.telling.deliveries.Lock()
	defer f.telling.deliveries.Unlock()
	f.mu.Lock()
	l := f.legs[cluster]
	if l == nil || l.delivery.Name == "" || r.engine.elsewhere(cluster) {
		f.mu.Unlock()
		return nil
	}
	r.tellFights(f, l)
	report := r.engine.reportOf(f, l)
	before := l.dispatched
	f.mu.Unlock()
	change, told, err := before.news(report)
	if err != nil || len(change) == 0 {
		return err
	}
	err = r.send(ctx, report, change)
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil {
		l.dispatched = dispatched{}
		return fmt.Errorf("reporting of cluster %s to the hub: %w", cluster, err)
	}
	l.dispatched = told
	r.wrote(entry{federation: f.key, cluster: cluster})
	return nil
}

// send a change of a report, which is made if it is not there.
func (r *reporter) send(ctx context.Context, report *v1alpha1.DeliveryReport, change []patchOp) error {
	patch, err := json.Marshal(change)
	if err != nil {
		return err
	}
	name := &v1alpha1.DeliveryReport{ObjectMeta: metav1.ObjectMeta{Namespace: report.Namespace, Name: report.Name}}
	err = r.engine.share.hub.Patch(ctx, name, client.RawPatch(types.JSONPatchType, patch))
	if apierrors.IsNotFound(err) {
		return r.engine.share.hub.Create(ctx, report)
	}
	return err
}

// patchOp is one operation of a JSON patch.
type patchOp struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// news are the changes that make what was told what is so; none if it is. told is what is told then.
func (d dispatched) news(report *v1alpha1.DeliveryReport) (change []patchOp, told dispatched, err error) {
	told = dispatched{begun: true, objects: make(map[string]uint64, len(report.Status.Objects))}
	head := []patchOp{
		{"add", "/spec", report.Spec}, {"add", "/status/replica", report.Status.Replica},
		{"add", "/status/observedDelivery", report.Status.ObservedDelivery}, {"add", "/status/connectivity", report.Status.Connectivity},
		{"add", "/status/applyResult", report.Status.ApplyResult}, {"add", "/status/synced", report.Status.Synced},
		{"add", "/status/discoveredObjects", report.Status.DiscoveredObjects},
	}
	if told.head, err = hashOf(head); err != nil {
		return nil, told, err
	}
	var objects []patchOp
	for entry, o := range report.Status.Objects {
		if told.objects[entry], err = hashOf(o); err != nil {
			return nil, told, err
		}
		if d.objects[entry] != told.objects[entry] {
			objects = append(objects, patchOp{"add", pathOf(entry), o})
		}
	}
	for entry := range d.objects {
		if _, there := told.objects[entry]; !there {
			objects = append(objects, patchOp{Op: "remove", Path: pathOf(entry)})
		}
	}
	switch {
	case !d.begun: // what stands there may be another replica's
		return append(head, patchOp{"add", "/status/objects", report.Status.Objects}), told, nil
	case d.head == told.head:
		return objects, told, nil
	}
	return append(head, objects...), told, nil
}

// pathOf the object of an inventory entry, as a JSON pointer.
func pathOf(entry string) string {
	return "/status/objects/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(entry)
}

func hashOf(value any) (uint64, error) {
	text, err := json.Marshal(value)
	return xxhash.Sum64(text), err
}

// reportOf a leg is all that is judged about it. The caller holds f.mu.
func (e *engine) reportOf(f *federation, l *leg) *v1alpha1.DeliveryReport {
	r := &v1alpha1.DeliveryReport{
		ObjectMeta: f.meta(l.delivery.Name),
		Spec:       v1alpha1.DeliveryReportSpec{Federation: f.key.Name, Cluster: l.cluster},
		Status: v1alpha1.DeliveryReportStatus{
			Replica: e.share.replica, ObservedDelivery: l.order, Connectivity: e.reported(l.cluster), Synced: l.listed,
			Objects: map[string]v1alpha1.ReportedObject{}, DiscoveredObjects: []v1alpha1.DiscoveredObject{},
			ApplyResult: v1alpha1.ApplyResult{
				Started: l.run.Started, Finished: l.run.Finished, Terminal: l.news.final, Error: l.run.Error, PruneBlocked: l.run.PruneBlocked,
				Drift: l.run.Drift, ContendedObjects: l.run.Contended, Inventory: l.inventory(), Orphaned: l.run.Orphaned,
			},
		},
	}
	r.Labels[v1alpha1.ClusterLabel] = l.cluster
	r.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: v1alpha1.GroupVersion.String(), Kind: "Delivery", Name: l.delivery.Name, UID: l.delivery.UID,
	}}
	for id, err := range l.errors {
		if r.Status.ApplyResult.Errors == nil {
			r.Status.ApplyResult.Errors = map[string]string{}
		}
		r.Status.ApplyResult.Errors[id.Entry()] = err
	}
	for id, seen := range l.live.All() {
		report, _ := l.reports.Get(id) // told together with what is there
		r.Status.Objects[id.Entry()] = reportedObject(id, l.wants.of(id), seen, report, l.answers[id])
	}
	if x := f.finds[l.cluster]; x.needed() {
		for _, o := range x.objects {
			r.Status.DiscoveredObjects = append(r.Status.DiscoveredObjects, v1alpha1.DiscoveredObject{Object: o.ID.Entry(), Replicas: o.Replicas, Completions: o.Completions})
		}
	}
	return r
}

// inventory as it was recorded last: by this process, or by one before it.
func (l *leg) inventory() []string {
	if l.run.Inventory != nil {
		return l.run.Inventory
	}
	return l.delivery.Status.Inventory
}

// reported is whether a cluster answers, as the hub is told.
func (e *engine) reported(cluster string) v1alpha1.Connectivity {
	why, heard := e.reach(cluster)
	r := v1alpha1.Connectivity{Unreachable: why}
	if !heard.IsZero() && why != "" {
		r.LastProbeTime = &metav1.Time{Time: heard.UTC().Truncate(time.Second)}
	}
	if silence := e.silence(cluster); why != "" {
		r.Reason = silence.Reason
		if !silence.Since.IsZero() {
			r.OpenSince = &metav1.Time{Time: silence.Since.UTC().Truncate(time.Second)}
			r.Retry = &metav1.Duration{Duration: silence.Retry}
		}
	}
	return r
}

func reportedObject(id manifest.ID, w want, seen live.Object, r status.Report, answers map[string]any) v1alpha1.ReportedObject {
	o := v1alpha1.ReportedObject{
		Version: seen.GVK.Version, Digest: seen.Digest, Generation: r.Generation, ObservedGeneration: r.ObservedGeneration, Observes: r.Observes,
		Health: string(r.Health), Message: r.Message, Status: rawOf(r.Status.Map()), Answers: rawOf(answers),
		Labels: seen.Labels, Preserve: seen.Preserve, Adopted: seen.Adopted,
	}
	if id.IsSecret() {
		o.Digest = ""
		if seen.Digest == w.digest {
			o.Digest = v1alpha1.DigestWanted
		}
	}
	return o
}

// rawOf is nil for nothing.
func rawOf(m map[string]any) *apiextensionsv1.JSON {
	if m == nil {
		return nil
	}
	raw, err := json.Marshal(m)
	if err != nil {
		return nil // it was read from JSON
	}
	return &apiextensionsv1.JSON{Raw: raw}
}
