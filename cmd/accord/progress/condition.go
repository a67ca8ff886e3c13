package progress

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Reasons of conditions that decide something here.
const (
	// reasonProgressing: something moves, or is about to.
	reasonProgressing = "Progressing"
	// reasonUnreachable: done but for clusters that are not heard from, and perhaps for held ones.
	reasonUnreachable = "ClustersUnreachable"
	// reasonFetchFailed: a source cannot be read; what was decided before stays in force.
	reasonFetchFailed = "FetchFailed"
	// reasonSuperseded: stalled because a newer commit took over, and for no fault of its own.
	reasonSuperseded = "Superseded"
)

// Condition is the one of that type if it speaks about generation. One that speaks about another generation
// is no information (status contract, rule 3), as is an absent one: both are nil.
func Condition(conditions []metav1.Condition, generation int64, kind string) *metav1.Condition {
	i := slices.IndexFunc(conditions, func(c metav1.Condition) bool { return c.Type == kind })
	if i < 0 || conditions[i].ObservedGeneration != generation {
		return nil
	}
	return &conditions[i]
}

// isTrue tells whether the condition is known and True.
func isTrue(c *metav1.Condition) bool { return c != nil && c.Status == metav1.ConditionTrue }

// isFalse tells whether the condition is known and False.
func isFalse(c *metav1.Condition) bool { return c != nil && c.Status == metav1.ConditionFalse }

// MessageOf of the condition; empty when nothing is known.
func MessageOf(c *metav1.Condition) string {
	if c == nil {
		return ""
	}
	return c.Message
}
