// Package commitstatus reports the progress of Releases to the forges of their sources, as statuses of the commits.
package commitstatus

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/source/forge"
	"github.com/accord-dev/accord/status"
)

const (
	// rolloutContext is the name of the commit status.
	rolloutContext = "accord/rollout"
	// maxDescription is the longest description that every forge shows, in characters.
	maxDescription = 140
	// shownDigest is the length of a shortened digest: "sha256:" and twelve digits.
	shownDigest = len("sha256:") + 12
)

// statusOf returns the commit status of a Release.
func statusOf(r *v1alpha1.Release, c *v1alpha1.CommitStatus) forge.Status {
	s := forge.Status{Context: rolloutContext, TargetURL: strings.ReplaceAll(c.TargetURL, "{release}", r.Name)}
	if c.Instance != "" {
		s.Context += "/" + c.Instance
	}
	s.State, s.Description = rolloutOf(r)
	s.Description = firstLine(s.Description)
	return s
}

// rolloutOf returns the state and the description of a Release. The first matching row decides:
//
//	superseded stalled  ready  | state
//	---------  -------  -----  | ----------
//	yes        any      True   | success: it was Ready before
//	any        yes      any    | failure, unless only because it was superseded: another commit is needed
//	yes        any      any    | superseded
//	no         no       True   | success
//	no         no       other  | pending: progressing, retried, held, suspended, or not approved
func rolloutOf(r *v1alpha1.Release) (forge.State, string) {
	conditions := r.Status.Conditions
	ready := meta.FindStatusCondition(conditions, fluxmeta.ReadyCondition)
	stalled := meta.FindStatusCondition(conditions, fluxmeta.StalledCondition)
	superseded := r.Status.SupersededBy != ""
	current := ready != nil && r.Status.ObservedGeneration == r.Generation && ready.ObservedGeneration == r.Generation
	switch {
	case !current && !superseded:
		return forge.Pending, r.Spec.Federation + " plans this commit"
	case superseded && ready != nil && ready.Status == metav1.ConditionTrue:
		return forge.Success, healthOf(r)
	case stalled != nil && stalled.Status == metav1.ConditionTrue && stalled.Reason != status.Superseded:
		return forge.Failure, mistakeOf(r, stalled.Message)
	case superseded:
		return forge.Superseded, "superseded by " + r.Status.SupersededBy
	case ready.Status == metav1.ConditionTrue:
		return forge.Success, healthOf(r)
	case meta.IsStatusConditionFalse(conditions, v1alpha1.Approved):
		return forge.Pending, fmt.Sprintf("%s holds the plan %.*s, which is not approved", r.Spec.Federation, shownDigest, r.Spec.PlanDigest)
	case meta.IsStatusConditionTrue(conditions, v1alpha1.Suspended):
		return forge.Pending, healthOf(r) + ", and is suspended"
	case r.Status.Summary.Total == 0:
		return forge.Pending, r.Spec.Federation + ": " + ready.Message
	}
	return forge.Pending, healthOf(r)
}

// healthOf returns "prod 12/14 healthy, 1 held, 1 unreachable".
func healthOf(r *v1alpha1.Release) string {
	t := r.Status.Summary
	if t.Total == 0 {
		return r.Spec.Federation + " has nothing to do"
	}
	text := fmt.Sprintf("%s %d/%d healthy", r.Spec.Federation, t.Healthy, t.Total)
	for _, c := range []struct {
		count int32
		word  string
	}{{t.Progressing, "progressing"}, {t.Failed, "failed"}, {t.Held, "held"}, {t.Unreachable, "unreachable"}} {
		if c.count > 0 {
			text += fmt.Sprintf(", %d %s", c.count, c.word)
		}
	}
	return text
}

// mistakeOf returns the first error of a commit and the number of others, or message if it has none.
func mistakeOf(r *v1alpha1.Release, message string) string {
	mistakes := r.Status.Errors
	if len(mistakes) == 0 {
		return message
	}
	text := firstLine(mistakes[0])
	if more := len(mistakes) - 1 + int(r.Status.ErrorsOmitted); more > 0 {
		suffix := fmt.Sprintf(" (and %d more)", more)
		text = phrase.Cut(text, maxDescription-len(suffix)) + suffix
	}
	return text
}

// firstLine returns the first line of a text, shortened to maxDescription.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return phrase.Cut(phrase.Line(line), maxDescription)
}

// terminal reports whether a state normally does not change any more. Terminal states are sent at once.
func terminal(s forge.State) bool { return s != forge.Pending }

// printOf identifies a sent status and its receiver: the state, for people, and a digest of everything.
func printOf(source v1alpha1.Source, commit string, s forge.Status) string {
	c := source.CommitStatus
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", []string{source.URL, c.Provider, c.APIURL, commit, s.Context, string(s.State), s.Description, s.TargetURL}))
	return fmt.Sprintf("%s %x", s.State, sum[:6])
}

// commitOf returns the commit of a source, 40 hex digits, or "" if the Release has none.
func commitOf(r *v1alpha1.Release, source string) string {
	return r.Labels[v1alpha1.RevisionLabelPrefix+source]
}

// reporting returns the name of the Release whose status the commit shows. With several sources, several Releases of a
// Federation can have the same commit of one source: the newest that is not superseded counts, else the newest.
func reporting(releases []v1alpha1.Release) string {
	best := slices.MinFunc(releases, func(a, b v1alpha1.Release) int {
		return cmp.Or(
			cmp.Compare(min(len(a.Status.SupersededBy), 1), min(len(b.Status.SupersededBy), 1)),
			b.CreationTimestamp.Compare(a.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
	})
	return best.Name
}
