package metrics

import (
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"
)

// TestEvictionMetrics: evictions are counted by Federation and cause, and their duration is a histogram of the Federation.
func TestEvictionMetrics(t *testing.T) {
	f := Federation{Name: "prod"}
	f.Failover.Begin("TaintUntolerated")
	f.Failover.Begin("TaintUntolerated")
	f.Failover.Begin("ClusterRemoved")
	f.Failover.Open = 2
	f.Failover.Recovery.Observe(90 * time.Second)
	values := map[string]float64{}
	for _, m := range f.metrics() {
		var x dto.Metric
		require.NoError(t, m.Write(&x))
		key := ""
		for _, l := range x.Label {
			key += " " + l.GetName() + "=" + l.GetValue()
		}
		for _, s := range []*series{evictionsBegun, evictionsOpen, evictionRecovery} {
			if m.Desc() == s.desc {
				values[s.Name+key] = x.Counter.GetValue() + x.Gauge.GetValue() + x.Histogram.GetSampleSum()
			}
		}
	}
	require.Equal(t, map[string]float64{
		"accord_evictions_total federation=prod reason=TaintUntolerated": 2,
		"accord_evictions_total federation=prod reason=ClusterRemoved":   1,
		"accord_evictions_open federation=prod":                          2,
		"accord_eviction_recovery_seconds federation=prod":               90,
	}, values)
}
