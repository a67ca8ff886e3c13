package discovery

import (
	"encoding/json"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// APIs holds every kind that a cluster serves, as far as its discovery answered. Callers must not change it: clusters that
// serve the same APIs share it.
type APIs struct {
	// Enablements is sorted by group and version, and in each by name.
	Enablements []v1alpha1.APIEnablement
	// Unavailable holds the groups and versions whose aggregated API server did not answer, "metrics.k8s.io/v1beta1".
	Unavailable []string

	statusList *statusList // nil until the first ForStatus
}

// statusList is the result of ForStatus.
type statusList struct {
	kinds []v1alpha1.APIEnablement
	ok    bool
}

// maxStatusList bounds the size of the list in the status of a Cluster, in bytes of JSON.
const maxStatusList = 40 << 10

// ForStatus returns the list for the status of a Cluster. If the list is too long, plural names are left out, because no
// decision depends on them, and then scopes. If it is still too long, ok is false and the list is empty: half a list would claim that
// the other half is not served.
func (s APIs) ForStatus() (list []v1alpha1.APIEnablement, ok bool) {
	l := s.statusList
	if l == nil {
		l = statusListOf(s.Enablements)
	}
	return l.kinds, l.ok
}

func statusListOf(all []v1alpha1.APIEnablement) *statusList {
	for _, list := range [][]v1alpha1.APIEnablement{
		all,
		shortened(all, func(r v1alpha1.APIResource) v1alpha1.APIResource {
			return v1alpha1.APIResource{Kind: r.Kind, Scope: r.Scope}
		}),
		shortened(all, func(r v1alpha1.APIResource) v1alpha1.APIResource { return v1alpha1.APIResource{Kind: r.Kind} }),
	} {
		if size(list) <= maxStatusList {
			return &statusList{list, true}
		}
	}
	return &statusList{}
}

// shortened returns a copy of a list with shorter resources.
func shortened(all []v1alpha1.APIEnablement, short func(v1alpha1.APIResource) v1alpha1.APIResource) []v1alpha1.APIEnablement {
	list := make([]v1alpha1.APIEnablement, len(all))
	for i, e := range all {
		list[i].GroupVersion = e.GroupVersion
		for _, r := range e.Resources {
			list[i].Resources = append(list[i].Resources, short(r))
		}
	}
	return list
}

func scopeOf(r metav1.APIResource) string {
	if r.Namespaced {
		return v1alpha1.ScopeNamespaced
	}
	return v1alpha1.ScopeCluster
}

func size(list []v1alpha1.APIEnablement) int {
	text, _ := json.Marshal(list) // strings always encode
	return len(text)
}

// apis returns every resource except subresources (Karmada §1.8).
func (a response) apis() APIs {
	var all []v1alpha1.APIEnablement
	for _, l := range a.resourceLists {
		all = append(all, enablementOf(l.GroupVersion, l.APIResources))
	}
	var missing []string
	for gv := range a.failed {
		missing = append(missing, gv.String())
	}
	slices.SortFunc(all, func(a, b v1alpha1.APIEnablement) int { return strings.Compare(a.GroupVersion, b.GroupVersion) })
	slices.Sort(missing)
	return APIs{Enablements: all, Unavailable: missing, statusList: statusListOf(all)}
}

func enablementOf(groupVersion string, resources []metav1.APIResource) v1alpha1.APIEnablement {
	e := v1alpha1.APIEnablement{GroupVersion: groupVersion}
	for _, r := range resources {
		if !strings.Contains(r.Name, "/") && r.Kind != "" {
			e.Resources = append(e.Resources, v1alpha1.APIResource{Name: r.Name, Kind: r.Kind, Scope: scopeOf(r)})
		}
	}
	slices.SortFunc(e.Resources, func(a, b v1alpha1.APIResource) int { return strings.Compare(a.Name, b.Name) })
	return e
}
