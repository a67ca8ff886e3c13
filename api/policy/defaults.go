package policy

import "github.com/accord-dev/accord/api/manifest"

// setDefaults sets the defaults of the CRD schema and of the mutating webhook (Karmada §1.2 to §1.4).
func (p *Policy) setDefaults() {
	s := &p.Spec
	defaultNamespaces(p.Meta, s.ResourceSelectors)
	for _, r := range s.ResourceSelectors {
		if r.APIVersion == "multicluster.x-k8s.io/v1alpha1" && r.Kind == "ServiceImport" {
			s.PropagateDeps = true
		}
	}
	if s.Priority == nil {
		s.Priority = new(int32(0))
	}
	orElse(&s.Preemption, Never)
	orElse(&s.SchedulerName, DefaultScheduler)
	orElse(&s.ConflictResolution, Abort)
	s.Placement.setDefaults()
	s.Failover.setDefaults()
}

// defaultNamespaces confines the selectors of a namespaced policy to its namespace.
func defaultNamespaces(m Meta, selectors []ResourceSelector) {
	for i := range selectors {
		orElse(&selectors[i].Namespace, m.Namespace)
	}
}

func (p *Placement) setDefaults() {
	for i := range p.SpreadConstraints {
		c := &p.SpreadConstraints[i]
		if c.SpreadByField == "" && c.SpreadByLabel == "" {
			c.SpreadByField = "cluster"
		}
		if c.MinGroups == 0 {
			c.MinGroups = 1
		}
	}
	if r := p.ReplicaScheduling; r != nil {
		orElse(&r.ReplicaSchedulingType, Divided)
		if r.ReplicaSchedulingType == Divided {
			orElse(&r.ReplicaDivisionPreference, Weighted)
		}
	}
}

func (f *Failover) setDefaults() {
	if f == nil {
		return
	}
	if a := f.Application; a != nil {
		a.PurgeMode = purgeMode(a.PurgeMode)
		if a.DecisionConditions.TolerationSeconds == nil {
			a.DecisionConditions.TolerationSeconds = new(int32(300))
		}
		if a.PurgeMode == Gracefully && a.GracePeriodSeconds == nil {
			a.GracePeriodSeconds = new(int32(600))
		}
	}
	if c := f.Cluster; c != nil {
		c.PurgeMode = purgeMode(c.PurgeMode)
	}
}

// purgeMode returns the current spelling of a purge mode; like Karmada up to 1.18 it accepts the former ones.
func purgeMode(written string) string {
	switch written {
	case "Immediately":
		return Directly
	case "Graciously", "":
		return Gracefully
	}
	return written
}

// fold turns the deprecated targetCluster and overriders into one rule (Karmada §1.5). The fields keep their
// positions in the file. Empty overriders do not count: Karmada's own clients write them into every override.
func (o *Override) fold(doc *manifest.Doc) {
	s := &o.Spec
	if s.Overriders != nil && s.Overriders.empty() {
		s.Overriders = nil
	}
	if len(s.OverrideRules) > 0 || s.Overriders == nil && s.TargetCluster == nil {
		return
	}
	rule := OverrideRule{TargetCluster: s.TargetCluster}
	if s.Overriders != nil {
		rule.Overriders = *s.Overriders
	}
	s.OverrideRules, s.TargetCluster, s.Overriders = []OverrideRule{rule}, nil, nil
	o.Deprecated = singleRule(doc)
	o.Lines = doc.Lines.Copied("spec.overriders", "spec.overrideRules[0].overriders").
		Copied("spec.targetCluster", "spec.overrideRules[0].targetCluster")
}

func orElse(field *string, value string) {
	if *field == "" {
		*field = value
	}
}
