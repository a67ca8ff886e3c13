package policy

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
)

// validate applies the rules of the CRD schema and of the validating webhook (Karmada §1.2).
func (p *Policy) validate(doc *manifest.Doc) {
	s := p.Spec
	if len(s.ResourceSelectors) == 0 {
		doc.Errorf("spec.resourceSelectors", "spec.resourceSelectors needs at least one entry")
	}
	checkSelectors(doc, p.Meta, s.ResourceSelectors)
	doc.OneOf("spec.preemption", s.Preemption, Always, Never)
	doc.OneOf("spec.conflictResolution", s.ConflictResolution, Abort, Overwrite)
	doc.OneOf("spec.activationPreference", s.ActivationPreference, "Lazy")
	if s.Preemption == Always {
		for i, r := range s.ResourceSelectors {
			if r.Name == "" {
				doc.Errorf(fmt.Sprintf("spec.resourceSelectors[%d].name", i),
					"spec.resourceSelectors[%d].name is required with preemption Always", i)
			}
		}
	}
	if v := s.Suspension; v != nil && v.Dispatching != nil && *v.Dispatching &&
		v.DispatchingOnClusters != nil && len(v.DispatchingOnClusters.ClusterNames) > 0 {
		doc.Errorf("spec.suspension.dispatching",
			"spec.suspension.dispatching: true excludes dispatchingOnClusters.clusterNames; it suspends every cluster already")
	}
	if v := s.SchedulePriority; v != nil {
		doc.Require("spec.schedulePriority.priorityClassSource", v.PriorityClassSource != "")
		doc.OneOf("spec.schedulePriority.priorityClassSource", v.PriorityClassSource, "KubePriorityClass")
		doc.Require("spec.schedulePriority.priorityClassName", v.PriorityClassName != "")
	}
	s.Placement.validate(doc)
	s.Failover.validate(doc)
	if s.Failover != nil && s.Failover.Application != nil && !s.PropagateDeps {
		doc.Errorf("spec.failover.application", "spec.failover.application needs spec.propagateDeps: true")
	}
}

func checkSelectors(doc *manifest.Doc, m Meta, selectors []ResourceSelector) {
	for i, r := range selectors {
		field := fmt.Sprintf("spec.resourceSelectors[%d]", i)
		checkVersion(doc, field+".apiVersion", r.APIVersion)
		doc.Require(field+".kind", r.Kind != "")
		if !m.ClusterWide() && r.Namespace != m.Namespace {
			doc.Errorf(field+".namespace", "%s.namespace is %q; a policy in namespace %s selects only there", field, r.Namespace, m.Namespace)
		}
		if r.LabelSelector != nil {
			if _, err := metav1.LabelSelectorAsSelector(r.LabelSelector); err != nil {
				doc.Errorf(field+".labelSelector", "%s.labelSelector is invalid: %v", field, err)
			}
		}
	}
}

func checkVersion(doc *manifest.Doc, field, apiVersion string) {
	doc.Require(field, apiVersion != "")
	if _, err := schema.ParseGroupVersion(apiVersion); err != nil {
		doc.Errorf(field, "%s is %q, expected \"<group>/<version>\" or \"v1\"", field, apiVersion)
	}
}
