package search

import (
	"encoding/json"
	"fmt"
	"net/url"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/install" // the kinds that tables of kubectl know
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/certificates/install"
	_ "k8s.io/kubernetes/pkg/apis/coordination/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/discovery/install"
	_ "k8s.io/kubernetes/pkg/apis/events/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	"k8s.io/kubernetes/pkg/printers"
	printersinternal "k8s.io/kubernetes/pkg/printers/internalversion"

	"github.com/accord-dev/accord/clusters/search"
)

// tables makes the tables of kubectl: with the columns of Kubernetes for its own kinds, and with name and age for others.
type tables struct {
	once      sync.Once
	generator *printers.HumanReadableGenerator
}

// otherColumns are those of kinds that Kubernetes does not know.
var otherColumns = []metav1.TableColumnDefinition{
	{Name: "Name", Type: "string", Format: "name", Description: "Name of the object."},
	{Name: "Age", Type: "string", Description: "Time since the object was created."},
}

// encode returns the JSON of a table. version returns the resourceVersion of each object.
func (t *tables) encode(kind schema.GroupVersionKind, objects []*search.Object, version func(*search.Object) string, meta metav1.ListMeta, query url.Values) ([]byte, error) {
	t.once.Do(func() { t.generator = printers.NewTableGenerator().With(printersinternal.AddHandlers) })
	table := &metav1.Table{TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "Table"}, ListMeta: meta, Rows: []metav1.TableRow{}}
	include := metav1.IncludeObjectPolicy(query.Get("includeObject"))
	for _, o := range objects {
		text := o.AppendJSON(nil, version(o))
		columns, row, err := t.row(kind, text)
		if err != nil {
			return nil, fmt.Errorf("the table of %s %s of cluster %s: %w", kind.Kind, o.Name, o.Cluster, err)
		}
		table.ColumnDefinitions = columns
		switch include {
		case metav1.IncludeNone:
			row.Object = runtime.RawExtension{}
		case metav1.IncludeObject:
			row.Object = runtime.RawExtension{Raw: text}
		default:
			row.Object = runtime.RawExtension{Raw: o.AppendMetadata(nil, version(o))}
		}
		table.Rows = append(table.Rows, row)
	}
	if len(objects) == 0 {
		table.ColumnDefinitions = otherColumns
	}
	return json.Marshal(table)
}

func (t *tables) row(kind schema.GroupVersionKind, text []byte) ([]metav1.TableColumnDefinition, metav1.TableRow, error) {
	if legacyscheme.Scheme.Recognizes(kind) {
		object, _, err := legacyscheme.Codecs.UniversalDecoder().Decode(text, &kind, nil)
		if err != nil {
			return nil, metav1.TableRow{}, err
		}
		if table, err := t.generator.GenerateTable(object, printers.GenerateOptions{Wide: true}); err == nil && len(table.Rows) == 1 {
			return table.ColumnDefinitions, table.Rows[0], nil
		}
	}
	var known struct {
		Metadata metav1.ObjectMeta `json:"metadata"`
	}
	if err := json.Unmarshal(text, &known); err != nil {
		return nil, metav1.TableRow{}, err
	}
	return otherColumns, metav1.TableRow{Cells: []any{known.Metadata.Name, duration.HumanDuration(time.Since(known.Metadata.CreationTimestamp.Time))}}, nil
}
