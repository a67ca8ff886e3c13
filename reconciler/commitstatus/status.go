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
	"github.com/accord-dev/accord/source/forge"
	"github.com/accord-dev/accord/status"
)

const (
	// rolloutContext is the name of the status of a commit that says how far it got.
	rolloutContext = "accord/rollout"
	// maxDescription is how many characters of a description every forge shows.
	maxDescription = 140
	// shownDigest is how much of a digest is shown where there is no room for all of it: "sha256:" and twelve digits.
	shownDigest = len("sha256:") + 12
)

// statusOf is what the forge of a source is told about the commit of a Release.
func statusOf(r *v1alpha1.Release, c *v1alpha1.CommitStatus) forge.Status {
	s := forge.Status{Context: rolloutContext, TargetURL: strings.ReplaceAll(c.TargetURL, "{release}", r.Name)}
	if c.Instance != "" {
		s.Context += "/" + c.Instance
	}
	s.State, s.Description = rolloutOf(r)
	s.Description = firstLine(s.Description)
	return s
}

// rolloutOf is how far a Release got. The first row that fits decides:
//
//	overtaken  stalled  ready  | state
//	---------  -------  -----  | ----------
//	yes        any      True   | success: it was earned before
//	any        yes      any    | failure, unless only for having been overtaken: another commit is needed
//	yes        any      any    | superseded
//	no         no       True   | success
//	no         no       other  | pending: on its way, tried again, held, suspended, or not approved
func rolloutOf(r *v1alpha1.Release) (forge.State, string) {
	conditions := r.Status.Conditions
	ready := meta.FindStatusCondition(conditions, fluxmeta.ReadyCondition)
	stalled := meta.FindStatusCondition(conditions, fluxmeta.StalledCondition)
	overtaken := r.Status.SupersededBy != ""
	current := ready != nil && r.Status.ObservedGeneration == r.Generation && ready.ObservedGeneration == r.Generation
	switch {
	case !current && !overtaken:
		return forge.Pending, r.Spec.Federation + " plans this commit"
	case overtaken && ready != nil && ready.Status == metav1.ConditionTrue:
		return forge.Success, healthOf(r)
	case stalled != nil && stalled.Status == metav1.ConditionTrue && stalled.Reason != status.Superseded:
		return forge.Failure, mistakeOf(r, stalled.Message)
	case overtaken:
		return forge.Superseded, "overtaken by " + r.Status.SupersededBy
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

// healthOf is "prod 12/14 healthy, 1 held, 1 unreachable".
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

// mistakeOf is the first mistake in a commit, and how many there are beside it; message, if it has none.
func mistakeOf(r *v1alpha1.Release, message string) string {
	mistakes := r.Status.Errors
	if len(mistakes) == 0 {
		return message
	}
	text := firstLine(mistakes[0])
	if more := len(mistakes) - 1 + int(r.Status.ErrorsOmitted); more > 0 {
		suffix := fmt.Sprintf(" (and %d more)", more)
		text = shortened(text, maxDescription-len(suffix)) + suffix
	}
	return text
}

// firstLine is that of a text, as far as a description has room for it.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return shortened(line, maxDescription)
}

// shortened cuts s to so many characters, and shows that it did.
func shortened(s string, characters int) string {
	const cut = "..."
	if runes := []rune(s); len(runes) > characters {
		return string(runes[:characters-len(cut)]) + cut
	}
	return s
}

// final says that a state is not left again in the usual course of things; it is told at once.
func final(s forge.State) bool { return s != forge.Pending }

// printOf identifies what was told, to whom: the state, for people, and a digest of all of it.
func printOf(source v1alpha1.Source, commit string, s forge.Status) string {
	c := source.CommitStatus
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", []string{source.URL, c.Provider, c.APIURL, commit, s.Context, string(s.State), s.Description, s.TargetURL}))
	return fmt.Sprintf("%s %x", s.State, sum[:6])
}

// commitOf is the commit of a source, 40 hex digits; empty if the Release has none of it.
func commitOf(r *v1alpha1.Release, source string) string {
	return r.Labels[v1alpha1.RevisionLabelPrefix+source]
}

// speaker is which of the Releases of one federation that have the same commit of a source speaks for it: the newest one
// that was not overtaken, or else the newest. With several sources, one commit can be in many.
func speaker(releases []v1alpha1.Release) string {
	best := slices.MinFunc(releases, func(a, b v1alpha1.Release) int {
		return cmp.Or(
			cmp.Compare(min(len(a.Status.SupersededBy), 1), min(len(b.Status.SupersededBy), 1)),
			b.CreationTimestamp.Compare(a.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
	})
	return best.Name
}
