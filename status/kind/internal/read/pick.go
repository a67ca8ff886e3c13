package read

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Pick names the fields that a kind keeps of a status: numbers, texts and conditions.
type Pick struct {
	Counters   []string
	Texts      []string
	Conditions []string
}

// Reflect is the Reflect of a kind that keeps only those.
func (p Pick) Reflect(u *unstructured.Unstructured) map[string]any { return p.From(Status(u)) }

// From returns the fields of a status; nil if there is no status.
func (p Pick) From(status map[string]any) map[string]any {
	if status == nil {
		return nil
	}
	kept := keep(status, p.Counters...)
	for _, f := range p.Texts {
		if s := Text(status, f); s != "" {
			kept[f] = s
		}
	}
	if conditions := keepConditions(status, p.Conditions...); conditions != nil {
		kept["conditions"] = conditions
	}
	return kept
}

// Counters returns the Reflect of a kind whose status is numbers; it omits zeros.
func Counters(fields ...string) func(*unstructured.Unstructured) map[string]any {
	return func(u *unstructured.Unstructured) map[string]any { return keep(Status(u), fields...) }
}

// keep returns numbers of a status other than 0; nil if there is no status.
func keep(status map[string]any, fields ...string) map[string]any {
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

// Addresses returns hostname, ip and mode of each load balancer entry, without ports.
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

// HasAddress reports whether some entry has an address.
func HasAddress(status map[string]any) bool {
	return slices.ContainsFunc(Objects(status, "loadBalancer", "ingress"), func(i map[string]any) bool {
		return Text(i, "hostname") != "" || Text(i, "ip") != ""
	})
}

// Phase is the Reflect of a kind with a phase.
func Phase(u *unstructured.Unstructured) map[string]any {
	if p := Text(Status(u), "phase"); p != "" {
		return map[string]any{"phase": p}
	}
	return nil
}
