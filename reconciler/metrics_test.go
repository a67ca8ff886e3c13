package reconciler

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/apply/live"
)

var update = flag.Bool("update", false, "write docs/metrics.md")

const metricsPage = "../docs/metrics.md"

// TestMetricsPage keeps docs/metrics.md what the catalogue says; -update writes it.
func TestMetricsPage(t *testing.T) {
	made := documentMetrics(t)
	if *update {
		require.NoError(t, os.WriteFile(metricsPage, []byte(made), 0o644))
	}
	written, err := os.ReadFile(metricsPage)
	require.NoError(t, err)
	require.Equal(t, string(written), made, "docs/metrics.md is stale: go test ./reconciler -run TestMetricsPage -update")
}

// documentMetrics puts the table behind what is written by hand above it.
func documentMetrics(t *testing.T) string {
	const mark = "<!-- from here on made by go test ./reconciler -run TestMetricsPage -update -->\n"
	written, err := os.ReadFile(metricsPage)
	require.NoError(t, err)
	head, _, found := strings.Cut(string(written), mark)
	require.True(t, found, "docs/metrics.md has no mark")
	var b strings.Builder
	b.WriteString(head + mark + "\n| metric | type | labels | is |\n|---|---|---|---|\n")
	for _, m := range Metrics() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", m.Name, m.Type, strings.Join(m.Labels, " "), m.Help)
	}
	return b.String()
}

func TestMetricsFollowTheConventions(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range Metrics() {
		require.False(t, seen[m.Name], "%s is there twice", m.Name)
		seen[m.Name] = true
		require.Regexp(t, `^accord_[a-z]+(_[a-z]+)*$`, m.Name)
		require.Contains(t, []string{gauge, counter, histogram}, m.Type, m.Name)
		require.Equal(t, m.Type == counter, strings.HasSuffix(m.Name, "_total"), m.Name)
		require.True(t, m.Type != histogram || strings.HasSuffix(m.Name, "_seconds"), m.Name)
		require.Regexp(t, `\.$`, m.Help, m.Name)
		require.NotContains(t, m.Help, "|", m.Name)
		for _, l := range m.Labels {
			require.Contains(t, []string{ofFederation, ofCluster, ofState, ofReason, ofManager, ofResource, ofVerb}, l, m.Name)
		}
	}
}

func TestFailure(t *testing.T) {
	id := func(name string) manifest.ID { return manifest.ID{Kind: "ConfigMap", Name: name} }
	problem := func(reason string) error { return &live.Problem{Reason: reason, Err: errors.New("x")} }
	for name, tt := range map[string]struct {
		outcome live.Outcome
		err     error
		want    string
	}{
		"nothing failed":                      {},
		"one object failed":                   {outcome: live.Outcome{Errors: map[manifest.ID]error{id("a"): problem("Rejected")}}, want: "Rejected"},
		"most objects failed for one reason":  {outcome: live.Outcome{Errors: map[manifest.ID]error{id("a"): problem("Busy"), id("b"): problem("Rejected"), id("c"): problem("Rejected")}}, want: "Rejected"},
		"as many for one reason as another":   {outcome: live.Outcome{Errors: map[manifest.ID]error{id("a"): problem("Timeout"), id("b"): problem("Busy")}}, want: "Busy"},
		"the brake stopped it":                {outcome: live.Outcome{PruneBlocked: "would delete 7"}, want: "PruneBlocked"},
		"the brake, and an object that fails": {outcome: live.Outcome{PruneBlocked: "would delete 7", Errors: map[manifest.ID]error{id("a"): problem("Busy")}}, want: "Busy"},
		"credentials are not accepted":        {err: apierrors.NewUnauthorized("no"), want: "AuthFailed"},
		"an entry that cannot be read":        {err: errors.New("no kind in it"), want: "ReconciliationFailed"},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, tt.want, failure(tt.outcome, tt.err)) })
	}
}

func TestFiguresOfADelivery(t *testing.T) {
	var g deliveryFigures
	g.concluded(live.Outcome{}, nil)
	g.concluded(live.Outcome{Errors: map[manifest.ID]error{{Name: "a"}: &live.Problem{Reason: "Busy"}}}, nil)
	require.Equal(t, 1, g.succeeded)
	require.Equal(t, map[string]int{"Busy": 1}, g.failed)

	for i := range 3 * maxManagers {
		g.concluded(live.Outcome{Drift: []live.Drift{{Manager: fmt.Sprint("manager-", i)}, {}}}, nil)
	}
	require.Len(t, g.drift, maxManagers+1, "managers that are named, and the rest")
	require.Equal(t, 3*maxManagers, g.drift[unknownManager])
	total := 0
	for _, n := range g.drift {
		total += n
	}
	require.Equal(t, 2*3*maxManagers, total, "none is lost")

	long := deliveryFigures{}
	long.concluded(live.Outcome{Drift: []live.Drift{{Manager: strings.Repeat("x", maxManagerName-1) + "é" + strings.Repeat("y", 50)}}}, nil)
	require.Equal(t, map[string]int{strings.Repeat("x", maxManagerName-1): 1}, long.drift)
}

func TestResourceAt(t *testing.T) {
	for path, want := range map[string]string{
		"/apis/accord.dev/v1alpha1/namespaces/demo/releases/shop-4f2c9e1a0b3c/status": "releases.accord.dev/status",
		"/apis/accord.dev/v1alpha1/clusters/eu":                                       "clusters.accord.dev",
		"/apis/apps/v1/namespaces/shop/deployments/web":                               "deployments.apps",
		"/apis/events.k8s.io/v1/namespaces/demo/events":                               "events.events.k8s.io",
		"/api/v1/namespaces/shop":                                                     "namespaces",
		"/api/v1/namespaces":                                                          "namespaces",
		"/api/v1/namespaces/shop/finalize":                                            "namespaces/finalize",
		"/api/v1/namespaces/shop/configmaps/namespaces":                               "configmaps",
		"/healthz": "other",
		"/apis":    "other",
		"/":        "other",
	} {
		require.Equal(t, want, resourceAt(path), path)
	}
}

// TestJourney follows Releases through what can happen to them.
func TestJourney(t *testing.T) {
	commit := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	at := func(s int) time.Time { return commit.Add(time.Duration(s) * time.Second) }
	release := func(name string, generation int64, conditions ...string) *v1alpha1.Release {
		r := &v1alpha1.Release{Spec: v1alpha1.ReleaseSpec{CommittedAt: &metav1.Time{Time: commit}}}
		r.Name, r.Generation = name, generation
		r.Status = saying(generation, conditions...)
		return r
	}
	var j journey
	r := release("a", 1)
	j.goes(r, saying(1, "Ready=Unknown"), at(1))
	j.goes(r, saying(1, "Applied=True", "Ready=Unknown"), at(3))
	require.Equal(t, uint64(1), j.applied.count)
	require.Zero(t, j.healthy.count)
	require.False(t, j.news)
	j.goes(r, saying(1, "Applied=True", "Ready=True"), at(8))
	require.Equal(t, uint64(1), j.healthy.count)
	require.EqualValues(t, 8, j.healthy.sum)
	require.True(t, j.news)
	j.news = false

	j.goes(r, saying(1, "Applied=Unknown", "Ready=False"), at(100))
	j.goes(r, saying(1, "Applied=True", "Ready=True"), at(200))
	require.Equal(t, uint64(1), j.healthy.count, "a commit counts once")
	require.False(t, j.news, "and is told once")
	r.Generation = 2
	j.goes(r, saying(2, "Applied=True", "Ready=True"), at(300))
	require.Equal(t, uint64(1), j.healthy.count, "a commit with another plan is not counted")
	require.True(t, j.news, "but told")

	j.goes(release("b", 1, "Applied=True", "Ready=True"), saying(1, "Applied=True", "Ready=True"), at(400))
	require.Equal(t, uint64(1), j.applied.count, "what an earlier process brought there is not counted")
	require.False(t, j.news, "nor told")
	j.goes(release("c", 3, "Ready=Unknown"), saying(3, "Applied=True", "Ready=True"), at(500))
	require.Equal(t, uint64(1), j.applied.count, "nor what had another plan before this process")
	early := release("d", 1)
	early.Spec.CommittedAt = &metav1.Time{Time: at(700)}
	j.goes(early, saying(1, "Applied=True", "Ready=True"), at(600))
	require.Equal(t, uint64(2), j.applied.count)
	require.EqualValues(t, 3, j.applied.sum, "a clock that goes ahead adds nothing")
}

// saying is a status with conditions, "Ready=True".
func saying(generation int64, conditions ...string) v1alpha1.ReleaseStatus {
	s := v1alpha1.ReleaseStatus{ObservedGeneration: generation}
	for _, c := range conditions {
		kind, value, _ := strings.Cut(c, "=")
		s.Conditions = append(s.Conditions, metav1.Condition{Type: kind, Status: metav1.ConditionStatus(value), ObservedGeneration: generation})
	}
	return s
}

func TestDurations(t *testing.T) {
	var d durations
	for _, s := range []float64{0, 1, 1.5, 59, 1e6} {
		d.observe(time.Duration(s * float64(time.Second)))
	}
	var out dto.Metric
	require.NoError(t, d.metric(commitToApplied.desc, "demo/shop").Write(&out))
	require.EqualValues(t, 5, out.Histogram.GetSampleCount())
	require.InDelta(t, 1000061.5, out.Histogram.GetSampleSum(), 0.01)
	below := map[float64]uint64{}
	for _, b := range out.Histogram.Bucket {
		below[b.GetUpperBound()] = b.GetCumulativeCount()
	}
	require.EqualValues(t, 2, below[1])
	require.EqualValues(t, 3, below[2])
	require.EqualValues(t, 4, below[60])
	require.EqualValues(t, 4, below[24*3600], "the rest is beyond all bounds")
}

// TestTheCatalogueCanBeRegistered has Prometheus check names and labels.
func TestTheCatalogueCanBeRegistered(t *testing.T) {
	e := newEngine(nil, nil, nil)
	registry := prometheus.NewPedanticRegistry()
	require.NoError(t, registry.Register(&collector{engine: e, writes: &hubWriteCounter{}}))
	families, err := registry.Gather()
	require.NoError(t, err)
	require.Equal(t, []string{"accord_status_queue_depth"}, names(families), "an engine that knows nothing says nothing")
}

func names(families []*dto.MetricFamily) []string {
	var all []string
	for _, f := range families {
		all = append(all, f.GetName())
	}
	slices.Sort(all)
	return all
}

// TestARetriedConflictIsRetried says what the tests of news rely on.
func TestARetriedConflictIsRetried(t *testing.T) {
	conflict := apierrors.NewConflict(schema.GroupResource{Resource: "configmaps"}, "a", errors.New("the object has been modified"))
	require.True(t, problemOf(conflict).Retry)
}
