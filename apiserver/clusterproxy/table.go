package clusterproxy

import (
	"cmp"
	"context"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/apiserver/answer"
)

var (
	_ rest.TableConvertor = clusterStorage{}
	_ rest.TableConvertor = statusStorage{}
)

// columns are those of Karmada (Karmada 11.4).
var columns = []metav1.TableColumnDefinition{
	{Name: "Name", Type: "string", Format: "name", Description: "Name of the cluster."},
	{Name: "Version", Type: "string", Description: "Version of the API server."},
	{Name: "Mode", Type: "string", Description: "Push or Pull."},
	{Name: "Ready", Type: "string", Description: "Status of the condition Ready."},
	{Name: "Age", Type: "string", Description: "Time since the Cluster was created."},
	{Name: "Zones", Type: "string", Priority: 1, Description: "Zones of the cluster."},
	{Name: "Region", Type: "string", Priority: 1, Description: "Region of the cluster."},
	{Name: "Provider", Type: "string", Priority: 1, Description: "Provider of the cluster."},
	{Name: "API-Endpoint", Type: "string", Priority: 1, Description: "URL of the API server."},
	{Name: "Proxy-URL", Type: "string", Priority: 1, Description: "Proxy through which accord connects to the API server."},
}

// ConvertToTable implements rest.TableConvertor.
func (clusterStorage) ConvertToTable(_ context.Context, object, options runtime.Object) (*metav1.Table, error) {
	table := answer.Table(columns, options)
	switch o := object.(type) {
	case *Cluster:
		table.Rows = append(table.Rows, row(o))
		table.ResourceVersion = o.ResourceVersion
	case *ClusterList:
		for i := range o.Items {
			table.Rows = append(table.Rows, row((*Cluster)(&o.Items[i])))
		}
		table.ResourceVersion, table.Continue, table.RemainingItemCount = o.ResourceVersion, o.Continue, o.RemainingItemCount
	}
	return table, nil
}

// ConvertToTable implements rest.TableConvertor.
func (s statusStorage) ConvertToTable(ctx context.Context, object, options runtime.Object) (*metav1.Table, error) {
	return s.clusters.ConvertToTable(ctx, object, options)
}

func row(c *Cluster) metav1.TableRow {
	ready := metav1.ConditionUnknown
	if found := meta.FindStatusCondition(c.Status.Conditions, "Ready"); found != nil {
		ready = found.Status
	}
	const none = "<none>"
	age := "<unknown>"
	if !c.CreationTimestamp.IsZero() {
		age = duration.HumanDuration(time.Since(c.CreationTimestamp.Time))
	}
	zones := cmp.Or(strings.Join(c.Spec.Zones, ","), c.Spec.Zone, none)
	return metav1.TableRow{
		Cells: []any{
			c.Name, c.Status.KubernetesVersion, cmp.Or(c.Spec.SyncMode, v1alpha1.SyncModePush), string(ready), age,
			zones, cmp.Or(c.Spec.Region, none), cmp.Or(c.Spec.Provider, none), cmp.Or(c.Spec.APIEndpoint, none), cmp.Or(c.Spec.ProxyURL, none),
		},
		Object: runtime.RawExtension{Object: c},
	}
}
