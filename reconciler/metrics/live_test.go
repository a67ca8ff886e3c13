package metrics

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/reconciler/metrics/counts"
)

// TestLiveMetrics: a Federation that reads a live cluster has objects by kind, the state of the cluster, and the lag.
func TestLiveMetrics(t *testing.T) {
	f := Federation{Name: "dr/standby", LeadTime: counts.LeadTime{Behind: time.Now().Add(-time.Minute)}}
	registry := prometheus.NewPedanticRegistry()
	require.NoError(t, registry.Register(NewCollector(func() Snapshot {
		return Snapshot{
			Federations: []Federation{f},
			Deliveries:  []Delivery{{Federation: "dr/standby", Cluster: "eu", Kinds: map[string]counts.Kind{"Deployment.apps": {Desired: 3, Applied: 2, Failed: 1}}}},
			Standbys: []Standby{
				{Federation: "dr/standby", Source: "production", Cluster: "eu", Active: true}, {Federation: "dr/standby", Source: "other", Cluster: "us"},
			},
			Live: []LiveSource{
				{Federation: "dr/standby", Source: "production", Objects: map[string]int{"Deployment.apps": 3, "ConfigMap": 2}, Unread: true, Listed: time.Unix(10, 0), Read: time.Unix(20, 0)},
				{Federation: "dr/standby", Source: "other"},
			},
		}
	}, &HubWrites{})))
	families, err := registry.Gather()
	require.NoError(t, err)
	values := map[string]float64{}
	for _, family := range families {
		for _, m := range family.Metric {
			key := family.GetName()
			for _, l := range m.Label {
				key += " " + l.GetValue()
			}
			values[key] = m.Gauge.GetValue()
		}
	}
	require.InDelta(t, 60, values["accord_federation_lag_seconds dr/standby"], 10)
	for key, want := range map[string]float64{
		"accord_live_objects dr/standby Deployment.apps production":  3,
		"accord_standby_active eu dr/standby production":             1,
		"accord_standby_active us dr/standby other":                  0,
		"accord_live_unread dr/standby production":                   1,
		"accord_live_unread dr/standby other":                        0,
		"accord_live_read_timestamp_seconds dr/standby production":   20,
		"accord_live_listed_timestamp_seconds dr/standby production": 10,
		"accord_kind_objects_desired eu dr/standby Deployment.apps":  3,
		"accord_kind_objects_applied eu dr/standby Deployment.apps":  2,
		"accord_kind_objects_failed eu dr/standby Deployment.apps":   1,
		"accord_live_objects dr/standby ConfigMap production":        2,
	} {
		require.Contains(t, values, key)
		require.Equal(t, want, values[key], key)
	}
	require.NotContains(t, values, "accord_live_read_timestamp_seconds dr/standby other", "nothing was read yet")
}
