package read

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Pick is what a kind keeps of a status: numbers, texts and conditions by name, and no more.
type Pick struct {
	Counters   []string
	Texts      []string
	Conditions []string
}

// Reflect is the Reflect of a kind that keeps just that.
func (p Pick) Reflect(u *unstructured.Unstructured) map[string]any { return p.From(Status(u)) }

// From picks; nil if there is no status to pick from.
func (p Pick) From(status map[string]any) map[string]any {
	if status == nil {
		return nil
	}
	kept := Keep(status, p.Counters...)
	for _, f := range p.Texts {
		if s := Text(status, f); s != "" {
			kept[f] = s
		}
	}
	if conditions := KeepConditions(status, p.Conditions...); conditions != nil {
		kept["conditions"] = conditions
	}
	return kept
}

// Counters is the Reflect of a kind whose status is numbers: it keeps those that are there.
func Counters(fields ...string) func(*unstructured.Unstructured) map[string]any {
	return func(u *unstructured.Unstructured) map[string]any { return Keep(Status(u), fields...) }
}

// Keep picks numbers; nil if there is no status to pick from.
func Keep(status map[string]any, fields ...string) map[string]any {
	if status == nil {
		return nil
	}
	kept := make(map[string]any, len(fields))
	for _, f := range fields {
		if n := Count(status, f); n != 0 {
			kept[f] = n
		}
	}
	return kept
}

// Addresses is the Reflect that goes with it: hostname, ip and mode of each entry, no ports.
func Addresses(status map[string]any) map[string]any {
	if status == nil {
		return nil
	}
	var kept []any
	for _, i := range Objects(status, "loadBalancer", "ingress") {
		entry := map[string]any{}
		for _, f := range []string{"hostname", "ip", "ipMode"} {
			if s := Text(i, f); s != "" {
				entry[f] = s
			}
		}
		kept = append(kept, entry)
	}
	return map[string]any{"loadBalancer": map[string]any{"ingress": kept}}
}

// HasAddress says whether some entry has an address.
func HasAddress(status map[string]any) bool {
	return slices.ContainsFunc(Objects(status, "loadBalancer", "ingress"), func(i map[string]any) bool {
		return Text(i, "hostname") != "" || Text(i, "ip") != ""
	})
}

// Phase is the Reflect of a kind that says how it is in one word.
func Phase(u *unstructured.Unstructured) map[string]any {
	if p := Text(Status(u), "phase"); p != "" {
		return map[string]any{"phase": p}
	}
	return nil
}
