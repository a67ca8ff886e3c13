package place

import "github.com/accord-dev/accord/api/policy"

// Groups returns the groups in which workloadAffinity places an object together with others and apart from them; empty for none. A
// group has the objects of a namespace with the same value of the label (Karmada §1.3).
func Groups(w *policy.WorkloadAffinity, namespace string, labels func() map[string]string) (together, apart string) {
	if w == nil {
		return "", ""
	}
	of := labels()
	group := func(by *policy.GroupBy) string {
		if by == nil {
			return ""
		}
		value, has := of[by.GroupByLabelKey]
		if !has {
			return ""
		}
		return namespace + "/" + by.GroupByLabelKey + "=" + value
	}
	return group(w.Affinity), group(w.AntiAffinity)
}
