package discovery

import (
	"encoding/json"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// Served is every kind that a cluster serves, as far as it could tell. What is in it is not to be changed: clusters that
// serve the same share it.
type Served struct {
	// Enabled is sorted by group and version, and in each by name.
	Enabled []v1alpha1.APIEnablement
	// Missing are the groups and versions that are served by somebody who did not answer, "metrics.k8s.io/v1beta1".
	Missing []string

	listed *listed // nil: not made yet
}

// listed is what Listed says.
type listed struct {
	kinds []v1alpha1.APIEnablement
	ok    bool
}

// maxServed bounds what the list takes of the status of a Cluster, in bytes of JSON.
const maxServed = 40 << 10

// Listed is the list as the status of a Cluster has it. Of very many kinds the plural names are left out, which nothing
// that is decided depends on; when they are still too many ok is false, and it is empty: half a list would say that
// the other half is not served.
func (s Served) Listed() (list []v1alpha1.APIEnablement, ok bool) {
	l := s.listed
	if l == nil {
		l = listedOf(s.Enabled)
	}
	return l.kinds, l.ok
}

func listedOf(all []v1alpha1.APIEnablement) *listed {
	if size(all) <= maxServed {
		return &listed{all, true}
	}
	var list []v1alpha1.APIEnablement
	for _, e := range all {
		short := v1alpha1.APIEnablement{GroupVersion: e.GroupVersion}
		for _, r := range e.Resources {
			short.Resources = append(short.Resources, v1alpha1.APIResource{Kind: r.Kind})
		}
		list = append(list, short)
	}
	if size(list) > maxServed {
		return &listed{}
	}
	return &listed{list, true}
}

func size(list []v1alpha1.APIEnablement) int {
	text, _ := json.Marshal(list) // strings always encode
	return len(text)
}

// served is the answer as a list: every resource but subresources (Karmada §1.8).
func (a answer) served() Served {
	var all []v1alpha1.APIEnablement
	for _, l := range a.lists {
		all = append(all, enabled(l.GroupVersion, l.APIResources))
	}
	var missing []string
	for gv := range a.failed {
		missing = append(missing, gv.String())
	}
	slices.SortFunc(all, func(a, b v1alpha1.APIEnablement) int { return strings.Compare(a.GroupVersion, b.GroupVersion) })
	slices.Sort(missing)
	return Served{Enabled: all, Missing: missing, listed: listedOf(all)}
}

func enabled(groupVersion string, resources []metav1.APIResource) v1alpha1.APIEnablement {
	e := v1alpha1.APIEnablement{GroupVersion: groupVersion}
	for _, r := range resources {
		if !strings.Contains(r.Name, "/") && r.Kind != "" {
			e.Resources = append(e.Resources, v1alpha1.APIResource{Name: r.Name, Kind: r.Kind})
		}
	}
	slices.SortFunc(e.Resources, func(a, b v1alpha1.APIResource) int { return strings.Compare(a.Name, b.Name) })
	return e
}
