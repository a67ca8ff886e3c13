package member

import (
	"testing"
	"time"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
)

func TestPresence(t *testing.T) {
	fresh, lost := &v1alpha1.Cluster{}, &v1alpha1.Cluster{}
	fresh.Name, lost.Name = "fresh", "lost"
	lost.Status.Conditions = []metav1.Condition{{Type: fluxmeta.ReadyCondition, Status: metav1.ConditionFalse, LastTransitionTime: metav1.Unix(100, 0)}}
	c := New(Options{})
	require.False(t, c.presence.record(fresh, true), "a cluster that answers at first is no news")
	require.True(t, c.presence.record(fresh, false))
	require.False(t, c.presence.record(fresh, false))
	require.True(t, c.presence.record(fresh, true))
	require.WithinDuration(t, time.Now(), c.presence.found(fresh), time.Minute, "it was lost a moment ago, whatever its condition is")
	require.False(t, c.presence.record(lost, false), "that was an event before the restart")
	require.True(t, c.presence.record(lost, true))
	require.Equal(t, time.Unix(100, 0), c.presence.found(lost), "the process before this one lost it")
	c.presence.forget("lost")
	require.Equal(t, []string{"fresh"}, c.Declared())
	never := &v1alpha1.Cluster{}
	never.Name = "never"
	require.True(t, c.presence.record(never, false), "a cluster that was never there")

	require.True(t, c.presence.hear("never", "its agent is silent"), "it is in pull mode now")
	require.False(t, c.presence.hear("never", "its agent is silent"))
	require.True(t, c.presence.hear("never", ""))
	c.Wake = func(string) {}
	c.HeardAgain("never")
	require.True(t, c.presence.hear("never", ""), "a short silence is news, too")
	require.ElementsMatch(t, []string{"fresh", "never"}, c.Declared())
	require.False(t, c.presence.record(never, true), "it is in push mode again")
	require.ElementsMatch(t, []string{"fresh", "never"}, c.Declared())
	c.presence.hear("never", "")
	c.presence.forget("never")
	require.Equal(t, []string{"fresh"}, c.Declared())
}
