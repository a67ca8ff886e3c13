package status

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/phrase"
)

// Preflight is the server-side dry-run of a plan on the clusters. While it runs, and when a cluster rejects an object,
// none of the plan is delivered.
type Preflight struct {
	// Passed describes the objects that were tried and those that could not be; empty until the dry-run has passed.
	Passed string
	// Refused are the rejections, by cluster; empty while the dry-run runs.
	Refused []Refusal
}

// Refusal is one object that one cluster rejects.
type Refusal struct {
	Cluster string
	// Object is "apps/Deployment shop/web".
	Object string
	// Reason is one word; Message is that of the API server.
	Reason, Message string
}

// waits reports whether the plan is not delivered because of the dry-run.
func (p *Preflight) waits() bool { return p != nil && p.Passed == "" }

func (p *Preflight) condition(c *conditions) {
	switch {
	case p == nil:
	case !p.waits():
		c.set(v1alpha1.DryRunSucceeded, metav1.ConditionTrue, Succeeded, p.Passed)
	case len(p.Refused) == 0:
		c.set(v1alpha1.DryRunSucceeded, metav1.ConditionUnknown, Progressing, p.message())
	default:
		c.set(v1alpha1.DryRunSucceeded, metav1.ConditionFalse, p.Refused[0].Reason, p.message())
	}
}

// verdict returns the verdict on a plan that is not delivered.
func (p *Preflight) verdict(suspended bool) verdict {
	switch {
	case suspended:
		return waiting(Suspended, "the federation is suspended; "+p.message())
	case len(p.Refused) == 0:
		return inProgress(p.message())
	}
	return retrying(PreflightFailed, p.message())
}

// message names the first rejection and the number of clusters with the same one.
func (p *Preflight) message() string {
	if len(p.Refused) == 0 {
		return "it is tried on the clusters before anything is written to any"
	}
	first := p.Refused[0]
	others := slices.DeleteFunc(slices.Clone(p.Refused[1:]), func(r Refusal) bool { return !first.like(r) })
	text := first.Cluster
	if len(others) > 0 {
		text += fmt.Sprintf(" (and %d more)", len(others))
	}
	text += " refuses " + first.Object + ": " + shorten(first.Message, maxSentence)
	if more := len(p.Refused) - 1 - len(others); more > 0 {
		text += "; " + phrase.Count(more, "other refusal")
	}
	return text + "; nothing is written to any cluster, and they keep their objects"
}

// like reports whether two clusters reject the same object for the same reason.
func (r Refusal) like(other Refusal) bool {
	r.Cluster = other.Cluster
	return r == other
}

// DeliveryState returns the state of a cluster while the plan is not delivered.
func (p *Preflight) DeliveryState(cluster string) DeliveryState {
	i := slices.IndexFunc(p.Refused, func(r Refusal) bool { return r.Cluster == cluster })
	switch {
	case i >= 0:
		r := p.Refused[i]
		return DeliveryState{Cluster: cluster, State: v1alpha1.Failed, Reason: PreflightFailed, Object: r.Object, Message: r.Message}
	case len(p.Refused) == 0:
		return DeliveryState{Cluster: cluster, State: v1alpha1.Progressing, Reason: Progressing, Message: "the plan is tried before it is written"}
	}
	return DeliveryState{Cluster: cluster, State: v1alpha1.Held, Reason: Held, Message: fmt.Sprintf("nothing is written as long as %s refuses the plan", p.Refused[0].Cluster)}
}
