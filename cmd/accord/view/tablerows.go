package view

import (
	"encoding/json"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// tableRows returns the rows of a table of the API server, as kubectl prints them. wide adds the columns of lower priority, and
// namespaces a column with the namespace.
func tableRows(t metav1.Table, wide, namespaces bool) ([][]string, error) {
	shown := func(i int) bool { return wide || t.ColumnDefinitions[i].Priority == 0 }
	var head []string
	if namespaces {
		head = append(head, "NAMESPACE")
	}
	for i, c := range t.ColumnDefinitions {
		if shown(i) {
			head = append(head, strings.ToUpper(c.Name))
		}
	}
	rows := [][]string{head}
	for _, r := range t.Rows {
		var row []string
		if namespaces {
			meta := metav1.PartialObjectMetadata{}
			if err := json.Unmarshal(r.Object.Raw, &meta); err != nil {
				return nil, fmt.Errorf("reading a row of the hub's answer: %w", err)
			}
			row = append(row, meta.Namespace)
		}
		for i, cell := range r.Cells {
			if shown(i) {
				row = append(row, cellText(cell))
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// cellText returns "-" for an absent value.
func cellText(cell any) string {
	if cell == nil || cell == "" {
		return "-"
	}
	return strings.ReplaceAll(fmt.Sprint(cell), "\n", " ")
}
