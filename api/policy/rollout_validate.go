package policy

import (
	"fmt"
	"slices"
	"time"

	"github.com/accord-dev/accord/api/manifest"
)

// validate checks everything that needs no fleet; the planner checks that each cluster is in one stage.
func (r *Rollout) validate(doc *manifest.Doc) {
	s := r.Spec
	for _, command := range r.Commands {
		if err := command.Check(); err != nil {
			doc.Errorf("metadata.annotations", "%v", err)
		}
	}
	if len(s.ResourceSelectors) == 0 {
		doc.Errorf("spec.resourceSelectors", "spec.resourceSelectors needs at least one entry")
	}
	checkSelectors(doc, r.Meta, s.ResourceSelectors)
	if len(s.Stages) == 0 {
		doc.Errorf("spec.stages", "spec.stages needs at least one entry")
	}
	seen := map[string]bool{}
	for i, stage := range s.Stages {
		stage.validate(doc, fmt.Sprintf("spec.stages[%d]", i), seen)
	}
	checkAmount(doc, "spec.failureBudget.maxUnhealthy", s.FailureBudget.MaxUnhealthy)
	checkAmount(doc, "spec.failureBudget.maxUnreachable", s.FailureBudget.MaxUnreachable)
	checkDeadline(doc, "spec.progressDeadline", s.ProgressDeadline)
	doc.OneOf("spec.onFailure", s.OnFailure, Halt, Rollback)
	doc.OneOf("spec.catchUpPolicy", s.CatchUpPolicy, Immediate, Staged)
}

func (s RolloutStage) validate(doc *manifest.Doc, path string, seen map[string]bool) {
	doc.Require(path+".name", s.Name != "")
	if seen[s.Name] && s.Name != "" {
		doc.Errorf(path+".name", "%s.name is %q, which is a duplicate", path, s.Name)
	}
	seen[s.Name] = true
	s.ClusterAffinity.validate(doc, path+".clusterAffinity")
	for i, name := range s.First {
		if slices.Contains(s.First[:i], name) {
			doc.Errorf(fmt.Sprintf("%s.first[%d]", path, i), "%s.first[%d] is %q, which is a duplicate", path, i, name)
		}
	}
	if field := path + ".maxConcurrency"; checkAmount(doc, field, s.MaxConcurrency) && s.MaxConcurrency.none() {
		doc.Errorf(field, "%s is %s: no cluster would ever get anything; to stop the rollout set paused: true", field, s.MaxConcurrency)
	}
	checkDeadline(doc, path+".progressDeadline", s.ProgressDeadline)
	s.Gate.validate(doc, path+".gate")
}

func (g RolloutGate) validate(doc *manifest.Doc, path string) {
	checkDuration(doc, path+".soakDuration", g.SoakDuration)
	doc.OneOf(path+".approval", g.Approval, None, Manual)
	for i, c := range g.Conditions {
		doc.Require(fmt.Sprintf("%s.conditions[%d]", path, i), c != "")
	}
	if g.Job != nil {
		doc.Require(path+".job.namespace", g.Job.Namespace != "")
		doc.Require(path+".job.name", g.Job.Name != "")
	}
	for i, w := range g.Windows {
		w.validate(doc, fmt.Sprintf("%s.windows[%d]", path, i))
	}
}

func (w Window) validate(doc *manifest.Doc, path string) {
	for i, day := range w.Days {
		field := fmt.Sprintf("%s.days[%d]", path, i)
		doc.Require(field, day != "")
		doc.OneOf(field, day, days[1], days[2], days[3], days[4], days[5], days[6], days[0])
	}
	checkClock(doc, path+".from", w.From)
	checkClock(doc, path+".to", w.To)
	if w.From != "" && w.From == w.To {
		doc.Errorf(path+".to", "%s is from %s to %s; leave out both for the whole day", path, w.From, w.To)
	}
	if _, err := time.LoadLocation(w.TimeZone); err != nil || w.TimeZone == "Local" {
		doc.Errorf(path+".timeZone", "%s.timeZone is %q, expected a name of the IANA database like \"Europe/Berlin\"", path, w.TimeZone)
	}
}

func checkClock(doc *manifest.Doc, field, value string) {
	if _, err := time.Parse(clock, value); value != "" && err != nil {
		doc.Errorf(field, "%s is %q, expected a time of the day like \"09:30\"", field, value)
	}
}

// none reports whether the amount is explicitly zero.
func (a Amount) none() bool { return a == "0" || a == "0%" }

func checkAmount(doc *manifest.Doc, field string, a Amount) bool {
	if a == "" || a.valid() {
		return a != ""
	}
	doc.Errorf(field, "%s is %q, expected a number of clusters like 3 or a share of the stage like \"25%%\"", field, string(a))
	return false
}

func checkDuration(doc *manifest.Doc, field string, d Duration) bool {
	if d == "" {
		return false
	}
	if length, err := time.ParseDuration(string(d)); err != nil || length < 0 {
		doc.Errorf(field, "%s is %q, expected a time span like \"90s\" or \"1h30m\"", field, string(d))
		return false
	}
	return true
}

// checkDeadline also rejects zero: without a deadline a rollout could wait forever.
func checkDeadline(doc *manifest.Doc, field string, d Duration) {
	if checkDuration(doc, field, d) && d.Length() == 0 {
		doc.Errorf(field, "%s is %q, expected more than that: without a deadline a rollout could wait for ever", field, string(d))
	}
}
