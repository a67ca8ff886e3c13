package mirror

import (
	"maps"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/status"
	"github.com/accord-dev/accord/status/kind"
)

// aggregation has the inputs of the status of a mirrored object.
type aggregation struct {
	id   manifest.ID
	kind kind.Kind
	// cells has one for every decided cluster.
	cells []status.Cell
	// decision that is wanted. written: the cells are about it, and the object on the hub has it; otherwise no cluster counts
	// as done.
	decision string
	written  bool
	// generation of the object, observed its status.observedGeneration before, and revision its status.currentRevision.
	generation, observed int64
	revision             string
}

// done reports whether every decided cluster is known to run the decision of the object (rule 2 of the status contract).
func (j aggregation) done() bool {
	for _, c := range j.cells {
		if !c.Observed() {
			return false
		}
	}
	return j.written && len(j.cells) > 0
}

// status returns the whole status in the shape of the kind; nil for kinds whose status cannot be added up.
func (j aggregation) status() map[string]any {
	if j.kind.Aggregate == nil {
		return nil
	}
	all, current := j.answers()
	next := j.kind.Aggregate(current)
	if next == nil {
		return nil
	}
	total := j.kind.Aggregate(all)
	for _, field := range anyVersion {
		if n, ok := total[field]; ok {
			next[field] = n
		}
	}
	if _, reports := next["observedGeneration"]; reports || j.kind.Observes {
		next["observedGeneration"] = j.observedGeneration()
	}
	j.complete(next)
	return next
}

// anyVersion has the counts of a status that include pods of every version. In all others only clusters count that run the
// decided version.
var anyVersion = []string{
	"replicas", "readyReplicas", "unavailableReplicas", "currentReplicas",
	"desiredNumberScheduled", "currentNumberScheduled", "numberReady", "numberMisscheduled", "numberUnavailable",
}

// answers returns the statuses of the reachable clusters, and the same without those of clusters that run another version.
func (j aggregation) answers() (all, current []kind.Answer) {
	all = status.Answers(j.cells)
	for _, a := range all {
		if !a.Current {
			a.Status = nil
		}
		current = append(current, a)
	}
	return all, current
}

// observedGeneration returns the generation once all clusters are done; before that the last value, and always less than the
// generation.
func (j aggregation) observedGeneration() int64 {
	if j.done() {
		return j.generation
	}
	return max(min(j.observed, j.generation-1), 0)
}

// complete adds the fields that readers of single kinds need and that cannot be added up.
func (j aggregation) complete(next map[string]any) {
	switch j.id.GroupKind() {
	case statefulSetKind:
		// kubectl and kstatus compare the two revisions where there is no partition.
		revision := j.id.Name + "-" + j.decision
		next["updateRevision"], next["currentRevision"] = revision, j.revision
		if j.done() && next["updatedReplicas"] == next["replicas"] {
			next["currentRevision"] = revision
		}
	case schema.GroupKind{Group: "apps", Kind: "ReplicaSet"}:
		next["fullyLabeledReplicas"] = next["replicas"] // every pod has the labels of the template
	case jobKind:
		next["conditions"] = withCriteria(next["conditions"])
	}
}

// withCriteria adds the conditions that the Job controller sets before Complete and Failed: the API server refuses these two
// without them.
func withCriteria(v any) []any {
	conditions, _ := v.([]any)
	for _, c := range conditions {
		end, _ := c.(map[string]any)
		before := ""
		switch end["type"] {
		case "Complete":
			before = "SuccessCriteriaMet"
		case "Failed":
			before = "FailureTarget"
		default:
			continue
		}
		also := maps.Clone(end)
		also["type"] = before
		conditions = append(conditions, also)
	}
	return conditions
}
