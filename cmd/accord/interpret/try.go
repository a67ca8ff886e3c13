package interpret

import (
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/status/interpret"
	"github.com/accord-dev/accord/status/kind"
)

// reflectedCluster is the cluster name of the status item that is computed from a live sample.
const reflectedCluster = "observed"

// scripts counts the scripts of all customizations.
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

// Run returns the report with the results of all rules on the samples.
func (k *Rules) Run(samples []Sample, replicas int32, items []map[string]any) *Report {
	r := newReport(k.mistakes)
	ran, missing := 0, 0
	for _, s := range samples {
		t := SampleReport{Object: s.id.String(), Results: k.operations(s, replicas, items)}
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
	r.Verdict = fmt.Sprintf("%s: %s of %s", phrase.Count(r.Errors, "error"), phrase.Count(ran, "result"), phrase.Count(len(samples), "object"))
	if missing > 0 {
		r.Verdict += fmt.Sprintf(", %d not run for want of a sample", missing)
	}
	return r
}

// operations returns the results of all customizations of the sample's kind, and its health. Errors that do not depend on the
// sample are left out: they are among the mistakes.
func (k *Rules) operations(s Sample, replicas int32, items []map[string]any) []OperationReport {
	in := interpret.Samples{Desired: s.desired, Observed: s.observed, Replicas: replicas, Items: items}
	if items == nil && s.observed != nil {
		in.Items = k.reflectedItems(s)
	}
	var all []OperationReport
	judged := false
	for _, c := range k.customizations {
		if schema.FromAPIVersionAndKind(c.Spec.Target.APIVersion, c.Spec.Target.Kind).GroupKind() != s.id.GroupKind() {
			continue
		}
		for _, o := range interpret.Run(c, in) {
			if !k.runs(o.Operation) {
				continue
			}
			judged = judged || o.Operation == policy.HealthInterpretation
			if t := operationOf(c.Title(), o); !k.alreadyReported(o.Err) {
				all = append(all, t)
			}
		}
	}
	if s.observed != nil && k.runs(policy.HealthInterpretation) {
		all = append(all, k.healthOf(s, judged))
	}
	return all
}

func operationOf(title string, o interpret.Outcome) OperationReport {
	t := OperationReport{Customization: title, Operation: string(o.Operation), Result: o.Result, Missing: o.Missing, text: o.String()}
	if o.Err != nil {
		t.Error = o.Err.Error()
	}
	return t
}

// alreadyReported reports whether the error has the place of one of the mistakes.
func (k *Rules) alreadyReported(err error) bool {
	mistake, ok := errors.AsType[*manifest.Error](err)
	return ok && slices.ContainsFunc(k.mistakes, func(f propagate.Finding) bool { return f.At == mistake.Origin })
}

// reflectedItems returns the status of one cluster, with the reflected status of the live sample.
func (k *Rules) reflectedItems(s Sample) []map[string]any {
	item := map[string]any{"clusterName": reflectedCluster, "current": true, "applied": true}
	if reflect := k.book.Of(s.id.GroupKind()).Reflect; reflect != nil {
		item["status"] = reflect(s.observed)
	}
	return []map[string]any{item}
}

// healthOf returns the health that accord computes from the rules and from the defaults for all kinds. An expression that cannot
// be evaluated is an error; the error of a script has its own entry.
func (k *Rules) healthOf(s Sample, byScript bool) OperationReport {
	health, why := k.book.Of(s.id.GroupKind()).Health(s.observed)
	t := OperationReport{Operation: "health", Result: string(health), Message: why, text: fmt.Sprintf("health: %s", text.Join(", ", string(health), why))}
	if health == kind.Unknown && !byScript {
		t.Error = why
	}
	return t
}
