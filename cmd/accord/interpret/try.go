package interpret

import (
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/status/interpret"
	"github.com/accord-dev/accord/status/kind"
)

// reflectedCluster is the cluster of the status item that is made of a live sample.
const reflectedCluster = "observed"

// scripts counts those of all customizations.
func (k *Rules) scripts() int {
	n := 0
	for i := range k.customizations {
		for _, op := range policy.Operations() {
			if k.customizations[i].Script(op) != "" {
				n++
			}
		}
	}
	return n
}

// Run is the report with what everything makes of the samples.
func (k *Rules) Run(samples []Sample, replicas int32, items []map[string]any) *Report {
	r := newReport(k.mistakes)
	ran, missing := 0, 0
	for _, s := range samples {
		t := sampleReport{Object: s.id.String(), Results: k.operations(s, replicas, items)}
		for _, o := range t.Results {
			switch {
			case o.Missing != "":
				missing++
			case o.Error != "":
				r.Errors++
				fallthrough
			default:
				ran++
			}
		}
		r.Samples = append(r.Samples, t)
	}
	r.Verdict = fmt.Sprintf("%s: %s of %s", text.Count(r.Errors, "error"), text.Count(ran, "result"), text.Count(len(samples), "object"))
	if missing > 0 {
		r.Verdict += fmt.Sprintf(", %d not run for want of a sample", missing)
	}
	return r
}

// operations are what all customizations of its kind make of a sample, and how healthy that makes it. What fails
// whatever the sample is has been told as a mistake.
func (k *Rules) operations(s Sample, replicas int32, items []map[string]any) []operationReport {
	in := interpret.Samples{Desired: s.desired, Observed: s.observed, Replicas: replicas, Items: items}
	if items == nil && s.observed != nil {
		in.Items = k.reflectedItems(s)
	}
	var all []operationReport
	judged := false
	for _, c := range k.customizations {
		if schema.FromAPIVersionAndKind(c.Spec.Target.APIVersion, c.Spec.Target.Kind).GroupKind() != s.id.GroupKind() {
			continue
		}
		for _, o := range interpret.Run(c, in) {
			judged = judged || o.Operation == policy.HealthInterpretation
			if t := operationOf(c.Title(), o); !k.alreadyReported(o.Err) {
				all = append(all, t)
			}
		}
	}
	if s.observed != nil {
		all = append(all, k.healthOf(s, judged))
	}
	return all
}

func operationOf(title string, o interpret.Outcome) operationReport {
	t := operationReport{Customization: title, Operation: string(o.Operation), Result: o.Result, Missing: o.Missing, text: o.String()}
	if o.Err != nil {
		t.Error = o.Err.Error()
	}
	return t
}

// alreadyReported says whether what is wrong with a script is one of the mistakes: it stands where that stands.
func (k *Rules) alreadyReported(err error) bool {
	mistake, ok := errors.AsType[*manifest.Error](err)
	return ok && slices.ContainsFunc(k.mistakes, func(f propagate.Finding) bool { return f.At == mistake.Origin })
}

// reflectedItems is the status of one cluster, with what is kept of the live sample's.
func (k *Rules) reflectedItems(s Sample) []map[string]any {
	item := map[string]any{"clusterName": reflectedCluster, "current": true, "applied": true}
	if reflect := k.book.Of(s.id.GroupKind()).Reflect; reflect != nil {
		item["status"] = reflect(s.observed)
	}
	return []map[string]any{item}
}

// health is the health that accord concludes from what is said about the kind, and from what holds for all kinds. An
// expression that cannot be evaluated is an error; a script that fails has been told by itself.
func (k *Rules) healthOf(s Sample, byScript bool) operationReport {
	health, why := k.book.Of(s.id.GroupKind()).Health(s.observed)
	t := operationReport{Operation: "health", Result: string(health), Message: why, text: fmt.Sprintf("health: %s", text.Join(", ", string(health), why))}
	if health == kind.Unknown && !byScript {
		t.Error = why
	}
	return t
}
