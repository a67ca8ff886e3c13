package policy

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/accord-dev/accord/api/manifest"
)

// validate applies the rules of Karmada §1.7.
func (t *TaintPolicy) validate(doc *manifest.Doc) {
	s := t.Spec
	s.TargetClusters.validate(doc, "spec.targetClusters")
	checkConditions(doc, "spec.addOnConditions", s.AddOnConditions)
	checkConditions(doc, "spec.removeOnConditions", s.RemoveOnConditions)
	if len(s.Taints) == 0 {
		doc.Errorf("spec.taints", "spec.taints needs at least one entry")
	}
	type taint struct{ key, effect string }
	seen := map[taint]bool{}
	for i, v := range s.Taints {
		field := fmt.Sprintf("spec.taints[%d]", i)
		v.validate(doc, field)
		id := taint{v.Key, string(v.Effect)}
		if seen[id] && v.Key != "" {
			doc.Errorf(field, "%s is %s:%s, which is a duplicate", field, v.Key, v.Effect)
		}
		seen[id] = true
	}
}

// checkConditions is stricter than Karmada in one respect: it rejects a status that no condition can have ("true").
func checkConditions(doc *manifest.Doc, path string, conditions []ConditionMatch) {
	for i, c := range conditions {
		field := fmt.Sprintf("%s[%d]", path, i)
		doc.Require(field+".conditionType", c.ConditionType != "")
		doc.Require(field+".operator", c.Operator != "")
		doc.OneOf(field+".operator", c.Operator, "In", "NotIn")
		doc.Require(field+".statusValues", doc.Value(field+".statusValues") != nil)
		for j, status := range c.StatusValues {
			doc.OneOf(fmt.Sprintf("%s.statusValues[%d]", field, j), status, "True", "False", "Unknown")
		}
	}
}

// validate rejects taints that a Cluster would not accept (Karmada §1.8). NoExecute is accepted, as in Karmada's
// webhook; it keeps new objects away.
func (p PolicyTaint) validate(doc *manifest.Doc, field string) {
	doc.Require(field+".key", p.Key != "")
	if problems := validation.IsQualifiedName(p.Key); p.Key != "" && len(problems) > 0 {
		doc.Errorf(field+".key", "%s.key is %q: %s", field, p.Key, strings.Join(problems, "; "))
	}
	if problems := validation.IsValidLabelValue(p.Value); len(problems) > 0 {
		doc.Errorf(field+".value", "%s.value is %q: %s", field, p.Value, strings.Join(problems, "; "))
	}
	doc.Require(field+".effect", p.Effect != "")
	doc.OneOf(field+".effect", string(p.Effect), string(corev1.TaintEffectNoSchedule), string(corev1.TaintEffectNoExecute))
}
