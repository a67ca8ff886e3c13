package answer

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestAcceptsGzip(t *testing.T) {
	for accept, want := range map[string]bool{
		"": false, "gzip": true, "deflate, gzip": true, "GZIP": true, "gzip;q=0.5": true, "gzip; q=0": false, "gzip;q=0.000": false, "br, gzip;q=0, deflate": false, "gzipped": false,
	} {
		require.Equal(t, want, AcceptsGzip(&http.Request{Header: http.Header{"Accept-Encoding": {accept}}}), accept)
	}
}

func TestTableHasNoColumnsWithoutHeaders(t *testing.T) {
	columns := []metav1.TableColumnDefinition{{Name: "Name"}}
	require.Equal(t, columns, Table(columns, nil).ColumnDefinitions)
	require.Equal(t, columns, Table(columns, &metav1.TableOptions{}).ColumnDefinitions)
	require.Empty(t, Table(columns, &metav1.TableOptions{NoHeaders: true}).ColumnDefinitions)
}
