package registry

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/accord-dev/accord/api/delivery"
	"github.com/accord-dev/accord/apiserver/answer"
)

var _ rest.TableConvertor = (*bundleStorage)(nil)

var columns = []metav1.TableColumnDefinition{
	{Name: "Name", Type: "string", Format: "name", Description: "Name of the Cluster."},
	{Name: "Federations", Type: "integer", Description: "Federations that have objects for the cluster."},
	{Name: "Objects", Type: "integer", Description: "Objects of the bundle."},
	{Name: "Bytes", Type: "integer", Description: "Bytes of index and objects, uncompressed."},
	{Name: "Published", Type: "string", Description: "Time since the current index was published."},
	{Name: "Age", Type: "string", Description: "Time since this replica has a bundle for the cluster."},
	{Name: "Index", Type: "string", Priority: 1, Description: "SHA-256 digest of the index."},
}

// ConvertToTable implements rest.TableConvertor.
func (*bundleStorage) ConvertToTable(_ context.Context, object, options runtime.Object) (*metav1.Table, error) {
	table := answer.Table(columns, options)
	add := func(b *delivery.Bundle) {
		table.Rows = append(table.Rows, metav1.TableRow{
			Cells:  []any{b.Name, b.Status.Federations, b.Status.Objects, b.Status.Bytes, since(b.Status.Published), since(b.CreationTimestamp), b.Status.Index},
			Object: runtime.RawExtension{Object: b},
		})
	}
	switch o := object.(type) {
	case *delivery.Bundle:
		add(o)
	case *delivery.BundleList:
		for i := range o.Items {
			add(&o.Items[i])
		}
	}
	if m, err := meta.CommonAccessor(object); err == nil {
		table.ResourceVersion = m.GetResourceVersion()
	}
	return table, nil
}

func since(t metav1.Time) string {
	if t.IsZero() {
		return "<unknown>"
	}
	return duration.HumanDuration(time.Since(t.Time))
}
