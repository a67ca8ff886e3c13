package decision

import (
	"slices"
	"strings"
)

// NamespaceNeed is the need of the objects in one namespace for it.
type NamespaceNeed struct {
	// On has every cluster of an object in the namespace, with the reason when all of them are held there.
	On map[string]string
	// Preserve is set when one of the objects outlives its policy, because its namespace must then stay too.
	Preserve bool
}

// Add adds the need of one object.
func (n *NamespaceNeed) Add(d *Decision) {
	if n.On == nil {
		n.On = map[string]string{}
	}
	n.Preserve = n.Preserve || d.Preserve
	for _, c := range d.Chosen {
		if held, there := n.On[c.Cluster]; !there || held != "" {
			n.On[c.Cluster] = c.Held
		}
	}
}

// Imply adds to a namespace the clusters that need it and that its policy did not choose.
func (d *Decision) Imply(n NamespaceNeed) {
	d.Chosen, d.Refused = slices.Clone(d.Chosen), slices.Clone(d.Refused) // ownDecision keeps the originals
	chosen := map[string]bool{}
	for _, c := range d.Chosen {
		chosen[c.Cluster] = true
	}
	for cluster, held := range n.On {
		if !chosen[cluster] {
			d.Chosen = append(d.Chosen, Choice{Cluster: cluster, Held: held, Implied: true})
		}
	}
	slices.SortFunc(d.Chosen, func(a, b Choice) int { return strings.Compare(a.Cluster, b.Cluster) })
	d.Refused = slices.DeleteFunc(d.Refused, func(r Refusal) bool { _, on := n.On[r.Cluster]; return on })
	d.Why = ""
}
