package v1alpha1_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// TestDefectF26ColumnsAreTheSameInAllKinds: a kind with conditions has READY, REASON, STATUS and AGE, in this order, AGE last;
// no default column has a text without a bound. Columns in brackets are those of -o wide.
func TestDefectF26ColumnsAreTheSameInAllKinds(t *testing.T) {
	want := map[string]string{
		"Cluster":          "READY REASON VERSION NODES LAST-PROBE [REGION] [ENDPOINT] STATUS AGE",
		"Delivery":         "FEDERATION CLUSTER READY REASON OBJECTS HELD REVISION STATUS AGE",
		"DeliveryReport":   "FEDERATION CLUSTER REPLICA FINISHED UNREACHABLE AGE", // an internal record without conditions
		"FederatedObject":  "KIND OBJECT-NAMESPACE OBJECT READY REASON CLUSTERS HELD [POLICY] STATUS AGE",
		"Federation":       "READY REASON CLUSTERS HELD REVISION [RELEASE] STATUS AGE",
		"Inventory":        "FEDERATION CLUSTER OBJECTS AGE", // an internal record without conditions
		"Release":          "READY REASON CLUSTERS HELD UNREACHABLE [APPROVED-BY] SUBJECT STATUS AGE",
		"ResourceRegistry": "READY REASON CLUSTERS OBJECTS STATUS AGE",
		"Tenant":           "READY REASON FEDERATIONS [ACCOUNT] STATUS AGE",
	}
	// paths are those of columns that several kinds have.
	paths := map[string]string{
		"READY": `.status.conditions[?(@.type=="Ready")].status`, "REASON": `.status.conditions[?(@.type=="Ready")].reason`,
		"STATUS": ".status.message", "HELD": ".status.summary.held", "REVISION": ".status.shortRevision", "AGE": ".metadata.creationTimestamp",
	}
	crds, err := v1alpha1.CRDs()
	require.NoError(t, err)
	got := map[string]string{}
	for _, crd := range crds {
		var columns []string
		for _, c := range crd.Spec.Versions[0].AdditionalPrinterColumns {
			name := strings.ToUpper(c.Name)
			if path, shared := paths[name]; shared {
				require.Equal(t, path, c.JSONPath, "%s %s", crd.Spec.Names.Kind, name)
			}
			if c.Priority > 0 {
				name = "[" + name + "]"
			}
			columns = append(columns, name)
		}
		got[crd.Spec.Names.Kind] = strings.Join(columns, " ")
	}
	require.Equal(t, want, got)
}
