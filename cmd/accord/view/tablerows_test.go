package view

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestDefectF26StatusIsOneSentence: a table has a line for each object, with a message of at most 80 characters.
func TestDefectF26StatusIsOneSentence(t *testing.T) {
	table := metav1.Table{
		ColumnDefinitions: []metav1.TableColumnDefinition{{Name: "Ready"}, {Name: "Revision", Priority: 1}, {Name: "Status", Priority: 1}, {Name: "Age"}},
		Rows: []metav1.TableRow{
			{Cells: []any{"True", "main@sha1:4f2c9e1", "3 of 3 clusters healthy. Nothing else.", "1m"}},
			{Cells: []any{"False", "main@sha1:4f2c9e1", strings.Repeat("x", 250), "1m"}},
		},
	}
	rows, err := tableRows(table, false, false)
	require.NoError(t, err)
	require.Equal(t, [][]string{
		{"READY", "STATUS", "AGE"},
		{"True", "3 of 3 clusters healthy", "1m"},
		{"False", strings.Repeat("x", 77) + "...", "1m"},
	}, rows)
}
