package approval_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/state/approval"
	"github.com/accord-dev/accord/status"
)

var (
	digestA = "sha256:" + strings.Repeat("a", 64)
	digestB = "sha256:" + strings.Repeat("b", 64)
)

func TestAnnotated(t *testing.T) {
	for name, c := range map[string]struct {
		annotation string
		want       []string
	}{
		"none":                    {"", nil},
		"one":                     {digestA, []string{digestA}},
		"several, with spaces":    {" " + digestA + " , " + digestB + ",", []string{digestA, digestB}},
		"one beside what is none": {"*,true," + digestB + ",sha256:", []string{digestB}},
	} {
		t.Run(name, func(t *testing.T) {
			require.ElementsMatch(t, c.want, approval.Annotated(map[string]string{v1alpha1.ApprovedPlanAnnotation: c.annotation}))
		})
	}
}

// An approval by annotation counts only with an approver, and with another one than the authors of the commit.
func TestHostileApprover(t *testing.T) {
	alice := approval.Person{Name: "Alice Liddell", Email: "alice@example.com", Role: "author", Commit: "4f2c9e1"}
	forge := approval.Person{Name: "GitHub", Email: "noreply@github.com", Role: "committer", Commit: "4f2c9e1"}
	hidden := approval.Person{Name: "A", Email: "1234+alice@users.noreply.github.com", Role: "co-author", Commit: "4f2c9e1"}
	annotation, not, both := []v1alpha1.ApprovalMethod{v1alpha1.ApprovalByAnnotation}, v1alpha1.NotByAuthor, []v1alpha1.ApprovalMethod{"Annotation", "Trailer"}
	for name, c := range map[string]struct {
		policy      v1alpha1.ApprovalPolicy
		user, plans string
		authors     []approval.Person
		by, refused string
	}{
		"an approver":                 {v1alpha1.ApprovalPolicy{By: annotation}, "bob", digestB + "," + digestA, nil, "by bob", ""},
		"no approver":                 {v1alpha1.ApprovalPolicy{By: annotation}, "", digestA, nil, "", "the annotation accord.dev/approved-by is missing, and an approval without an approver does not count"},
		"another plan":                {v1alpha1.ApprovalPolicy{By: annotation}, "bob", digestB, nil, "", ""},
		"the author":                  {v1alpha1.ApprovalPolicy{By: annotation}, "alice", digestA, []approval.Person{alice}, "by alice", ""},
		"not by the author":           {v1alpha1.ApprovalPolicy{NotBy: not}, "bob", digestA, []approval.Person{alice, forge}, "by bob", ""},
		"the address of the author":   {v1alpha1.ApprovalPolicy{NotBy: not}, "Alice@Example.com", digestA, []approval.Person{forge, alice}, "", `the approval of "Alice@Example.com" does not count, because spec.approval.notBy is Author and the author of commit 4f2c9e1 is "Alice Liddell" <alice@example.com>`},
		"the part before the @":       {v1alpha1.ApprovalPolicy{NotBy: not}, "alice", digestA, []approval.Person{alice}, "", `the approval of "alice" does not count`},
		"the name of the author":      {v1alpha1.ApprovalPolicy{NotBy: not}, "alice liddell", digestA, []approval.Person{alice}, "", `the approval of "alice liddell" does not count`},
		"a prefix of the issuer":      {v1alpha1.ApprovalPolicy{NotBy: not}, "https://id.example#alice@example.com", digestA, []approval.Person{alice}, "", "does not count"},
		"an OIDC prefix":              {v1alpha1.ApprovalPolicy{NotBy: not}, "oidc:alice", digestA, []approval.Person{alice}, "", "does not count"},
		"an address that GitHub made": {v1alpha1.ApprovalPolicy{NotBy: not}, "alice", digestA, []approval.Person{hidden}, "", "does not count, because spec.approval.notBy is Author and the co-author"},
		"another person's address":    {v1alpha1.ApprovalPolicy{NotBy: not}, "alice@other.example", digestA, []approval.Person{alice}, "by alice@other.example", ""},
		"an author without a name":    {v1alpha1.ApprovalPolicy{NotBy: not}, "bob", digestA, []approval.Person{{Role: "author"}}, "by bob", ""},
		"annotations do not count":    {v1alpha1.ApprovalPolicy{By: []v1alpha1.ApprovalMethod{"Trailer"}}, "bob", digestA, nil, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := &status.Approval{Digest: digestA, Policy: c.policy}
			approval.ByAnnotation(a, approval.Commits{Authors: c.authors}, map[string]string{v1alpha1.ApprovedPlanAnnotation: c.plans, v1alpha1.ApprovedByAnnotation: c.user})
			require.Equal(t, c.by, a.By)
			require.Contains(t, a.Refused, c.refused)
			require.Equal(t, c.refused == "", a.Refused == "")
			require.Equal(t, a.By != "", a.Approver == c.user && a.By == "by "+a.Approver)
		})
	}
	for policy, want := range map[*v1alpha1.ApprovalPolicy]string{
		{By: both}:             "by the trailer of its commit, which Alice wrote",
		{By: both, NotBy: not}: "", // the author of a commit writes its trailers
		{}:                     "",
	} {
		a := &status.Approval{Digest: digestA, Policy: *policy}
		approval.ByTrailer(a, approval.Commits{Approves: []string{digestA}}, "Alice")
		require.Equal(t, want, a.By)
	}
}
