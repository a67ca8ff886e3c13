package kind

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/status/kind/internal/health"
	"github.com/accord-dev/accord/status/kind/internal/pods"
	"github.com/accord-dev/accord/status/kind/internal/read"
	"github.com/accord-dev/accord/status/kind/internal/sum"
)

var daemonSet = Kind{
	Dependencies: pods.Dependencies(pods.TemplateSpec),
	Observes:     true,
	Health:       health.Observed(daemonSetHealth),
	Reflect: read.Counters("currentNumberScheduled", "desiredNumberScheduled", "numberAvailable", "numberMisscheduled",
		"numberReady", "updatedNumberScheduled", "numberUnavailable"),
	Aggregate: aggregateDaemonSet,
	Template:  pods.Template,
	Replaces:  daemonSetReplaces,
	Immutable: read.Fixed{"spec.selector": nil}.Changed,
}

// daemonSetHealth is Karmada §6.6; with OnDelete only a person updates pods (see statefulSetHealth). Only the
// DaemonSet of Kruise has a partition and a selector of the nodes to update.
func daemonSetHealth(spec, status map[string]any) (Health, string) {
	want := read.Count(status, "desiredNumberScheduled")
	if want == 0 {
		return Healthy, "no node is eligible"
	}
	rolling := read.Object(spec, "updateStrategy", "rollingUpdate")
	r := health.Rollout{
		Want: want, Due: want - health.Portion(rolling["partition"], want), Stay: health.Partitioned,
		Replicas: want, Updated: read.Count(status, "updatedNumberScheduled"), Available: read.Count(status, "numberAvailable"),
	}
	switch {
	case read.Text(spec, "updateStrategy", "type") == "OnDelete":
		r.Due, r.Stay = 0, health.OnDelete
	case rolling["selector"] != nil:
		r.Due, r.Stay = 0, "run an older revision, maybe on nodes that are not updated (spec.updateStrategy.rollingUpdate.selector)"
	}
	if read.Bool(rolling, "paused") {
		r.Paused = "spec.updateStrategy.rollingUpdate.paused"
	}
	return r.Health()
}

// daemonSetReplaces: one on every node, unless its strategy waits. Only the cluster knows how many nodes the partition
// and the selector of Kruise leave.
func daemonSetReplaces(u *unstructured.Unstructured) (n int32, perNode bool) {
	waits := read.Text(u.Object, "spec", "updateStrategy", "type") == "OnDelete" || read.Bool(u.Object, "spec", "updateStrategy", "rollingUpdate", "paused")
	return 0, !waits
}

// aggregateDaemonSet is Karmada §6.5; updatedNumberScheduled counts only clusters that run the wanted object.
func aggregateDaemonSet(answers []Answer) map[string]any {
	total := sum.Fields(answers, "currentNumberScheduled", "desiredNumberScheduled", "numberAvailable", "numberMisscheduled",
		"numberReady", "numberUnavailable")
	total["updatedNumberScheduled"] = sum.Current(answers, "updatedNumberScheduled")
	return total
}
