package metrics

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/internal/golden"
	"github.com/accord-dev/accord/reconciler/metrics/counts"
)

const metricsPage = "../../docs/reference/metrics.md"

// TestMetricsPage compares docs/reference/metrics.md with the catalogue; -update writes the page.
func TestMetricsPage(t *testing.T) {
	golden.File(t, metricsPage, documentMetrics(t), "go test ./reconciler/metrics -run TestMetricsPage -update")
}

// documentMetrics returns the page with the table generated from the catalogue.
func documentMetrics(t *testing.T) string {
	const mark = "<!-- from here on made by go test ./reconciler/metrics -run TestMetricsPage -update -->\n"
	written, err := os.ReadFile(metricsPage)
	require.NoError(t, err)
	head, _, found := strings.Cut(string(written), mark)
	require.True(t, found, "docs/reference/metrics.md has no mark")
	var b strings.Builder
	b.WriteString(head + mark + "\n| metric | type | labels | meaning |\n|---|---|---|---|\n")
	for _, m := range All() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", m.Name, m.Type, strings.Join(m.Labels, " "), m.Help)
	}
	return b.String()
}

func TestMetricsFollowTheConventions(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range All() {
		require.False(t, seen[m.Name], "%s is there twice", m.Name)
		seen[m.Name] = true
		require.Regexp(t, `^accord_[a-z]+(_[a-z]+)*$`, m.Name)
		require.Contains(t, []string{gauge, counter, histogramType}, m.Type, m.Name)
		require.Equal(t, m.Type == counter, strings.HasSuffix(m.Name, "_total"), m.Name)
		require.True(t, m.Type != histogramType || strings.HasSuffix(m.Name, "_seconds"), m.Name)
		require.Regexp(t, `\.$`, m.Help, m.Name)
		require.NotContains(t, m.Help, "|", m.Name)
		for _, l := range m.Labels {
			require.Contains(t, []string{ofFederation, ofCluster, ofState, ofReason, ofResult, ofManager, ofResource, ofVerb, ofSource, ofKind}, l, m.Name)
		}
	}
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

// TestTheCatalogueCanBeRegistered lets Prometheus check names and labels.
func TestTheCatalogueCanBeRegistered(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	require.NoError(t, registry.Register(NewCollector(func() Snapshot { return Snapshot{} }, &HubWrites{})))
	families, err := registry.Gather()
	require.NoError(t, err)
	require.Equal(t, []string{"accord_status_queue_depth"}, names(families), "nothing else is known")
}

func names(families []*dto.MetricFamily) []string {
	var all []string
	for _, f := range families {
		all = append(all, f.GetName())
	}
	slices.Sort(all)
	return all
}

func TestHistogram(t *testing.T) {
	var d counts.Histogram
	for _, s := range []float64{0, 1, 1.5, 59, 1e6} {
		d.Observe(time.Duration(s * float64(time.Second)))
	}
	var out dto.Metric
	require.NoError(t, commitToApplied.histogram(&d, "demo/shop").Write(&out))
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
