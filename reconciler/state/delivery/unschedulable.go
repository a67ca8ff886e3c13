package delivery

import (
	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/deschedule"
	"github.com/accord-dev/accord/status"
)

// Unschedulable returns the replicas that clusters cannot schedule and that plan, which may be nil, may move.
func Unschedulable(all map[string]*State, plan *propagate.Plan, unreachable func(cluster string) bool) deschedule.Copies {
	var copies []deschedule.Copy
	for name, l := range all {
		if plan == nil || len(l.unschedulable) == 0 || unreachable(name) {
			continue
		}
		for id := range l.unschedulable {
			r, _ := l.Reports.Get(id)
			d := plan.Decision(id)
			if r.Unschedulable.Replicas > 0 && d != nil && deschedule.Applies(d.Policy) && l.Wants.Of(id).Held == "" {
				copies = append(copies, deschedule.Copy{ID: id, Cluster: name, Replicas: r.Unschedulable.Replicas, Of: r.Unschedulable.Of})
			}
		}
	}
	return deschedule.Sorted(copies)
}

// noteUnschedulable keeps the few objects with unschedulable replicas apart.
func (l *State) noteUnschedulable(id manifest.ID, report status.Report) {
	if report.Unschedulable == (v1alpha1.UnschedulableReplicas{}) {
		delete(l.unschedulable, id)
		return
	}
	if l.unschedulable == nil {
		l.unschedulable = map[manifest.ID]bool{}
	}
	l.unschedulable[id] = true
}
