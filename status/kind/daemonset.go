package kind

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

var daemonSet = Kind{
	Dependencies: podDependencies(templateSpec),
	Observes:     true,
	Health:       observed(daemonSetHealth),
	Reflect: counters("currentNumberScheduled", "desiredNumberScheduled", "numberAvailable", "numberMisscheduled",
		"numberReady", "updatedNumberScheduled", "numberUnavailable"),
	Aggregate: aggregateDaemonSet,
	Template:  template,
	Replaces:  daemonSetReplaces,
	Immutable: fixed{"spec.selector": nil}.changed,
}

// daemonSetHealth is Karmada §6.6; with OnDelete nobody but a person updates pods (see statefulSetHealth). A partition,
// and a selector of the nodes that are updated, are what the DaemonSet of Kruise has besides.
func daemonSetHealth(spec, status map[string]any) (Health, string) {
	want := count(status, "desiredNumberScheduled")
	if want == 0 {
		return Healthy, "no node is eligible"
	}
	rolling := object(spec, "updateStrategy", "rollingUpdate")
	r := rollout{
		want: want, due: want - portion(rolling["partition"], want), stay: partitioned,
		replicas: want, updated: count(status, "updatedNumberScheduled"), available: count(status, "numberAvailable"),
	}
	switch {
	case text(spec, "updateStrategy", "type") == "OnDelete":
		r.due, r.stay = 0, onDelete
	case rolling["selector"] != nil:
		r.due, r.stay = 0, "run an older revision, maybe on nodes that are not updated (spec.updateStrategy.rollingUpdate.selector)"
	}
	if truth(rolling, "paused") {
		r.paused = "spec.updateStrategy.rollingUpdate.paused"
	}
	return r.health()
}

// daemonSetReplaces: one on every node, unless its strategy waits. Of the partition and the selector of Kruise only the
// cluster knows how many nodes they leave.
func daemonSetReplaces(u *unstructured.Unstructured) (n int32, perNode bool) {
	waits := text(u.Object, "spec", "updateStrategy", "type") == "OnDelete" || truth(u.Object, "spec", "updateStrategy", "rollingUpdate", "paused")
	return 0, !waits
}

// aggregateDaemonSet is Karmada §6.5; updatedNumberScheduled counts only clusters that run what was decided.
func aggregateDaemonSet(answers []Answer) map[string]any {
	total := sum(answers, "currentNumberScheduled", "desiredNumberScheduled", "numberAvailable", "numberMisscheduled",
		"numberReady", "numberUnavailable")
	total["updatedNumberScheduled"] = sumCurrent(answers, "updatedNumberScheduled")
	return total
}
