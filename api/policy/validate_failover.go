package policy

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/accord-dev/accord/api/manifest"
)

// validate applies the rules of Karmada §1.4.
func (f *Failover) validate(doc *manifest.Doc) {
	if f == nil {
		return
	}
	if a := f.Application; a != nil {
		const field = "spec.failover.application"
		doc.Require(field+".decisionConditions", doc.Value(field+".decisionConditions") != nil)
		if s := a.DecisionConditions.TolerationSeconds; s != nil && *s < 0 {
			doc.Errorf(field+".decisionConditions.tolerationSeconds",
				"%s.decisionConditions.tolerationSeconds is %d, expected 0 or more", field, *s)
		}
		doc.OneOf(field+".purgeMode", a.PurgeMode, Directly, Gracefully, Never)
		a.validateGrace(doc, field+".gracePeriodSeconds")
		a.StatePreservation.validate(doc, field+".statePreservation")
	}
	if c := f.Cluster; c != nil {
		const field = "spec.failover.cluster"
		doc.OneOf(field+".purgeMode", c.PurgeMode, Directly, Gracefully)
		c.StatePreservation.validate(doc, field+".statePreservation")
	}
}

func (a *ApplicationFailover) validateGrace(doc *manifest.Doc, field string) {
	switch {
	case a.GracePeriodSeconds == nil:
	case *a.GracePeriodSeconds <= 0:
		doc.Errorf(field, "%s is %d, expected more than 0", field, *a.GracePeriodSeconds)
	case a.PurgeMode != Gracefully:
		doc.Errorf(field, "%s is only allowed with purgeMode Gracefully", field)
	}
}

func (s *StatePreservation) validate(doc *manifest.Doc, path string) {
	if s == nil {
		return
	}
	doc.Require(path+".rules", s.Rules != nil)
	for i, r := range s.Rules {
		field := fmt.Sprintf("%s.rules[%d]", path, i)
		doc.Require(field+".aliasLabelName", r.AliasLabelName != "")
		doc.Require(field+".jsonPath", r.JSONPath != "")
		if problems := validation.IsQualifiedName(r.AliasLabelName); r.AliasLabelName != "" && len(problems) > 0 {
			doc.Errorf(field+".aliasLabelName", "%s.aliasLabelName is %q: %s", field, r.AliasLabelName, strings.Join(problems, "; "))
		}
	}
}
