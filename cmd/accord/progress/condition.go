package progress

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/propagate/dependency"
)

// Reasons of conditions.
const (
	// reasonProgressing: a change is under way.
	reasonProgressing = "Progressing"
	// reasonUnreachable: complete except for clusters that are unreachable, and perhaps held.
	reasonUnreachable = "ClustersUnreachable"
	// reasonFetchFailed: a source cannot be read; the active plan stays active.
	reasonFetchFailed = "FetchFailed"
	// reasonSourceUnverified: no allowed signer signed the newest revision; the active plan stays active.
	reasonSourceUnverified = "SourceUnverified"
	// reasonApprovalRefused: an approval does not count.
	reasonApprovalRefused = "ApprovalRefused"
	// reasonSuperseded: stalled because a newer commit replaced this one.
	reasonSuperseded = "Superseded"
)

// withoutRelease are the reasons for which the newest commit of a federation has no Release.
var withoutRelease = []string{
	reasonFetchFailed, reasonSourceUnverified,
	string(dependency.NotReady), string(dependency.NotFound), string(dependency.Forbidden), string(dependency.Cycle),
}

// Condition returns the condition of that type. It returns nil if the condition is absent or is about another generation (status
// contract, rule 3).
func Condition(conditions []metav1.Condition, generation int64, kind string) *metav1.Condition {
	i := slices.IndexFunc(conditions, func(c metav1.Condition) bool { return c.Type == kind })
	if i < 0 || conditions[i].ObservedGeneration != generation {
		return nil
	}
	return &conditions[i]
}

func isTrue(c *metav1.Condition) bool { return c != nil && c.Status == metav1.ConditionTrue }

func isFalse(c *metav1.Condition) bool { return c != nil && c.Status == metav1.ConditionFalse }

// MessageOf returns the message of the condition, and "" if the condition is nil.
func MessageOf(c *metav1.Condition) string {
	if c == nil {
		return ""
	}
	return c.Message
}
