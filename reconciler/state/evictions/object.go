package evictions

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

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

// stateful reports whether an object is a StatefulSet or has PersistentVolumeClaims.
func stateful(u *unstructured.Unstructured) bool {
	if u == nil {
		return false
	}
	gk := u.GroupVersionKind().GroupKind()
	if gk.Kind == "StatefulSet" || gk.Kind == "PersistentVolumeClaim" && gk.Group == "" {
		return true
	}
	for _, path := range [][]string{{"spec", "template", "spec", "volumes"}, {"spec", "volumes"}} {
		volumes, _, _ := unstructured.NestedSlice(u.Object, path...)
		for _, v := range volumes {
			if volume, ok := v.(map[string]any); ok && volume["persistentVolumeClaim"] != nil {
				return true
			}
		}
	}
	claims, _, _ := unstructured.NestedSlice(u.Object, "spec", "volumeClaimTemplates")
	return len(claims) > 0
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
