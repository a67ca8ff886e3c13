package reconciler_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/metrics"
)

// TestWhatIsToldOfAHub goes through what happens to a federation, and looks at the events and at the metrics endpoint.
func TestWhatIsToldOfAHub(t *testing.T) {
	w := newWorldWithMetrics(t, 2, freeAddress(t))
	r := w.federation("told")
	for _, part := range []struct {
		name string
		run  func(*testing.T, *world, *repository)
	}{
		{"a commit arrives", toldReady},
		{"every metric is in the catalogue", toldOnlyWhatIsDocumented},
		{"a commit is refused", toldRefused},
		{"a conflict is tried again", toldNothingOfConflicts},
		{"an object is refused for good", toldFailure},
		{"somebody changes something", toldDrift},
		{"something is held", toldHold},
		{"too much would be deleted", toldBrake},
		{"a cluster is lost, and found again", toldCluster},
		{"what is gone has no series", toldNothingOfTheDead},
	} {
		ok := t.Run(part.name, func(t *testing.T) {
			inner := *w
			inner.t = t
			part.run(t, &inner, r)
		})
		if !ok {
			return // each begins where the one before ended
		}
	}
}

func toldReady(t *testing.T, w *world, r *repository) {
	files := []string{"policy.yaml", policyFor("told", both, "")}
	for i := range 8 {
		files = append(files, fmt.Sprintf("app-%d.yaml", i), configMap(fmt.Sprintf("told-%d", i), "1"))
	}
	w.ready(r, r.push("eight objects", files...))
	w.eventually("the event", func() error {
		return w.told(r, "Release", "Normal ReconciliationSucceeded", 1, "2 of 2 clusters healthy", "after the commit")
	})
	w.figures(map[string]float64{
		`accord_source_ready{federation="demo/told"}`:                                       1,
		`accord_federation_interval_seconds{federation="demo/told"}`:                        1,
		`accord_federation_suspended{federation="demo/told"}`:                               0,
		`accord_release_ready{federation="demo/told",reason="ReconciliationSucceeded"}`:     1,
		`accord_release_objects{federation="demo/told"}`:                                    8,
		`accord_release_clusters{federation="demo/told",state="Healthy"}`:                   2,
		`accord_release_clusters{federation="demo/told",state="Failed"}`:                    0,
		`accord_commit_to_applied_seconds{federation="demo/told"}`:                          1,
		`accord_commit_to_healthy_seconds{federation="demo/told"}`:                          1,
		`accord_objects_desired{cluster="cluster-a",federation="demo/told"}`:                8,
		`accord_objects_applied{cluster="cluster-a",federation="demo/told"}`:                8,
		`accord_objects{cluster="cluster-b",federation="demo/told",state="Healthy"}`:        8,
		`accord_delivery_state{cluster="cluster-b",federation="demo/told",state="Healthy"}`: 1,
		`accord_prune_blocked{cluster="cluster-a",federation="demo/told"}`:                  0,
		`accord_cluster_reachable{cluster="cluster-a"}`:                                     1,
		`accord_delivery_queue_depth{cluster="cluster-a"}`:                                  0,
	})
	now := w.scrape()
	require.Positive(t, now[`accord_deliveries_total{cluster="cluster-a",federation="demo/told",reason="",result="success"}`])
	require.Positive(t, now[`accord_hub_writes_total{resource="releases.accord.dev",verb="PATCH"}`])
	require.Positive(t, now[`accord_hub_writes_total{resource="deliveries.accord.dev/status",verb="PATCH"}`])
	heard := now[`accord_cluster_last_probe_success_timestamp_seconds{cluster="cluster-a"}`]
	require.Positive(t, heard)
	require.Equal(t, heard, now[`accord_delivery_last_success_timestamp_seconds{cluster="cluster-a",federation="demo/told"}`], "it is as fresh as the last answer")
	require.InDelta(t, heard, now[`accord_federation_last_reconcile_timestamp_seconds{federation="demo/told"}`], patience.Seconds())
}

func toldOnlyWhatIsDocumented(t *testing.T, w *world, _ *repository) {
	known := map[string]metrics.Metric{}
	for _, m := range metrics.All() {
		known[m.Name] = m
	}
	seen := 0
	for name, family := range w.families() {
		if !strings.HasPrefix(name, "accord_") {
			continue
		}
		seen++
		m, ok := known[name]
		require.True(t, ok, name)
		require.Equal(t, m.Help, family.GetHelp(), name)
		require.Equal(t, strings.ToUpper(m.Type), family.GetType().String(), name)
		require.Equal(t, slices.Sorted(slices.Values(m.Labels)), slices.Sorted(maps.Keys(labelsOf(family.Metric[0]))), name)
	}
	maps.DeleteFunc(known, func(name string, _ metrics.Metric) bool { // no Federation reads a live cluster: see TestLiveMetrics
		return strings.HasPrefix(name, "accord_live_") || strings.HasPrefix(name, "accord_kind_") || strings.HasPrefix(name, "accord_standby_")
	})
	require.GreaterOrEqual(t, seen, len(known)-2, "all but failures and drift, which there were none of")
}

func toldRefused(t *testing.T, w *world, r *repository) {
	r.push("two mistakes", "broken.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: [unclosed\n", "worse.yaml", "kind: {\n")
	w.eventually("the event", func() error {
		return w.told(r, "Federation", "Warning BuildFailed", 1, "is rejected", "broken.yaml:", "(and 1 more)")
	})
	w.figures(map[string]float64{
		`accord_release_ready{federation="demo/told",reason="BuildFailed"}`:             0,
		`accord_release_ready{federation="demo/told",reason="ReconciliationSucceeded"}`: absent,
		`accord_source_ready{federation="demo/told"}`:                                   1,
	})
	w.ready(r, r.push("none", "broken.yaml", "", "worse.yaml", ""))
	w.eventually("the event", func() error { return w.told(r, "Release", "Normal ReconciliationSucceeded", 2) })
	w.figures(map[string]float64{`accord_commit_to_healthy_seconds{federation="demo/told"}`: 2})
}

func toldNothingOfConflicts(t *testing.T, w *world, r *repository) {
	answered := w.contend("cluster-a", "contended", 2)
	w.ready(r, r.push("an object that is contended", "contended.yaml", configMap("contended", "1")))
	require.EqualValues(t, 2, answered(), "it was refused twice")
	w.figures(map[string]float64{`accord_deliveries_total{cluster="cluster-a",federation="demo/told",reason="Failed",result="error"}`: 2})
	require.NoError(t, w.told(r, "Delivery", "Warning", 0))
	w.ready(r, r.push("and gone", "contended.yaml", ""))
}

func toldFailure(t *testing.T, w *world, r *repository) {
	theirs := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "theirs"}}
	require.NoError(t, w.members["cluster-a"].Create(t.Context(), theirs))
	r.push("an object that is not ours", "theirs.yaml", configMap("theirs", "ours"))
	const attempts = `accord_deliveries_total{cluster="cluster-a",federation="demo/told",reason="Conflict",result="error"}`
	w.eventually("three attempts", func() error {
		return unless(w.scrape()[attempts] >= 3, fmt.Sprint(w.scrape()[attempts]))
	})
	require.NoError(t, w.told(r, "Delivery", "Warning ApplyFailed", 1, "shop/theirs"), "one event for all attempts")
	w.figures(map[string]float64{
		`accord_objects{cluster="cluster-a",federation="demo/told",state="Failed"}`:         1,
		`accord_delivery_state{cluster="cluster-a",federation="demo/told",state="Failed"}`:  1,
		`accord_delivery_state{cluster="cluster-a",federation="demo/told",state="Healthy"}`: absent,
	})
	w.ready(r, r.push("leave it", "theirs.yaml", ""))
}

func toldDrift(t *testing.T, w *world, r *repository) {
	edited := w.configMap("cluster-a", "told-0")
	edited.Data["key"] = "by hand"
	require.NoError(t, w.members["cluster-a"].Update(t.Context(), edited, client.FieldOwner("somebody")))
	w.eventually("the event", func() error {
		return w.told(r, "Delivery", "Warning DriftCorrected", 1, "changed by somebody", "shop/told-0")
	})
	w.figures(map[string]float64{`accord_drift_repaired_total{cluster="cluster-a",federation="demo/told",manager="somebody"}`: 1})
}

func toldHold(t *testing.T, w *world, r *repository) {
	hold := "  suspension:\n    dispatchingOnClusters:\n      clusterNames: [cluster-a]\n"
	sha := r.push("held on a", "policy.yaml", policyFor("told", both, hold), "app-0.yaml", configMap("told-0", "2"))
	w.condition(r, sha, "Ready", metav1.ConditionUnknown, "Held")
	w.eventually("the event", func() error { return w.told(r, "Delivery", "Normal Suspended", 1) })
	w.figures(map[string]float64{
		`accord_delivery_state{cluster="cluster-a",federation="demo/told",state="Held"}`: 1,
		`accord_release_clusters{federation="demo/told",state="Held"}`:                   1,
		`accord_release_ready{federation="demo/told",reason="Held"}`:                     0,
	})
	w.ready(r, r.push("not held", "policy.yaml", policyFor("told", both, "")))
	w.eventually("the event", func() error { return w.told(r, "Delivery", "Normal Resumed", 1) })
}

func toldBrake(t *testing.T, w *world, r *repository) {
	var none []string
	for i := range 7 {
		none = append(none, fmt.Sprintf("app-%d.yaml", i+1), "")
	}
	sha := r.push("one object", none...)
	w.condition(r, sha, "Ready", metav1.ConditionFalse, "PruneBlocked")
	w.eventually("the event", func() error { return w.told(r, "Release", "Warning PruneBlocked", 1, "would delete 7 of") })
	w.figures(map[string]float64{`accord_prune_blocked{cluster="cluster-a",federation="demo/told"}`: 1})
	w.ready(r, r.push("one object, and I mean it\n\nAccord-Prune: allow"))
	w.figures(map[string]float64{
		`accord_prune_blocked{cluster="cluster-a",federation="demo/told"}`:   0,
		`accord_objects_desired{cluster="cluster-a",federation="demo/told"}`: 1,
	})
}

func toldCluster(t *testing.T, w *world, r *repository) {
	w.cables["cluster-b"].setCut(true)
	w.eventually("the event", func() error { return w.toldOf("default", "Cluster", "cluster-b", "Warning", 1, "does not answer") })
	w.figures(map[string]float64{
		`accord_cluster_reachable{cluster="cluster-b"}`:                                         0,
		`accord_cluster_reachable{cluster="cluster-a"}`:                                         1,
		`accord_delivery_state{cluster="cluster-b",federation="demo/told",state="Unreachable"}`: 1,
		`accord_release_ready{federation="demo/told",reason="ClustersUnreachable"}`:             0,
	})
	require.Positive(t, w.scrape()[`accord_delivery_last_success_timestamp_seconds{cluster="cluster-b",federation="demo/told"}`], "it is still known when all was well")
	w.cables["cluster-b"].setCut(false)
	w.eventually("the event", func() error {
		return w.toldOf("default", "Cluster", "cluster-b", "Normal Connected", 1, "answers again, after")
	})
	w.figures(map[string]float64{`accord_cluster_reachable{cluster="cluster-b"}`: 1})
	require.NoError(t, w.told(r, "Delivery", "Warning ClustersUnreachable", 0), "that is told of the Cluster")
}

func toldNothingOfTheDead(t *testing.T, w *world, r *repository) {
	require.NoError(t, w.hub.Delete(t.Context(), &v1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "cluster-b"}}))
	w.eventually("all series of the cluster to go", func() error { return w.silentAbout(`cluster="cluster-b"`) })
	require.Error(t, w.silentAbout(`cluster="cluster-a"`))
	require.NoError(t, w.hub.Delete(t.Context(), w.declared(r)))
	w.eventually("all series of the federation to go", func() error { return w.silentAbout(`federation="demo/told"`) })
	w.figures(map[string]float64{`accord_cluster_reachable{cluster="cluster-a"}`: 1})
}

// told counts the events about what belongs to a repository's Federation.
func (w *world) told(r *repository, kind, what string, times int, parts ...string) error {
	return w.toldOf(w.namespace, kind, r.federation, what, times, parts...)
}

// toldOf counts the events about objects of a kind whose names begin like that; what is "<type> <reason>", or the type alone.
// Each has to contain the parts.
func (w *world) toldOf(namespace, kind, name, what string, times int, parts ...string) error {
	w.t.Helper()
	list := &eventsv1.EventList{}
	require.NoError(w.t, w.hub.List(w.t.Context(), list, client.InNamespace(namespace)))
	var found, all []string
	for _, e := range list.Items {
		line := fmt.Sprintf("%s %s: %s", e.Type, e.Reason, e.Note)
		all = append(all, e.Regarding.Kind+" "+e.Regarding.Name+" "+line)
		if e.Regarding.Kind != kind || !strings.HasPrefix(e.Regarding.Name, name) || !strings.HasPrefix(line, what) {
			continue
		}
		found = append(found, line)
		for _, part := range parts {
			if !strings.Contains(line, part) {
				return fmt.Errorf("%q is not in %q", part, line)
			}
		}
		if e.ReportingController != "accord" || e.Regarding.UID == "" {
			return fmt.Errorf("%s is from %q about %q", line, e.ReportingController, e.Regarding.UID)
		}
	}
	return unless(len(found) == times, fmt.Sprintf("%d times %v of\n%s", len(found), found, strings.Join(all, "\n")))
}

// absent is the value of a series that may not be there.
const absent = -1

// figures waits until the metrics have these values; a histogram has its count.
func (w *world) figures(want map[string]float64) {
	w.t.Helper()
	w.eventually("the metrics", func() error {
		now := w.scrape()
		for series, value := range want {
			got, there := now[series]
			if !there {
				got = absent
			}
			if got != value {
				return fmt.Errorf("%s is %v and not %v of\n%s", series, got, value, strings.Join(slices.Sorted(maps.Keys(now)), "\n"))
			}
		}
		return nil
	})
}

// silentAbout says that no series has a label.
func (w *world) silentAbout(label string) error {
	for series := range w.scrape() {
		if strings.Contains(series, label) {
			return fmt.Errorf("there is %s", series)
		}
	}
	return nil
}

// families is what the endpoint serves.
func (w *world) families() map[string]*dto.MetricFamily {
	w.t.Helper()
	resp, err := http.Get("http://" + w.metrics + "/metrics")
	require.NoError(w.t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(w.t, err)
	require.Equal(w.t, http.StatusOK, resp.StatusCode, string(text))
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(string(text)))
	require.NoError(w.t, err)
	return families
}

// scrape is the value of every series of ours, as `name{label="value",...}` with the labels sorted.
func (w *world) scrape() map[string]float64 {
	w.t.Helper()
	now := map[string]float64{}
	for name, family := range w.families() {
		if !strings.HasPrefix(name, "accord_") {
			continue
		}
		for _, m := range family.Metric {
			labels := labelsOf(m)
			var pairs []string
			for _, label := range slices.Sorted(maps.Keys(labels)) {
				pairs = append(pairs, fmt.Sprintf("%s=%q", label, labels[label]))
			}
			now[name+"{"+strings.Join(pairs, ",")+"}"] = m.GetGauge().GetValue() + m.GetCounter().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	return now
}

func labelsOf(m *dto.Metric) map[string]string {
	labels := map[string]string{}
	for _, pair := range m.GetLabel() {
		labels[pair.GetName()] = pair.GetValue()
	}
	return labels
}
