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

// flux is what the kinds of Flux have in common (Karmada §6.11): they report what they have observed, are healthy when
// Ready says so, and can be suspended on the member. Texts are the fields of the status that the aggregate keeps where
// all clusters agree.
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

// source is a kind of Flux that fetches something. Of the artifact only its revision is kept, and told in the message of
// Ready when all clusters are there: the rest is an address that is good within one cluster only.
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

// mergedFlux are the conditions of all clusters; there is one Ready and not, as with Karmada, one for each status.
func mergedFlux(answers []Answer) map[string]any {
	conditions := slices.Concat(sum.Merge(answers, "True", "Ready"), sum.Merge(answers, "False", "Reconciling", "Stalled"))
	return map[string]any{"conditions": conditions}
}

// ready is the health of what has a Ready condition, and Reconciling and Stalled beside it, whatever its reason: Flux has
// had new ones since Karmada wrote down which mean success.
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

// fluxHealth says of an object that is suspended that it is: its controller does not look at what has changed since, so
// a change waits until it is resumed.
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

// refersTo is the Dependencies of a kind that names Secrets at some paths, and a ServiceAccount maybe.
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
