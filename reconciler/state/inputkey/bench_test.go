package inputkey

import (
	"fmt"
	"testing"
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// BenchmarkNew makes the key of a fleet of 1,000 clusters with 60 kinds each, which share the list of the kinds.
func BenchmarkNew(b *testing.B) {
	e := v1alpha1.APIEnablement{GroupVersion: "apps/v1"}
	for i := range 60 {
		e.Resources = append(e.Resources, v1alpha1.APIResource{Kind: fmt.Sprint("Kind", i), Name: fmt.Sprint("kinds", i), Scope: "Namespaced"})
	}
	shared, members := []v1alpha1.APIEnablement{e}, make([]v1alpha1.Cluster, 1000)
	for i := range members {
		members[i].Name, members[i].Status.APIEnablements = fmt.Sprint("member-", i), shared
	}
	b.ReportAllocs()
	for b.Loop() {
		New(1, members, View{}, time.Time{})
	}
}
