package propagate

import (
	"github.com/accord-dev/accord/propagate/place"
)

// groups are the objects that workloadAffinity places together or apart (Karmada §1.3, §4.2): objects of one namespace
// whose policies group by the same label and that have the same value of it.
type groups struct {
	together, apart map[string][]*item
}

// gather collects the groups; the items must be claimed already.
func gather(items []*item) groups {
	g := groups{together: map[string][]*item{}, apart: map[string][]*item{}}
	for _, it := range items {
		together, apart := it.groups()
		if together != "" {
			g.together[together] = append(g.together[together], it)
		}
		if apart != "" {
			g.apart[apart] = append(g.apart[apart], it)
		}
	}
	return g
}

// groups returns the groups of the object; empty when it is in none.
func (it *item) groups() (together, apart string) {
	if c := it.decision.Policy; c != nil {
		return place.Groups(c.Spec.Placement.WorkloadAffinity, it.decision.ID.Namespace, it.manifest.Labels)
	}
	return "", ""
}

// peers returns the other objects in the groups of an object that are placed anywhere.
func (p *Plan) peers(it *item) (together, apart []place.Peer) {
	t, a := it.groups()
	return p.others(it, p.relations.groups.together[t]), p.others(it, p.relations.groups.apart[a])
}

// others returns the clusters of the other members of a group: of this plan, or of the previous one while not yet
// decided.
func (p *Plan) others(it *item, members []*item) []place.Peer {
	var peers []place.Peer
	for _, other := range members {
		if other == it {
			continue
		}
		on := other.last().On()
		if other.decided {
			on = map[string]bool{}
			for _, c := range other.decision.Chosen {
				on[c.Cluster] = true
			}
		}
		if len(on) > 0 {
			peers = append(peers, place.Peer{Name: other.decision.ID.String(), On: on})
		}
	}
	return peers
}
