package progress

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/dependency"
	"github.com/accord-dev/accord/status"
)

func TestRefusal(t *testing.T) {
	const request = "2026-01-01T12:00:00Z"
	ours, refused := strings.Repeat("a", 40), strings.Repeat("b", 40)
	contains := func(_ context.Context, newer, older string) (bool, bool) {
		return newer == refused && older == ours, true
	}
	verified := func(s metav1.ConditionStatus) metav1.Condition {
		return metav1.Condition{Type: v1alpha1.SourceVerified, Status: s, Message: "is not signed"}
	}
	stalled := func(reason string) metav1.Condition {
		return metav1.Condition{Type: "Stalled", Status: metav1.ConditionTrue, Reason: reason, Message: "may not"}
	}
	for name, c := range map[string]struct {
		condition metav1.Condition
		refused   string
		handled   string
		wait      Wait
		labels    map[string]string
		releases  []v1alpha1.Release
		want      string
	}{
		"nobody signed it":                         {verified(metav1.ConditionFalse), ours, request, Wait{request: request}, nil, nil, "is not signed"},
		"given by its first digits":                {verified(metav1.ConditionFalse), ours, request, Wait{request: request, Commit: "aaaaaaa"}, nil, nil, "is not signed"},
		"a newer one that contains it":             {verified(metav1.ConditionFalse), refused, request, Wait{request: request, Contains: contains}, nil, nil, "bbbbbbb, which contains this commit, is refused: is not signed"},
		"another one; this one is not there yet":   {verified(metav1.ConditionFalse), refused, request, Wait{request: request}, nil, nil, ""},
		"the sources were not read since":          {verified(metav1.ConditionFalse), ours, "2026-01-01T11:00:00Z", Wait{request: request}, nil, nil, ""},
		"nobody was asked yet":                     {verified(metav1.ConditionFalse), ours, "", Wait{}, nil, nil, ""},
		"nobody may be asked":                      {verified(metav1.ConditionFalse), ours, "", Wait{mayNotAsk: true}, nil, nil, "is not signed"},
		"of an older spec":                         {metav1.Condition{Type: v1alpha1.SourceVerified, Status: metav1.ConditionFalse, ObservedGeneration: -1}, ours, request, Wait{request: request}, nil, nil, ""},
		"a Tenant":                                 {stalled(status.RefusedByTenant), "", request, Wait{request: request}, nil, nil, "may not"},
		"a Tenant, for the Release of another one": {stalled(status.RefusedByTenant), "", request, Wait{request: request}, nil, []v1alpha1.Release{refusedRelease("newest")}, ""},
		"a dependency":                             {stalled(string(dependency.Cycle)), "", request, Wait{request: request}, nil, nil, "may not"},
		"a dependency of a Federation from Git":    {stalled(string(dependency.Cycle)), "", request, Wait{request: request}, map[string]string{v1alpha1.SourceLabel: "main"}, nil, ""},
		"a dependency that is not ready yet":       {stalled(string(dependency.NotReady)), "", request, Wait{request: request}, nil, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			fed := &v1alpha1.Federation{ObjectMeta: metav1.ObjectMeta{Labels: c.labels}}
			fed.Status = v1alpha1.FederationStatus{Conditions: []metav1.Condition{c.condition}, LastHandledReconcileAt: c.handled, Release: "newest"}
			if c.refused != "" {
				fed.Status.RefusedRevision = "main@sha1:" + c.refused
			}
			if c.wait.Commit == "" {
				c.wait.Commit = ours
			}
			require.Equal(t, c.want, c.wait.refusal(t.Context(), fed, c.releases).Message)
		})
	}
}

func refusedRelease(name string) v1alpha1.Release {
	r := v1alpha1.Release{ObjectMeta: metav1.ObjectMeta{Name: name}}
	r.Status.Conditions = []metav1.Condition{{Type: "Stalled", Status: metav1.ConditionTrue, Reason: status.RefusedByTenant}}
	return r
}
