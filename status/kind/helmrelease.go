package kind

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/status/kind/internal/pods"
	"github.com/accord-dev/accord/status/kind/internal/read"
	"github.com/accord-dev/accord/status/kind/internal/sum"
)

var helmRelease = release()

// release is a kind of Flux that also counts failures. They are added up over the clusters; Karmada adds them to the
// previous sum, again and again (B29).
func release() Kind {
	texts := []string{"lastAttemptedRevision", "lastAppliedRevision", "lastAttemptedValuesChecksum", "helmChart"}
	k := flux(releaseDependencies, texts...)
	failures := []string{"failures", "installFailures", "upgradeFailures"}
	k.Reflect = read.Pick{Counters: append([]string{"lastReleaseRevision"}, failures...), Texts: texts, Conditions: fluxConditions()}.Reflect
	aggregate := k.Aggregate
	k.Aggregate = func(answers []Answer) map[string]any {
		total := aggregate(answers)
		for f, n := range sum.Fields(answers, failures...) {
			total[f] = n
		}
		total["lastReleaseRevision"] = sum.Highest(answers, "lastReleaseRevision")
		return total
	}
	return k
}

// releaseDependencies returns the sources of its values and its Secrets, but not the source of its chart (Karmada
// §6.11).
func releaseDependencies(u *unstructured.Unstructured) []Reference {
	secrets := refersTo([]string{"spec", "chart", "spec", "verify", "secretRef", "name"}, []string{"spec", "kubeConfig", "secretRef", "name"})
	refs := pods.References{Namespace: u.GetNamespace(), Found: secrets(u)}
	for _, v := range read.Objects(u.Object, "spec", "valuesFrom") {
		if kind := read.Text(v, "kind"); kind == "ConfigMap" || kind == "Secret" {
			refs.Add(kind, read.Text(v, "name"))
		}
	}
	return refs.Sorted()
}
