package status

import (
	"encoding/json"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/status/kind"
)

// Object returns the status of a FederatedObject of a known kind, from one cell for every decided cluster. why is the
// reason for which no cluster was chosen or, if there are any, for which the previous choice is kept; empty if there is
// none. The order of the cells does not matter.
func Object(prev v1alpha1.FederatedObjectStatus, generation int64, known kind.Kind, why string,
	cells []Cell, now time.Time) v1alpha1.FederatedObjectStatus {
	items := make([]item, 0, len(cells))
	for _, cell := range cells {
		items = append(items, cell.item(cell.Cluster))
	}
	t := count("clusters", items)
	c := &conditions{before: prev.Conditions, generation: generation, now: now}
	v := t.verdict()
	switch {
	case t.Total == 0:
		v = retrying(NoClusterFits, "no cluster fits: "+why)
		c.set(v1alpha1.Scheduled, metav1.ConditionFalse, NoClusterFits, v.message)
	case why != "":
		kept := retrying(Unschedulable, "no new choice could be made, and the last one is kept: "+why)
		c.set(v1alpha1.Scheduled, metav1.ConditionFalse, Unschedulable, kept.message)
		if v.ready == metav1.ConditionTrue {
			v = kept
		}
	default:
		c.set(v1alpha1.Scheduled, metav1.ConditionTrue, Succeeded, phrase.Count(len(cells), "cluster")+" chosen")
	}
	t.running(c)
	next := v1alpha1.FederatedObjectStatus{
		ObservedGeneration: observedGeneration(prev.ObservedGeneration, generation, cells),
		Conditions:         c.summarize(v),
		Summary:            t.Summary,
		Aggregate:          aggregate(known, cells),
	}
	next.Message = headline(next.Conditions)
	for _, i := range t.worst {
		next.Clusters = append(next.Clusters, onCluster(i, cells))
	}
	next.Omitted = int32(len(cells) - len(t.worst))
	return next
}

// observedGeneration is rule 2 of the contract: it moves when every decided cluster is known to run the wanted object
// and its controller has observed it, and it never goes back. It is never 0: see the package comment.
func observedGeneration(before, generation int64, cells []Cell) int64 {
	for _, cell := range cells {
		if !cell.Observed() {
			return behind(before)
		}
	}
	if len(cells) == 0 {
		return behind(before)
	}
	return generation
}

func behind(before int64) int64 {
	if before == 0 {
		return -1
	}
	return before
}

// item returns the cell as an item of a tally, under a name.
func (c Cell) item(name string) item {
	state, message := c.State()
	return item{
		name: name, state: state, message: shorten(message, maxSentence),
		applied: c.Applied() && !c.mutationFails(), written: c.Applied() || state == v1alpha1.Held, refused: c.refused(), terminal: c.terminal(), mutated: state == v1alpha1.Failed && c.mutationFails(), since: c.Since,
	}
}

// onCluster returns the entry of one cluster. The entry of an unreachable cluster has no digest or generation.
func onCluster(i item, cells []Cell) v1alpha1.ObjectOnCluster {
	entry := v1alpha1.ObjectOnCluster{Cluster: i.name, State: i.state, Message: i.message}
	for _, cell := range cells {
		if cell.Cluster == i.name && cell.Report != nil && cell.Unreachable == "" {
			entry.Digest = cell.Report.Digest
			entry.Generation, entry.ObservedGeneration = cell.Report.Generation, cell.Report.ObservedGeneration
		}
	}
	return entry
}

// aggregate adds up the live statuses of the reachable clusters; nil if the kind does not add up.
func aggregate(k kind.Kind, cells []Cell) *apiextensionsv1.JSON {
	if k.Aggregate == nil || len(cells) == 0 {
		return nil
	}
	total := k.Aggregate(Answers(cells))
	if total == nil {
		return nil
	}
	raw, err := json.Marshal(total)
	if err != nil {
		return nil // numbers, strings and lists of them: cannot happen
	}
	return &apiextensionsv1.JSON{Raw: raw}
}

// Answers returns the live statuses of the clusters; nothing is known of an unreachable one.
func Answers(cells []Cell) []kind.Answer {
	read := shapes{}
	answers := make([]kind.Answer, 0, len(cells))
	for _, cell := range cells {
		a := kind.Answer{Cluster: cell.Cluster}
		if cell.Report != nil && cell.Unreachable == "" {
			a.Current, a.Status = cell.Observed(), read.fill(cell.Report.Status)
		}
		answers = append(answers, a)
	}
	return answers
}
