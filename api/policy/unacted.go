package policy

import (
	"fmt"
)

// NotActedOn is the path of every field that is set and has no effect in this version, in the order of the manifest's
// fields. preemption is not among them: it has no effect by design.
func (p *Policy) NotActedOn() []string {
	var f unacted
	s := p.Spec
	f.add(s.PropagateDeps, "spec.propagateDeps")
	f.add(len(s.DependentOverrides) > 0, "spec.dependentOverrides")
	f.add(s.SchedulerName != "" && s.SchedulerName != DefaultScheduler, "spec.schedulerName")
	f.add(s.Failover != nil, "spec.failover")
	f.add(s.ActivationPreference != "", "spec.activationPreference")
	f.add(s.SchedulePriority != nil, "spec.schedulePriority")
	pl := s.Placement
	f.add(len(pl.ClusterAffinities) > 0, "spec.placement.clusterAffinities")
	f.add(len(pl.ClusterTolerations) > 0, "spec.placement.clusterTolerations")
	f.add(len(pl.SpreadConstraints) > 0, "spec.placement.spreadConstraints")
	f.add(pl.WorkloadAffinity != nil, "spec.placement.workloadAffinity")
	if rs := pl.ReplicaScheduling; rs != nil && rs.ReplicaSchedulingType == Divided {
		f.add(rs.ReplicaDivisionPreference == Aggregated, "spec.placement.replicaScheduling.replicaDivisionPreference")
		f.add(rs.WeightPreference != nil && rs.WeightPreference.DynamicWeight != "",
			"spec.placement.replicaScheduling.weightPreference.dynamicWeight")
	}
	return f
}

// NotActedOn is the path of every field that is set and has no effect in this version.
func (o *Override) NotActedOn() []string {
	var f unacted
	for i, rule := range o.Spec.OverrideRules {
		f.add(len(rule.Overriders.FieldOverrider) > 0, fmt.Sprintf("spec.overrideRules[%d].overriders.fieldOverrider", i))
	}
	return f
}

type unacted []string

func (f *unacted) add(set bool, field string) {
	if set {
		*f = append(*f, field)
	}
}
