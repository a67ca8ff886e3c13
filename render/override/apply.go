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

// Apply rewrites u in place for cluster c with those of the overrides that select both, and tells what changed.
// overrides are all there are, in any order. First come the cluster-wide ones, then, for a namespaced object, those
// of the namespace it has by then; each group is matched before any of it is applied. In a group the most specific
// override comes last, and among equals the one whose name sorts last (Karmada §3.2, §2.1, §2.3).
//
// An error is a *manifest.Error with the place of the overrider that failed; u is then half changed and of no use.
func Apply(u *unstructured.Unstructured, c fleet.Cluster, overrides []policy.Override) ([]Edit, error) {
	return ApplyRules(u, overrides, targeting(c, overrides))
}

// ApplyRules is Apply for who knows which rules are for the cluster: applies is asked with the index of an override that
// selects u, and of a rule of it.
func ApplyRules(u *unstructured.Unstructured, overrides []policy.Override, applies func(override, rule int) bool) ([]Edit, error) {
	var rec record
	if err := rec.apply(u, overrides, applies); err != nil {
		return nil, err
	}
	return rec.edits, nil
}

// targeting says which rules are for a cluster.
func targeting(c fleet.Cluster, overrides []policy.Override) func(override, rule int) bool {
	return func(override, rule int) bool {
		target := overrides[override].Spec.OverrideRules[rule].TargetCluster
		if target == nil {
			return true
		}
		ok, _, _ := c.Matches(*target)
		return ok
	}
}

func (rec *record) apply(u *unstructured.Unstructured, overrides []policy.Override, applies func(override, rule int) bool) error {
	for _, i := range matching(u, overrides, "") {
		if err := rec.applyRules(u, &overrides[i], func(rule int) bool { return applies(i, rule) }); err != nil {
			return err
		}
	}
	namespace := u.GetNamespace()
	if namespace == "" {
		return nil
	}
	for _, i := range matching(u, overrides, namespace) {
		if err := rec.applyRules(u, &overrides[i], func(rule int) bool { return applies(i, rule) }); err != nil {
			return err
		}
	}
	return nil
}

// matching are the indices of the overrides of one namespace ("" = cluster-wide) that select u, in the order they are
// applied.
func matching(u *unstructured.Unstructured, overrides []policy.Override, namespace string) []int {
	type match struct{ index, priority int }
	var found []match
	for i := range overrides {
		o := &overrides[i]
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

// priority is the best match of the selectors; no selectors at all select every object by kind.
func priority(selectors []policy.ResourceSelector, u *unstructured.Unstructured) int {
	if len(selectors) == 0 {
		return policy.MatchKind
	}
	best := policy.NoMatch
	for _, s := range selectors {
		best = max(best, s.Match(u))
	}
	return best
}

func (rec *record) applyRules(u *unstructured.Unstructured, o *policy.Override, applies func(rule int) bool) error {
	for i := range o.Spec.OverrideRules {
		if !applies(i) {
			continue
		}
		r := run{object: u, override: o, field: fmt.Sprintf("spec.overrideRules[%d].overriders", i), record: rec}
		if err := r.overriders(o.Spec.OverrideRules[i].Overriders); err != nil {
			return err
		}
	}
	return nil
}

// run is one rule being applied to one object.
type run struct {
	object   *unstructured.Unstructured
	override *policy.Override
	field    string // the path of the rule's overriders; of one overrider while that is applied
	record   *record
	// operation says what is being done; it is only known when tracing.
	operation string
}

// overriders applies one rule in the fixed order of Karmada §3.2.
func (r run) overriders(o policy.Overriders) error {
	if err := each(r, "imageOverrider", o.ImageOverrider, run.image, sayImage); err != nil {
		return err
	}
	if err := each(r, "commandOverrider", o.CommandOverrider, run.command, sayCommand); err != nil {
		return err
	}
	if err := each(r, "argsOverrider", o.ArgsOverrider, run.args, sayArgs); err != nil {
		return err
	}
	if err := each(r, "labelsOverrider", o.LabelsOverrider, run.labels, sayLabels); err != nil {
		return err
	}
	if err := each(r, "annotationsOverrider", o.AnnotationsOverrider, run.annotations, sayAnnotations); err != nil {
		return err
	}
	if err := each(r, "fieldOverrider", o.FieldOverrider, run.embedded, sayField); err != nil {
		return err
	}
	return r.plaintexts(o.Plaintext)
}

// each applies the entries of one list; an error gets the place and the policy of the entry that made it. say is what
// an entry does in one phrase, and the path it looks at if that is one; it is asked only when tracing.
func each[T any](r run, list string, entries []T, apply func(run, T) error, say func(T) (operation, path string)) error {
	rule := r.field
	for i, entry := range entries {
		r.field = rule + "." + list + "[" + strconv.Itoa(i) + "]"
		looked, noted := "", len(r.record.steps)
		if r.record.tracing {
			r.operation, looked = say(entry)
		}
		if err := apply(r, entry); err != nil {
			return r.mistake(list, manifest.IDOf(r.object), err)
		}
		if r.record.tracing && len(r.record.steps) == noted {
			r.unchanged(looked)
		}
	}
	return nil
}

// mistake is err with the place and the policy of the entry that made it, and the object it made it of. What it quotes of a
// Secret is left out.
func (r run) mistake(list string, id manifest.ID, err error) error {
	what := err.Error()
	if quoting, ok := errors.AsType[*patch.Quoting](err); ok && id.IsSecret() {
		what = strings.Replace(what, quoting.Error(), quoting.Sentence, 1)
	}
	return &manifest.Error{
		Origin:  r.override.At(r.field),
		Message: fmt.Sprintf("%s, %s of %s: %s", r.override.Title(), list, id, what),
	}
}
