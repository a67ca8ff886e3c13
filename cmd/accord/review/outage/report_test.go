package outage

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/dump"
	"github.com/accord-dev/accord/propagate/rehearsal"
)

// repository has three clusters, and on eu-1 a number of workloads that have another place and a number that have none.
func repository(placed, pinned int, failover string) string {
	var b strings.Builder
	b.WriteString("-- all.yaml --\n")
	for i := 1; i <= 3; i++ {
		fmt.Fprintf(&b, "---\n{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: eu-%d}}\n", i)
	}
	workload := func(name, clusters string) {
		fmt.Fprintf(&b, `---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: %[1]s, namespace: shop}, spec: {replicas: 2}}
---
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: %[1]s, namespace: shop}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: %[1]s}]
  placement: {clusterAffinity: {clusterNames: [%[2]s]}, spreadConstraints: [{spreadByField: cluster, maxGroups: 1}]%[3]s
`, name, clusters, failover)
	}
	for i := range placed {
		workload(fmt.Sprintf("web-%d", i), "eu-1, eu-2")
	}
	for i := range pinned {
		workload(fmt.Sprintf("pinned-%d", i), "eu-1")
	}
	return b.String()
}

const (
	withoutFailover = "}"
	withFailover    = "}\n  failover: {cluster: {purgeMode: Gracefully}}"
	forEver         = ", clusterTolerations: [{operator: Exists}]" + withFailover
)

// other is a workload on eu-3 that eu-2 can take over.
const other = `---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: other, namespace: shop}, spec: {replicas: 2}}
---
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: other, namespace: shop}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: other}]
  placement:
    clusterAffinities: [{affinityName: first, clusterNames: [eu-3]}, {affinityName: second, clusterNames: [eu-2]}]
  failover: {cluster: {purgeMode: Gracefully}}
`

// reportOf returns the report of a repository under the flags of accord plan.
func reportOf(t *testing.T, text string, enabled bool, args []string, unreachable ...string) (*Report, error) {
	t.Helper()
	in, err := dump.Read([]byte(text))
	require.NoError(t, err)
	in.Now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	plan, err := propagate.New(in)
	require.NoError(t, err)
	var f Flags
	flags := pflag.NewFlagSet("plan", pflag.ContinueOnError)
	f.Register(flags)
	require.NoError(t, flags.Parse(args))
	fed := &v1alpha1.Federation{}
	fed.Spec.Failover = &v1alpha1.Failover{Enabled: enabled}
	return New(in, plan, fed, f, Events{Unreachable: unreachable, HealthyAfter: time.Minute})
}

func TestNotesOfTheReview(t *testing.T) {
	for _, c := range []struct {
		state, text string
		enabled     bool
		want        []string
	}{
		{"the Federation does not enable failover", repository(1, 1, withFailover), false, nil},
		{"no policy has failover", repository(1, 1, withoutFailover), true, nil},
		{"the policies tolerate every failure", repository(1, 1, forEver), true, nil},
		{"all have a place", repository(2, 0, withFailover), true, []string{"if eu-1 fails: all objects with failover have a place"}},
		{"two clusters are examined", repository(1, 0, withFailover) + other, true, []string{"if one of 2 examined clusters fails: all objects with failover have a place"}},
		{"one of two has a place", repository(1, 1, withFailover), true, []string{"if eu-1 fails: 1 of 2 objects has a place, 1 has none: apps/Deployment shop/pinned-0"}},
		{"some have a place", repository(3, 2, withFailover), true,
			[]string{"if eu-1 fails: 3 of 5 objects have a place, 2 have none: apps/Deployment shop/pinned-0, apps/Deployment shop/pinned-1"}},
		{"the only one is lost", repository(0, 1, withFailover), true, []string{"if eu-1 fails: 1 object has no place: apps/Deployment shop/pinned-0"}},
		{"all are lost", repository(0, 5, withFailover), true,
			[]string{"if eu-1 fails: 5 objects have no place: apps/Deployment shop/pinned-0, apps/Deployment shop/pinned-1, apps/Deployment shop/pinned-2 and 2 more"}},
	} {
		t.Run(c.state, func(t *testing.T) {
			r, err := reportOf(t, c.text, c.enabled, nil)
			require.NoError(t, err)
			require.Equal(t, c.want, r.Notes())
			require.Empty(t, r.Markdown(), "no timeline is requested")
		})
	}
}

// TestNotesAgreeWithTheTimeline: the sentence about a cluster has the figures of the timeline in which the cluster fails for ever.
func TestNotesAgreeWithTheTimeline(t *testing.T) {
	r, err := reportOf(t, repository(7, 2, withFailover), true, []string{"--for", "2h"}, "eu-1")
	require.NoError(t, err)
	require.Len(t, r.Clusters, 1)
	states := map[rehearsal.State][]string{}
	for _, o := range r.Rehearsal.Objects {
		states[o.State] = append(states[o.State], o.Object)
	}
	var lost []string
	for _, o := range r.Clusters[0].WithoutPlace {
		lost = append(lost, o.Object)
	}
	require.Equal(t, 7, r.Clusters[0].Placed)
	require.Len(t, states[rehearsal.Moved], r.Clusters[0].Placed)
	require.ElementsMatch(t, lost, states[rehearsal.NoPlace])
	require.Len(t, lost, 2)
	require.Equal(t, "7 objects are healthy elsewhere, 2 objects have no place", r.Rehearsal.Verdict)
	require.Contains(t, r.Markdown(), "Failure of eu-1:\n\n```")
}

func TestUnknownClusterCannotFail(t *testing.T) {
	_, err := reportOf(t, repository(1, 0, withFailover), true, []string{"--for", "1h"}, "eu-11")
	require.EqualError(t, err, `--unreachable names cluster "eu-11", which does not exist; did you mean "eu-1"?`)
}
