// Package approval decides whether a plan is approved, and by whom.
package approval

import (
	"fmt"
	"slices"
	"strings"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/digest"
	"github.com/accord-dev/accord/status"
)

// Commits are the newest commits of the sources that a revision changes.
type Commits struct {
	// Approves are the digests of plans that the trailers of the commits approve.
	Approves []string
	// Authors are the people who have part in the commits.
	Authors []Person
}

// Person is a Git identity.
type Person struct {
	Name, Email string
	// Role is "author", "committer", "co-author" or "signer", and Commit has the first digits of the commit.
	Role, Commit string
}

// String returns `"Alice" <alice@example.com>`.
func (p Person) String() string {
	if p.Email == "" {
		return fmt.Sprintf("%q", p.Name)
	}
	return fmt.Sprintf("%q <%s>", p.Name, p.Email)
}

// Digests returns those of the values that are digests of plans.
func Digests(values []string) []string {
	return slices.DeleteFunc(values, func(v string) bool { return !digest.Valid(v) })
}

// Annotated returns the digests of plans that the annotation of a Release approves.
func Annotated(annotations map[string]string) []string {
	var digests []string
	for digest := range strings.SplitSeq(annotations[v1alpha1.ApprovedPlanAnnotation], ",") {
		digests = append(digests, strings.TrimSpace(digest))
	}
	return Digests(digests)
}

// ByTrailer completes the approval of a plan if the trailers of its commits approve it.
func ByTrailer(a *status.Approval, c Commits, author string) {
	if a.Policy.Allows(v1alpha1.ApprovalByTrailer) && slices.Contains(c.Approves, a.Digest) {
		a.By = "by the trailer of its commit, which " + author + " wrote"
	}
}

// ByAnnotation completes the approval of a plan if the annotations of its Release approve it. An approval without an approver, or by
// an author where the Federation excludes authors, does not count: Refused has the reason.
func ByAnnotation(a *status.Approval, c Commits, annotations map[string]string) {
	if !a.Policy.Allows(v1alpha1.ApprovalByAnnotation) || !slices.Contains(Annotated(annotations), a.Digest) {
		return
	}
	user := annotations[v1alpha1.ApprovedByAnnotation]
	if user == "" {
		a.Refused = "the annotation " + v1alpha1.ApprovedByAnnotation + " is missing, and an approval without an approver does not count"
		return
	}
	if a.Policy.NotBy == v1alpha1.NotByAuthor {
		for _, p := range c.Authors {
			if Same(user, p) {
				a.Refused = fmt.Sprintf("the approval of %q does not count, because spec.approval.notBy is Author and the %s of commit %s is %s",
					user, p.Role, p.Commit, p)
				return
			}
		}
	}
	a.Approver, a.By = user, "by "+user
}

// Same reports whether the user of a Kubernetes API server may be the person of a Git identity: the user name, or its part after the
// last ":", "#" or "/", equals the name, the e-mail address, or a part of the address before the "@", without case.
func Same(user string, p Person) bool {
	local, _, _ := strings.Cut(p.Email, "@")
	known := append([]string{p.Name, p.Email, local}, strings.Split(local, "+")...)
	for _, name := range []string{user, user[strings.LastIndexAny(user, ":#/")+1:]} {
		for _, k := range known {
			k = strings.TrimSpace(k)
			if k != "" && strings.EqualFold(k, strings.TrimSpace(name)) {
				return true
			}
		}
	}
	return false
}
