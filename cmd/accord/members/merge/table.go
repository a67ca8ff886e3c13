// Package merge makes one answer of the answers of several API servers to the same request: tables, lists, objects and events.
package merge

import (
	"encoding/json"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// Source is the API server of an answer.
type Source struct {
	// Name of the cluster, or of the hub.
	Name string
	// Hub is set for the hub itself, which is no member.
	Hub bool
}

// Columns that Tables adds (Karmada 11.3).
const (
	clusterColumn  = "Cluster"
	adoptionColumn = "Adoption"
)

// absent is the cell of a column that a server does not have.
const absent = "<none>"

// Tables extends the tables of several servers by the columns CLUSTER and ADOPTION. The first table decides on the other columns: servers
// of other versions may have more, or have them in another order. It is not safe for concurrent use.
type Tables struct {
	// Pods reports whether the rows are pods, whose adoption is only in wide tables.
	Pods bool

	columns []metav1.TableColumnDefinition
	places  map[string][]int // of each source: for each of the columns the cell in its rows, -1 if it has none
}

// Extend changes a table of a source. A table without columns has those of the last table of its source, as in a watch.
func (t *Tables) Extend(from Source, table *metav1.Table) {
	if len(table.ColumnDefinitions) > 0 {
		t.align(from.Name, table.ColumnDefinitions)
	}
	for i := range table.Rows {
		row := &table.Rows[i]
		cells := make([]any, 0, len(t.columns)+2)
		for _, place := range t.places[from.Name] {
			if place < 0 || place >= len(row.Cells) {
				cells = append(cells, absent)
			} else {
				cells = append(cells, row.Cells[place])
			}
		}
		cells = slices.Insert(cells, min(t.afterName(), len(cells)), any(from.Name))
		row.Cells = append(cells, adoption(from, row.Object.Raw))
	}
	if len(table.ColumnDefinitions) > 0 {
		table.ColumnDefinitions = t.definitions()
	}
}

// align finds the cells of a source for the columns.
func (t *Tables) align(source string, columns []metav1.TableColumnDefinition) {
	if t.columns == nil {
		t.columns, t.places = columns, map[string][]int{}
	}
	places := make([]int, len(t.columns))
	for i, wanted := range t.columns {
		places[i] = slices.IndexFunc(columns, func(c metav1.TableColumnDefinition) bool { return strings.EqualFold(c.Name, wanted.Name) })
	}
	t.places[source] = places
}

// afterName returns the place behind the column with the name of the object.
func (t *Tables) afterName() int {
	return 1 + max(0, slices.IndexFunc(t.columns, func(c metav1.TableColumnDefinition) bool { return strings.EqualFold(c.Name, "name") }))
}

// definitions returns the columns with those that are added.
func (t *Tables) definitions() []metav1.TableColumnDefinition {
	cluster := metav1.TableColumnDefinition{Name: clusterColumn, Type: "string", Description: "cluster of the object"}
	adopted := metav1.TableColumnDefinition{Name: adoptionColumn, Type: "string", Description: "whether accord delivered the object"}
	if t.Pods {
		adopted.Priority = 1
	}
	all := slices.Insert(slices.Clone(t.columns), min(t.afterName(), len(t.columns)), cluster)
	return append(all, adopted)
}

// adoption returns the cell of the column ADOPTION.
func adoption(from Source, object []byte) string {
	var o metav1.PartialObjectMetadata
	switch {
	case from.Hub:
		return "-"
	case json.Unmarshal(object, &o) == nil && v1alpha1.IsDelivered(&o):
		return "Y"
	}
	return "N"
}
