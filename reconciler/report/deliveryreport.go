package report

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/deliveryreport"
)

// publishReport writes the DeliveryReport of a cluster that this replica owns and another one reports on, if it changed. With grow it writes
// only a report whose inventory has more entries than the hub: a delivery waits for that.
func (r *Reporter) publishReport(ctx context.Context, f *state.Federation, cluster string, grow bool) error {
	defer r.lock(deliveryLock(f, cluster))()
	if wait := f.ReportWaits(cluster, time.Now().Add(-r.gather())); wait > 0 && !grow {
		r.update(changes.Update{Status: changes.Status{Federation: f.Key(), Cluster: cluster}, Delay: wait})
		return nil
	}
	report, published, due := f.DeliveryReport(cluster, time.Now())
	r.Enqueue(due)
	if report == nil || grow && published.HasInventory(report.Status.ApplyResult.Inventory) {
		return nil
	}
	patch, next, err := published.Patch(report)
	if err != nil || len(patch) == 0 {
		return err
	}
	if err := r.patchReport(ctx, report, patch); err != nil {
		f.ReportPublished(cluster, deliveryreport.Published{})
		return fmt.Errorf("writing the report about cluster %s to the hub: %w", cluster, err)
	}
	f.ReportPublished(cluster, next)
	r.wrote(changes.Status{Federation: f.Key(), Cluster: cluster})
	return nil
}

// patchReport sends the changes of a report, and creates it if it does not exist.
func (r *Reporter) patchReport(ctx context.Context, report *v1alpha1.DeliveryReport, operations []deliveryreport.PatchOperation) error {
	patch, err := json.Marshal(operations)
	if err != nil {
		return err
	}
	name := &v1alpha1.DeliveryReport{ObjectMeta: metav1.ObjectMeta{Namespace: report.Namespace, Name: report.Name}}
	err = r.hub.Patch(ctx, name, client.RawPatch(types.JSONPatchType, patch))
	if apierrors.IsNotFound(err) {
		return r.hub.Create(ctx, report)
	}
	return err
}
