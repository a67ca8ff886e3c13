// Package figures holds the values that metrics show of a Federation.
package figures

import (
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/metrics/counts"
)

// Federation has the metrics of a Federation.
type Federation struct {
	SourceReady   bool
	Suspended     bool
	Interval      time.Duration
	LastReconcile time.Time // zero before the first
	LeadTime      counts.LeadTime
	Release       *v1alpha1.ReleaseStatus // of the newest Release; nil before the first
	Clusters      []Cluster
	Failover      counts.Failover
}

// Cluster has the metrics of one Delivery.
type Cluster struct {
	Cluster      string
	State        v1alpha1.State
	Summary      v1alpha1.Summary
	PruneBlocked bool
	LastReady    time.Time // zero if unknown
	Contended    int
	Counts       counts.Delivery
	// Kinds are the objects by kind, of a Federation that reads a live cluster.
	Kinds map[string]counts.Kind
}
