package kind

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// pick is what a kind keeps of a status: numbers, texts and conditions by name, and no more.
type pick struct {
	counters   []string
	texts      []string
	conditions []string
}

// reflect is the Reflect of a kind that keeps just that.
func (p pick) reflect(u *unstructured.Unstructured) map[string]any { return p.from(statusOf(u)) }

// from picks; nil if there is no status to pick from.
func (p pick) from(status map[string]any) map[string]any {
	if status == nil {
		return nil
	}
	kept := keepCounters(status, p.counters...)
	for _, f := range p.texts {
		if s := text(status, f); s != "" {
			kept[f] = s
		}
	}
	if conditions := keepConditions(status, p.conditions...); conditions != nil {
		kept["conditions"] = conditions
	}
	return kept
}
