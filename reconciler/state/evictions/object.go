package evictions

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate/decision"
	"github.com/accord-dev/accord/propagate/failover"
	"github.com/accord-dev/accord/propagate/previous"
	"github.com/accord-dev/accord/status"
	"github.com/accord-dev/accord/status/kind"
)

func choice(c decision.Choice) previous.Cluster {
	return previous.Cluster{Name: c.Cluster, Replicas: c.Replicas, Completions: c.Completions, Held: c.Held != ""}
}

// health returns the health of a copy as Karmada has it: a workload that is not complete is Unhealthy. A Job that runs is neither.
func health(id manifest.ID, report status.Report) failover.Health {
	switch report.Health {
	case kind.Healthy:
		return failover.Healthy
	case kind.Failed:
		return failover.Unhealthy
	case kind.Progressing:
		if id.Group != "batch" {
			return failover.Unhealthy
		}
	}
	return failover.Unknown
}

// job is the kind that runs to completion.
var job = schema.GroupKind{Group: "batch", Kind: "Job"}

// run returns the progress of a Job. listed means that the cluster answers, and that its objects are known: a Job without a report is
// then not there.
func run(report status.Report, seen, listed bool) failover.Run {
	switch {
	case seen && (report.Health == kind.Healthy || report.Health == kind.Failed):
		return failover.Finished
	case seen || listed:
		return failover.Running
	}
	return failover.Unseen
}

// preserves reports whether the policy of an object preserves state of its copies.
func preserves(d *decision.Decision) bool {
	f := d.Policy.Spec.Failover
	return f != nil && (f.Application != nil && f.Application.StatePreservation != nil || f.Cluster != nil && f.Cluster.StatePreservation != nil)
}

func rawStatus(report status.Report) []byte {
	text, err := json.Marshal(report.Status.Map())
	if err != nil {
		return nil
	}
	return text
}
