package status

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/phrase"
)

// mutation returns a sentence about the mutated fields of the cell.
func (c Cell) mutation() string { return "the cluster changed applied fields: " + c.Mutated }

// healthyMessage returns the message of a healthy cell, with the mutated fields.
func (c Cell) healthyMessage() string {
	if c.Mutated == "" {
		return c.Report.Message
	}
	return strings.TrimSuffix(c.mutation()+"; "+c.Report.Message, "; ")
}

// mutationCondition sets Mutated if an applied field has another value on the cluster.
func (r Run) mutationCondition(c *conditions) {
	if len(r.Mutated) == 0 {
		return
	}
	var fields []string
	for _, f := range r.Mutated[:min(len(r.Mutated), maxProblems)] {
		fields = append(fields, f.String())
	}
	c.set(v1alpha1.MutatedType, metav1.ConditionTrue, Mutated,
		"the cluster changed "+phrase.Count(len(r.Mutated), "applied field")+": "+strings.Join(fields, "; "))
}

// mutationCondition sets Mutated if a cluster changed applied fields, whether or not that makes the Release fail.
func (in ReleaseInput) mutationCondition(c *conditions) {
	var clusters []string
	for _, l := range in.Deliveries {
		if l.Mutated != "" {
			clusters = append(clusters, l.Cluster+": "+shorten(l.Mutated, maxSentence))
		}
	}
	if len(clusters) > 0 {
		c.set(v1alpha1.MutatedType, metav1.ConditionTrue, Mutated,
			phrase.Count(len(clusters), "cluster")+" changed applied fields: "+strings.Join(clusters[:min(len(clusters), maxProblems)], "; "))
	}
}

// WasApplied reports whether the condition Applied shows that everything was written, although the cluster may have changed it.
func WasApplied(applied *metav1.Condition, generation int64) bool {
	return applied != nil && applied.ObservedGeneration == generation && (applied.Status == metav1.ConditionTrue || applied.Reason == Mutated)
}
