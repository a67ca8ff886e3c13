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
	// Digest of the plan, "sha256:<hex>".
	Digest string
	// Namespace and Release of the annotation that approves it.
	Namespace, Release string
	// Policy is that of the Federation.
	Policy v1alpha1.ApprovalPolicy
}

// waits reports whether the plan awaits approval: none of it is delivered.
func (a *Approval) waits() bool { return a != nil && a.By == "" }

// condition sets Approved; its message explains how to approve the plan.
func (a *Approval) condition(c *conditions) {
	if a == nil {
		return
	}
	if a.waits() {
		c.set(v1alpha1.Approved, metav1.ConditionFalse, NotApproved, a.message())
		return
	}
	c.set(v1alpha1.Approved, metav1.ConditionTrue, Succeeded, "the plan "+a.Digest+" is approved "+a.By)
}

// message names the plan and the ways to approve it.
func (a *Approval) message() string {
	var ways []string
	if a.Policy.Allows(v1alpha1.ApprovalByAnnotation) {
		ways = append(ways, "kubectl annotate --overwrite release/"+a.Release+" -n "+a.Namespace+" "+v1alpha1.ApprovedPlanAnnotation+"="+a.Digest)
	}
	if a.Policy.Allows(v1alpha1.ApprovalByTrailer) {
		ways = append(ways, `push a commit with the trailer "`+v1alpha1.ApprovePlanTrailer+": "+a.Digest+`" in the last paragraph of its message`)
	}
	return "the plan " + a.Digest + " is not approved, and none of it is delivered; the clusters keep their objects. " +
		"To approve it: " + strings.Join(ways, ", or ")
}
