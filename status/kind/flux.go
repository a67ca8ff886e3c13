package kind

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/status/kind/internal/health"
	"github.com/accord-dev/accord/status/kind/internal/pods"
	"github.com/accord-dev/accord/status/kind/internal/read"
	"github.com/accord-dev/accord/status/kind/internal/sum"
)

// flux returns the common rules of Flux's kinds (Karmada §6.11): they report the generation that they observed, are
// healthy when Ready is True, and can be suspended on the member. texts are the fields of the status that the aggregate
// keeps if all clusters agree.
func flux(dependencies func(*unstructured.Unstructured) []Reference, texts ...string) Kind {
	p := read.Pick{Texts: texts, Conditions: fluxConditions()}
	return Kind{
		Dependencies: dependencies,
		Observes:     true,
		Health:       fluxHealth(health.Observed(ready)),
		Reflect:      p.Reflect,
		Aggregate: func(answers []Answer) map[string]any {
			total := mergedFlux(answers)
			sum.Agree(total, answers, texts...)
			return total
		},
		Yields: []string{"spec.suspend"},
	}
}

// source returns the rules of a kind of Flux that fetches something. It keeps only the revision of the artifact, for
// the message of Ready if all clusters have the same: the address is valid in one cluster only.
func source(dependencies func(*unstructured.Unstructured) []Reference, texts ...string) Kind {
	k := flux(dependencies, texts...)
	reflect, aggregate := k.Reflect, k.Aggregate
	k.Reflect = func(u *unstructured.Unstructured) map[string]any {
		kept := reflect(u)
		if revision := read.Text(read.Status(u), "artifact", "revision"); revision != "" {
			kept["artifact"] = map[string]any{"revision": revision}
		}
		return kept
	}
	k.Aggregate = func(answers []Answer) map[string]any {
		total := aggregate(answers)
		revision := sum.Agreed(answers, "artifact", "revision")
		if c := read.Condition(total, "Ready"); read.Text(c, "status") == "True" && revision != "" {
			c["message"] = read.Text(c, "message") + ", at " + revision
		}
		return total
	}
	return k
}

func fluxConditions() []string { return []string{"Ready", "Reconciling", "Stalled"} }

// mergedFlux returns the conditions of all clusters with one Ready; Karmada has one for each status.
func mergedFlux(answers []Answer) map[string]any {
	conditions := slices.Concat(sum.Merge(answers, "True", "Ready"), sum.Merge(answers, "False", "Reconciling", "Stalled"))
	return map[string]any{"conditions": conditions}
}

// ready is the health of a kind with a Ready condition, and Reconciling and Stalled beside it, whatever its reason:
// Flux has added reasons since Karmada listed those of success.
func ready(_, status map[string]any) (Health, string) {
	c, busy := read.Condition(status, "Ready"), read.Condition(status, "Reconciling")
	switch {
	case read.IsTrue(status, "Stalled"):
		return Failed, "stalled: " + read.Why(read.Condition(status, "Stalled"))
	case read.Text(c, "status") != "True":
		return Progressing, "not ready: " + cmp.Or(read.Why(c), read.Why(busy), "it has no Ready condition yet")
	case read.IsTrue(status, "Reconciling"):
		return Progressing, "is being reconciled: " + read.Why(busy)
	}
	return Healthy, read.Why(c)
}

// fluxHealth adds to the message of a suspended object that it is suspended: its controller ignores changes until it is
// resumed.
func fluxHealth(health func(*unstructured.Unstructured) (Health, string)) func(*unstructured.Unstructured) (Health, string) {
	return func(u *unstructured.Unstructured) (Health, string) {
		h, message := health(u)
		if read.Bool(u.Object, "spec", "suspend") {
			if message != "" {
				message += "; "
			}
			message += "suspended (spec.suspend)"
		}
		return h, message
	}
}

// refersTo returns the Dependencies of a kind that names Secrets at some paths, and perhaps a ServiceAccount.
func refersTo(secrets ...[]string) func(*unstructured.Unstructured) []Reference {
	return func(u *unstructured.Unstructured) []Reference {
		refs := pods.References{Namespace: u.GetNamespace()}
		for _, path := range secrets {
			refs.Add("Secret", read.Text(u.Object, path...))
		}
		if account := read.Text(u.Object, "spec", "serviceAccountName"); account != "default" {
			refs.Add("ServiceAccount", account)
		}
		return refs.Sorted()
	}
}
