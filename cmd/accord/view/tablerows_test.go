package view

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestTableRowsAreThoseOfKubectl(t *testing.T) {
	table := metav1.Table{
		ColumnDefinitions: []metav1.TableColumnDefinition{{Name: "Ready"}, {Name: "Release", Priority: 1}, {Name: "Status"}, {Name: "Age"}},
		Rows:              []metav1.TableRow{{Cells: []any{"True", nil, "3 of 3 clusters healthy", "1m"}}},
	}
	rows, err := tableRows(table, false, false)
	require.NoError(t, err)
	require.Equal(t, [][]string{{"READY", "STATUS", "AGE"}, {"True", "3 of 3 clusters healthy", "1m"}}, rows)
	rows, err = tableRows(table, true, false)
	require.NoError(t, err)
	require.Equal(t, [][]string{{"READY", "RELEASE", "STATUS", "AGE"}, {"True", "-", "3 of 3 clusters healthy", "1m"}}, rows)
}
