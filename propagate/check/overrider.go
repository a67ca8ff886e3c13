package check

import (
	"fmt"
	"slices"

	"github.com/accord-dev/accord/api/policy"
)

// applied is one override with its effect.
type applied struct {
	override *policy.Override
	selected []*object
	changed  map[string]bool // paths of the overriders that changed an object
	failed   bool            // one of its objects failed to render, so its effect is unknown
}

// applying returns the effect of every override on all variants.
func (r *Review) applying() []*applied {
	all := make([]*applied, len(r.in.Overrides))
	byName := map[string]*applied{}
	broken := map[*object]bool{}
	for i, o := range r.in.Overrides {
		all[i] = &applied{override: o, selected: r.overridden(o), changed: map[string]bool{}}
		byName[o.String()] = all[i]
	}
	for _, v := range r.variants() {
		if v.failure != nil {
			broken[v.object] = true
		}
		for _, e := range v.edits() {
			byName[e.Policy].changed[e.Field] = true
		}
	}
	for _, a := range all {
		a.failed = slices.ContainsFunc(a.selected, func(o *object) bool { return broken[o] })
	}
	return all
}

// overrider is one entry of one rule.
type overrider struct {
	title string // of the policy
	rule  int
	list  string // "plaintext"
	field string // "spec.overrideRules[0].overriders.plaintext[1]"

	// One of them is set.
	plaintext *policy.PlaintextOverrider
	image     *policy.ImageOverrider
	words     *policy.CommandOverrider
	metadata  *policy.MetadataOverrider
	nested    *policy.FieldOverrider
}

// eachOverrider visits every entry of every rule, in the order in which a rule applies them (Karmada §3.2).
func eachOverrider(o *policy.Override, visit func(overrider)) {
	for i := range o.Spec.OverrideRules {
		all := &o.Spec.OverrideRules[i].Overriders
		to := func(list string, j int, entry overrider) {
			entry.title, entry.rule, entry.list = o.Title(), i, list
			entry.field = fmt.Sprintf("spec.overrideRules[%d].overriders.%s[%d]", i, list, j)
			visit(entry)
		}
		for j := range all.ImageOverrider {
			to("imageOverrider", j, overrider{image: &all.ImageOverrider[j]})
		}
		for j := range all.CommandOverrider {
			to("commandOverrider", j, overrider{words: &all.CommandOverrider[j]})
		}
		for j := range all.ArgsOverrider {
			to("argsOverrider", j, overrider{words: &all.ArgsOverrider[j]})
		}
		for j := range all.LabelsOverrider {
			to("labelsOverrider", j, overrider{metadata: &all.LabelsOverrider[j]})
		}
		for j := range all.AnnotationsOverrider {
			to("annotationsOverrider", j, overrider{metadata: &all.AnnotationsOverrider[j]})
		}
		for j := range all.FieldOverrider {
			to("fieldOverrider", j, overrider{nested: &all.FieldOverrider[j]})
		}
		for j := range all.Plaintext {
			to("plaintext", j, overrider{plaintext: &all.Plaintext[j]})
		}
	}
}

// entries returns the entries of all overrides by policy and field, as an Edit names them.
func (r *Review) entries() map[string]overrider {
	all := map[string]overrider{}
	for _, o := range r.in.Overrides {
		eachOverrider(o, func(e overrider) { all[o.String()+" "+e.field] = e })
	}
	return all
}
