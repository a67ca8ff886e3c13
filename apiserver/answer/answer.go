// Package answer has the rules of answers that all groups of the API server share.
package answer

import (
	"net/http"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// AcceptsGzip reports whether the client of a request accepts a compressed answer. A weight of 0 refuses it.
func AcceptsGzip(r *http.Request) bool {
	for coding := range strings.SplitSeq(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		name, parameter, _ := strings.Cut(coding, ";")
		if !strings.EqualFold(strings.TrimSpace(name), "gzip") {
			continue
		}
		weight, weighted := strings.CutPrefix(strings.ReplaceAll(parameter, " ", ""), "q=")
		q, err := strconv.ParseFloat(weight, 64)
		return !weighted || err != nil || q > 0
	}
	return false
}

// Table returns a table without rows. A client that continues a table asks for no columns.
func Table(columns []metav1.TableColumnDefinition, options runtime.Object) *metav1.Table {
	if o, ok := options.(*metav1.TableOptions); ok && o.NoHeaders {
		return &metav1.Table{}
	}
	return &metav1.Table{ColumnDefinitions: columns}
}
