package kind

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

var helmRelease = release()

// release is a kind of Flux that also counts failures. They are added up over the clusters; Karmada adds them to the sum
// before, again and again (B29).
func release() Kind {
	texts := []string{"lastAttemptedRevision", "lastAppliedRevision", "lastAttemptedValuesChecksum", "helmChart"}
	k := flux(releaseDependencies, texts...)
	failures := []string{"failures", "installFailures", "upgradeFailures"}
	k.Reflect = pick{counters: append([]string{"lastReleaseRevision"}, failures...), texts: texts, conditions: fluxConditions()}.reflect
	aggregate := k.Aggregate
	k.Aggregate = func(answers []Answer) map[string]any {
		total := aggregate(answers)
		for f, n := range sum(answers, failures...) {
			total[f] = n
		}
		total["lastReleaseRevision"] = highest(answers, "lastReleaseRevision")
		return total
	}
	return k
}

// releaseDependencies are where its values come from, and its Secrets. The source of its chart is none (Karmada §6.11).
func releaseDependencies(u *unstructured.Unstructured) []Reference {
	secrets := refersTo([]string{"spec", "chart", "spec", "verify", "secretRef", "name"}, []string{"spec", "kubeConfig", "secretRef", "name"})
	refs := references{namespace: u.GetNamespace(), found: secrets(u)}
	for _, v := range maps(u.Object, "spec", "valuesFrom") {
		if kind := text(v, "kind"); kind == "ConfigMap" || kind == "Secret" {
			refs.add(kind, text(v, "name"))
		}
	}
	return refs.sorted()
}
