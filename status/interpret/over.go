package interpret

import (
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/status/kind"
)

// over returns the built-in rules with those of the page over them.
func (p *page) over(built kind.Kind) kind.Kind {
	k := built
	if s := p.scripts[policy.ReplicaResource]; s != nil {
		k.Replicas, k.Requirements = countOr(s.replicas, built.Replicas), requestsOr(s.replicas, built.Requirements)
		k.Mistakes = mistakesOr(s.replicas, built.Mistakes)
	} else if s := p.scripts[policy.ComponentResource]; s != nil && built.Replicas == nil {
		k.Replicas, k.Requirements = countOr(s.room, nil), requestsOr(s.room, nil)
		k.Mistakes = mistakesOr(s.room, built.Mistakes)
	}
	if s := p.scripts[policy.ReplicaRevision]; s != nil {
		k.SetReplicas = s.reviseOr(built.SetReplicas)
	}
	if len(p.dependencies) > 0 {
		k.Dependencies = p.dependenciesOr(built.Dependencies)
	}
	if s := p.scripts[policy.StatusReflection]; s != nil {
		k.Reflect = s.reflectOr(built.Reflect)
	}
	if s := p.scripts[policy.StatusAggregation]; s != nil {
		k.Aggregate = p.aggregateOr(s, built.Aggregate)
		if k.Reflect == nil {
			k.Reflect = wholeStatus
		}
	}
	if s := p.scripts[policy.HealthInterpretation]; s != nil {
		k.Health = healthOr(s.health, built)
	} else if p.healthRule != nil {
		k.Health = healthOr(p.healthRule.health, built)
	}
	return k
}

// replicaScript returns the replicas of an object and the requests of one.
type replicaScript func(*unstructured.Unstructured) (workload, error)

func countOr(c replicaScript, built func(*unstructured.Unstructured) (int32, bool)) func(*unstructured.Unstructured) (int32, bool) {
	return func(u *unstructured.Unstructured) (int32, bool) {
		w, err := c(u)
		if err == nil {
			return w.replicas, true
		}
		if built == nil {
			return 0, false
		}
		return built(u)
	}
}

func requestsOr(c replicaScript, built func(*unstructured.Unstructured) corev1.ResourceList) func(*unstructured.Unstructured) corev1.ResourceList {
	return func(u *unstructured.Unstructured) corev1.ResourceList {
		w, err := c(u)
		if err == nil || built == nil {
			return w.requests
		}
		return built(u)
	}
}

func (s *script) reviseOr(built func(*unstructured.Unstructured, int32)) func(*unstructured.Unstructured, int32) {
	return func(u *unstructured.Unstructured, n int32) {
		content, err := s.revise(u, n)
		switch {
		case err == nil:
			u.Object = content
		case built != nil:
			built(u, n)
		}
	}
}

// dependenciesOr unites the results of the scripts; the built-in rule replaces one that fails.
func (p *page) dependenciesOr(built func(*unstructured.Unstructured) []kind.Reference) func(*unstructured.Unstructured) []kind.Reference {
	return func(u *unstructured.Unstructured) []kind.Reference {
		var all []kind.Reference
		for _, s := range p.dependencies {
			refs, err := s.dependencies(u)
			if err != nil && built != nil {
				refs = built(u)
			}
			all = append(all, refs...)
		}
		return union(all)
	}
}

func (s *script) reflectOr(built func(*unstructured.Unstructured) map[string]any) func(*unstructured.Unstructured) map[string]any {
	return func(u *unstructured.Unstructured) map[string]any {
		status, err := s.reflect(u)
		if err == nil {
			return status
		}
		if built == nil {
			return nil
		}
		return built(u)
	}
}

// wholeStatus is the Reflect of a kind with a script for the aggregation only: the whole status (Karmada §6.0), unless
// it is too long to be kept.
func wholeStatus(u *unstructured.Unstructured) map[string]any {
	status, _ := u.Object["status"].(map[string]any)
	if encoded, err := json.Marshal(status); err != nil || len(encoded) > maxStatus {
		return nil
	}
	return status
}

// aggregateOr calls the script with an object of the kind that has nothing but a status, because the sum must not
// depend on more. accord ignores its status.observedGeneration: one rule applies to all kinds.
func (p *page) aggregateOr(s *script, built func([]kind.Answer) map[string]any) func([]kind.Answer) map[string]any {
	return func(answers []kind.Answer) map[string]any {
		desired := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": p.apiVersion, "kind": p.kind,
			"metadata": map[string]any{}, "spec": map[string]any{}, "status": map[string]any{},
		}}
		status, err := s.aggregate(desired, statusItems(answers))
		if err == nil {
			return status
		}
		if built == nil {
			return nil
		}
		return built(answers)
	}
}

// healthOr returns the health of a live object. The rule for objects that are being deleted or not observed precedes
// the users' rule. If their rule fails, the health is Unknown, and the message has the answer of the built-in rule.
func healthOr(judge func(*unstructured.Unstructured) (kind.Health, string, error), built kind.Kind) func(*unstructured.Unstructured) (kind.Health, string) {
	return func(u *unstructured.Unstructured) (kind.Health, string) {
		if health, message := kind.Unsettled(u, built.Observes); health != "" {
			return health, message
		}
		health, why, err := judge(u)
		if err == nil {
			return health, why
		}
		guess, reason := built.Health(u)
		if reason != "" {
			reason = ", " + reason
		}
		return kind.Unknown, fmt.Sprintf("%v; without it: %s%s", err, guess, reason)
	}
}

// health returns the answer of InterpretHealth and a sentence about it.
func (s *script) health(u *unstructured.Unstructured) (kind.Health, string, error) {
	v, err := s.interpretHealth(u)
	switch {
	case err != nil:
		return kind.Unknown, "", err
	case !v.boolean:
		return v.health, v.message, nil
	case v.health == kind.Healthy:
		return kind.Healthy, "according to " + s.of.Title(), nil
	}
	return v.health, "not healthy according to " + s.of.Title(), nil
}
