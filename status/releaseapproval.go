package status

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// Approval is the approval of a plan, where the Federation requires one.
type Approval struct {
	// By describes the approval, in words that follow "the plan is approved"; empty if there is none.
	By string
	// Approver is the name of the user who approved the plan by annotation.
	Approver string
	// Refused is the reason why an approval does not count; empty if there is none.
	Refused string
	// Digest of the plan, "sha256:<hex>".
	Digest string
	// Namespace, Federation and Release of the annotation that approves the plan.
	Namespace, Federation, Release string
	// Policy is that of the Federation.
	Policy v1alpha1.ApprovalPolicy
}

// waits reports whether the plan awaits approval: none of it is delivered.
func (a *Approval) waits() bool { return a != nil && a.By == "" }

// approver returns the name of the user who approved the plan; empty if nobody had to.
func (a *Approval) approver() string {
	if a == nil {
		return ""
	}
	return a.Approver
}

// condition sets Approved; its message explains how to approve the plan.
func (a *Approval) condition(c *conditions) {
	if a == nil {
		return
	}
	if a.waits() {
		reason := NotApproved
		if a.Refused != "" {
			reason = ApprovalRefused
		}
		c.set(v1alpha1.Approved, metav1.ConditionFalse, reason, a.Message())
		return
	}
	c.set(v1alpha1.Approved, metav1.ConditionTrue, Succeeded, a.Message())
}

// Message names the plan, and its approval. Without one it has the reason why an approval does not count, and the ways to approve.
func (a *Approval) Message() string {
	if !a.waits() {
		return "the plan " + a.Digest + " is approved " + a.By
	}
	var ways []string
	if a.Policy.Allows(v1alpha1.ApprovalByAnnotation) {
		ways = append(ways, "accord approve --plan "+a.Digest+" -n "+a.Namespace+" -f "+a.Federation)
	}
	if a.Policy.Allows(v1alpha1.ApprovalByTrailer) {
		ways = append(ways, `push a commit with the trailer "`+v1alpha1.ApprovePlanTrailer+": "+a.Digest+`" in the last paragraph of its message`)
	}
	refused := ""
	if a.Refused != "" {
		refused = ": " + a.Refused
	}
	if len(ways) == 0 {
		ways = []string{"spec.approval.by must have Annotation, because spec.approval.notBy excludes trailers"}
	}
	return "the plan " + a.Digest + " is not approved" + refused + ", and none of it is delivered; the clusters keep their objects. " +
		"To approve it: " + strings.Join(ways, ", or ")
}
