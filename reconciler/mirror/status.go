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
	// decision that the cells are about, and whether the object says it: if it could not be written, it speaks of an older
	// one, and nobody is done with that.
	decision string
	written  bool
	// generation of the object, observed its status.observedGeneration before, and revision its status.currentRevision.
	generation, observed int64
	revision             string
}

// done says that every decided cluster is known to run what the object says (rule 2 of the status contract).
func (j aggregation) done() bool {
	for _, c := range j.cells {
		if !c.Observed() {
			return false
		}
	}
	return j.written && len(j.cells) > 0
}

// status is the whole status in the shape of the kind's own; nil for kinds that do not add up.
func (j aggregation) status() map[string]any {
	if j.kind.Aggregate == nil {
		return nil
	}
	all, current := j.answers()
	next := j.kind.Aggregate(current)
	if next == nil {
		return nil
	}
	there := j.kind.Aggregate(all)
	for _, field := range whatIsThere {
		if n, ok := there[field]; ok {
			next[field] = n
		}
	}
	if _, reports := next["observedGeneration"]; reports || j.kind.Observes {
		next["observedGeneration"] = j.observedGeneration()
	}
	j.complete(next)
	return next
}

// whatIsThere are the counts of a status that speak of all that a cluster has, whatever version it is. All others speak of
// what was decided, and only clusters that run that count.
var whatIsThere = []string{
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

// observedGeneration is the generation when all are done, else what it was before, and always less than the generation.
func (j aggregation) observedGeneration() int64 {
	if j.done() {
		return j.generation
	}
	return max(min(j.observed, j.generation-1), 0)
}

// complete fills in what readers of single kinds need and clusters do not have in common.
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
		next["fullyLabeledReplicas"] = next["replicas"] // every pod of it has the labels of its template
	case jobKind:
		next["conditions"] = endable(next["conditions"])
	}
}

// endable adds to the conditions of a Job what its controller says before it ends: the API server accepts no end without.
func endable(v any) []any {
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
