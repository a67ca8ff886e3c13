package override

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/render/override/patch"
)

// Apply rewrites u in place for cluster c and returns the changes. It picks from overrides, in any order, those that
// select both. Cluster-wide overrides come first, then, for a namespaced object, those of the namespace that it has by
// then; each group is matched before any of it is applied. In a group the most specific override comes last, and among
// equals the one with the largest name (Karmada §3.2, §2.1, §2.3).
//
// An error is a *manifest.Error with the place of the overrider that failed, or that wrote a value that an API server does
// not decode. u is then incomplete and must not be used.
func Apply(u *unstructured.Unstructured, c fleet.Cluster, overrides []*policy.Override) ([]Edit, error) {
	return applied(u, overrides, rulesFor(c, overrides))
}

// applied is Apply with a function that decides which rules are for the cluster. applies receives the indexes of an
// override that selects u and of one of its rules.
func applied(u *unstructured.Unstructured, overrides []*policy.Override, applies func(override, rule int) bool) ([]Edit, error) {
	var rec record
	if err := rec.apply(u, overrides, applies); err != nil {
		return nil, err
	}
	if err := checkResult(u, rec.edits); err != nil {
		return nil, err
	}
	return rec.edits, nil
}

// rulesFor returns a function that reports whether a rule is for a cluster.
func rulesFor(c fleet.Cluster, overrides []*policy.Override) func(override, rule int) bool {
	return func(override, rule int) bool { return isFor(&overrides[override].Spec.OverrideRules[rule], c) }
}

// isFor reports whether a rule is for a cluster.
func isFor(rule *policy.OverrideRule, c fleet.Cluster) bool {
	if rule.TargetCluster == nil {
		return true
	}
	ok, _, _ := c.Matches(*rule.TargetCluster)
	return ok
}

func (rec *record) apply(u *unstructured.Unstructured, overrides []*policy.Override, applies func(override, rule int) bool) error {
	for _, i := range matching(u, overrides, "") {
		if err := rec.applyRules(u, overrides[i], func(rule int) bool { return applies(i, rule) }); err != nil {
			return err
		}
	}
	namespace := u.GetNamespace()
	if namespace == "" {
		return nil
	}
	for _, i := range matching(u, overrides, namespace) {
		if err := rec.applyRules(u, overrides[i], func(rule int) bool { return applies(i, rule) }); err != nil {
			return err
		}
	}
	return nil
}

// matching returns the indexes of the overrides of one namespace ("" = cluster-wide) that select u, in the order of
// application.
func matching(u *unstructured.Unstructured, overrides []*policy.Override, namespace string) []int {
	type match struct{ index, priority int }
	var found []match
	for i, o := range overrides {
		if o.Namespace != namespace {
			continue
		}
		if p := priority(o.Spec.ResourceSelectors, u); p != policy.NoMatch {
			found = append(found, match{i, p})
		}
	}
	slices.SortFunc(found, func(a, b match) int {
		return cmp.Or(cmp.Compare(a.priority, b.priority), cmp.Compare(overrides[a.index].Name, overrides[b.index].Name))
	})
	sorted := make([]int, len(found))
	for i, m := range found {
		sorted[i] = m.index
	}
	return sorted
}

// priority returns the best match of the selectors. Without selectors every object matches by kind.
func priority(selectors []policy.ResourceSelector, u *unstructured.Unstructured) int {
	if len(selectors) == 0 {
		return policy.MatchKind
	}
	return policy.BestMatch(selectors, u)
}

func (rec *record) applyRules(u *unstructured.Unstructured, o *policy.Override, applies func(rule int) bool) error {
	replicas, scaled := replicasOf(u)
	for i := range o.Spec.OverrideRules {
		if !applies(i) {
			continue
		}
		r := ruleRun{object: u, override: o, field: fmt.Sprintf("spec.overrideRules[%d].overriders", i), record: rec}
		if err := r.applyRule(o.Spec.OverrideRules[i].Overriders); err != nil {
			return err
		}
	}
	if now, still := replicasOf(u); o.RecordsReplicas && scaled && still && now != replicas {
		return manifest.Put(u, "annotations", policy.ReplicasAnnotation, strconv.FormatInt(replicas, 10))
	}
	return nil
}

// replicasOf returns spec.replicas; false if the object has none.
func replicasOf(u *unstructured.Unstructured) (int64, bool) {
	n, has, err := unstructured.NestedInt64(u.Object, "spec", "replicas")
	return n, has && err == nil
}

// ruleRun applies one rule to one object.
type ruleRun struct {
	object   *unstructured.Unstructured
	override *policy.Override
	field    string // the path of the rule's overriders, or of the current overrider
	record   *record
	// operation describes the current entry. It is set only when tracing.
	operation string
}

// applyRule applies the overriders of one rule in the fixed order of Karmada §3.2.
func (r ruleRun) applyRule(o policy.Overriders) error {
	if err := applyEntries(r, "imageOverrider", o.ImageOverrider, ruleRun.image, describeImage); err != nil {
		return err
	}
	if err := applyEntries(r, "commandOverrider", o.CommandOverrider, ruleRun.command, describeCommand); err != nil {
		return err
	}
	if err := applyEntries(r, "argsOverrider", o.ArgsOverrider, ruleRun.args, describeArgs); err != nil {
		return err
	}
	if err := applyEntries(r, "labelsOverrider", o.LabelsOverrider, ruleRun.labels, describeLabels); err != nil {
		return err
	}
	if err := applyEntries(r, "annotationsOverrider", o.AnnotationsOverrider, ruleRun.annotations, describeAnnotations); err != nil {
		return err
	}
	if err := applyEntries(r, "fieldOverrider", o.FieldOverrider, ruleRun.fieldText, describeField); err != nil {
		return err
	}
	return r.plaintexts(o.Plaintext)
}

// applyEntries applies the entries of one list. An error has the place and the policy of its entry. describe returns
// the operation of an entry in one phrase and the path it reads, if it is one path; it is called only when tracing.
func applyEntries[T any](r ruleRun, list string, entries []T, apply func(ruleRun, T) error, describe func(T) (operation, path string)) error {
	rule := r.field
	for i, entry := range entries {
		r.field = rule + "." + list + "[" + strconv.Itoa(i) + "]"
		path, steps := "", len(r.record.steps)
		if r.record.tracing {
			r.operation, path = describe(entry)
		}
		if err := apply(r, entry); err != nil {
			return r.entryError(list, manifest.IDOf(r.object), err)
		}
		if r.record.tracing && len(r.record.steps) == steps {
			r.recordNoChange(path)
		}
	}
	return nil
}

// entryError adds the place and the policy of the entry, and the object. It redacts errors about a Secret.
func (r ruleRun) entryError(list string, id manifest.ID, err error) error {
	text := err.Error()
	if quoting, ok := errors.AsType[*patch.SensitiveError](err); ok && id.IsSecret() {
		text = strings.Replace(text, quoting.Error(), quoting.Redacted, 1)
	}
	return &manifest.Error{
		Origin:  r.override.At(r.field),
		Message: fmt.Sprintf("%s, %s of %s: %s", r.override.Title(), list, id, text),
	}
}
