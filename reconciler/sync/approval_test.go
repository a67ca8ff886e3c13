package sync

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/source"
)

var (
	digestA = "sha256:" + strings.Repeat("a", 64)
	digestB = "sha256:" + strings.Repeat("b", 64)
)

func TestApprovedByMessage(t *testing.T) {
	for name, c := range map[string]struct {
		messages []string
		want     []string
	}{
		"no line":                           {[]string{"a commit\n\nabout " + digestA}, nil},
		"a line at the end":                 {[]string{"a commit\n\nAccord-Approve-Plan: " + digestA}, []string{digestA}},
		"Windows' ends of lines":            {[]string{"a commit\r\n\r\nAccord-Approve-Plan: " + digestA + "\r\n"}, []string{digestA}},
		"no space after the colon":          {[]string{"a commit\n\nAccord-Approve-Plan:" + digestA}, []string{digestA}},
		"two lines":                         {[]string{"a\n\nAccord-Approve-Plan: " + digestA + "\nAccord-Approve-Plan: " + digestB}, []string{digestA, digestB}},
		"HostileAnotherSource":              {[]string{"a", "b\n\nAccord-Approve-Plan: " + digestB}, nil},
		"all sources":                       {[]string{"a\n\nAccord-Approve-Plan: " + digestB, "b\n\nAccord-Approve-Plan: " + digestB}, []string{digestB}},
		"HostileMiddleOfTheMessage":         {[]string{"a\n\nAccord-Approve-Plan: " + digestA + "\n\nthe end"}, nil},
		"HostileBesideProse":                {[]string{"a\n\nsome prose\nAccord-Approve-Plan: " + digestA}, nil},
		"quoted from somewhere else":        {[]string{"a\n\n> Accord-Approve-Plan: " + digestA}, nil},
		"in a sentence":                     {[]string{"a\n\nno Accord-Approve-Plan: " + digestA}, nil},
		"a digest that is too short":        {[]string{"a\n\nAccord-Approve-Plan: " + digestA[:70]}, nil},
		"more than a digest":                {[]string{"a\n\nAccord-Approve-Plan: " + digestA + " please"}, nil},
		"a digest without its algorithm":    {[]string{"a\n\nAccord-Approve-Plan: " + digestA[7:]}, nil},
		"a digest in upper case is another": {[]string{"a\n\nAccord-Approve-Plan: " + strings.ToUpper(digestA)}, nil},
		"a word in its place":               {[]string{"a\n\nAccord-Approve-Plan: all"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var sources Checkout
			for i, m := range c.messages {
				sources.sources = append(sources.sources, v1alpha1.Source{Name: fmt.Sprint(i)})
				sources.snapshots = append(sources.snapshots, source.Snapshot{Message: m})
			}
			require.ElementsMatch(t, c.want, sources.commits().Approves)
		})
	}
}

// Only the sources that a revision changes approve its plan and lift its prune limits.
func TestHostileTrailerOfAnUnchangedSource(t *testing.T) {
	const old, next = "1111111111111111111111111111111111111111", "2222222222222222222222222222222222222222"
	allow := "b\n\nAccord-Prune: allow"
	checkout := func(web, api, webMessage, apiMessage string) Checkout {
		return Checkout{
			sources:   []v1alpha1.Source{{Name: "web"}, {Name: "api"}},
			snapshots: []source.Snapshot{{Commit: web, Revision: "main@sha1:" + web, Message: webMessage}, {Commit: api, Revision: "main@sha1:" + api, Message: apiMessage}},
		}
	}
	release := func(c Checkout) v1alpha1.Release { return *c.Release(&v1alpha1.Federation{}) }
	before := release(checkout(old, old, "", allow))

	changed := checkout(next, old, "a", allow).since([]v1alpha1.Release{before}, before.Spec.Revision)
	require.False(t, changed.AllowsPrune(), "the old commit of api does not lift the limits for web")
	require.Equal(t, []bool{true, false}, []bool{release(changed).Spec.Sources[0].Changed, release(changed).Spec.Sources[1].Changed})
	require.False(t, checkout(next, next, "a", allow).since([]v1alpha1.Release{before}, before.Spec.Revision).AllowsPrune(), "both changed")
	require.True(t, checkout(next, next, allow, allow).since([]v1alpha1.Release{before}, before.Spec.Revision).AllowsPrune())

	allowed := checkout(next, old, allow, "b").since([]v1alpha1.Release{before}, before.Spec.Revision)
	require.True(t, allowed.AllowsPrune())
	active := release(allowed)
	again := checkout(next, old, allow, "b").since([]v1alpha1.Release{active, before}, active.Spec.Revision)
	require.True(t, again.AllowsPrune(), "the active revision keeps its permission, also after a restart")
	require.True(t, checkout(next, old, allow, allow).since(nil, "").AllowsPrune(), "the first revision changes every source")
}

// An approver is compared with everybody who has part in a commit that the revision changes.
func TestCommitsOfTheChangedSources(t *testing.T) {
	checkout := Checkout{
		sources: []v1alpha1.Source{{Name: "web"}, {Name: "api"}},
		snapshots: []source.Snapshot{
			{Commit: digestA, By: source.Identity{Name: "Alice", Email: "alice@example.com"}, Committer: source.Identity{Name: "GitHub", Email: "noreply@github.com"},
				Message: "a\n\nCo-authored-by: Carol <carol@example.com>"},
			{Commit: digestB, By: source.Identity{Name: "Bob", Email: "bob@example.com"}},
		},
		unchanged: map[string]bool{"api": true},
	}
	var people []string
	for _, p := range checkout.commits().Authors {
		people = append(people, p.Role+" "+p.String())
	}
	require.Equal(t, []string{`author "Alice" <alice@example.com>`, `committer "GitHub" <noreply@github.com>`, `co-author "Carol" <carol@example.com>`}, people)
}

// A Release changes all the time; the Federation is looked at again only when the plans that it approves did.
func TestOnlyApprovalsAreLookedAt(t *testing.T) {
	release := func(annotations map[string]string) client.Object {
		r := &v1alpha1.Release{}
		r.Annotations = annotations
		return r
	}
	before := release(map[string]string{v1alpha1.CommitStatusAnnotation: "1"})
	passes := changed(approvals)
	require.False(t, passes.Update(event.UpdateEvent{ObjectOld: before, ObjectNew: release(map[string]string{v1alpha1.CommitStatusAnnotation: "2"})}))
	require.True(t, passes.Update(event.UpdateEvent{ObjectOld: before, ObjectNew: release(map[string]string{v1alpha1.ApprovedPlanAnnotation: digestA})}))
	require.True(t, passes.Update(event.UpdateEvent{ObjectOld: before, ObjectNew: release(map[string]string{v1alpha1.ApprovedByAnnotation: "alice"})}))
	require.False(t, passes.Create(event.CreateEvent{Object: before}))
	require.False(t, passes.Delete(event.DeleteEvent{Object: before}))
}
