package kind

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// maxList is how many bytes a list that grows with the number of clusters may take in an aggregate.
const maxList = 32 << 10

// counters is the Reflect of a kind whose status is numbers: it keeps those that are there.
func counters(fields ...string) func(*unstructured.Unstructured) map[string]any {
	return func(u *unstructured.Unstructured) map[string]any { return keepCounters(statusOf(u), fields...) }
}

// keepCounters picks numbers; nil if there is no status to pick from.
func keepCounters(status map[string]any, fields ...string) map[string]any {
	if status == nil {
		return nil
	}
	kept := make(map[string]any, len(fields))
	for _, f := range fields {
		if n := count(status, f); n != 0 {
			kept[f] = n
		}
	}
	return kept
}

// summed is the Aggregate of such a kind.
func summed(fields ...string) func([]Answer) map[string]any {
	return func(answers []Answer) map[string]any { return sum(answers, fields...) }
}

// sum adds up counters over all answers.
func sum(answers []Answer, fields ...string) map[string]any {
	total := make(map[string]any, len(fields))
	for _, f := range fields {
		var n int64
		for _, a := range answers {
			n += count(a.Status, f)
		}
		total[f] = n
	}
	return total
}

// sumCurrent adds up a counter over the clusters that run what was decided. A cluster still on an older template
// counts its old pods as updated; here they are not.
func sumCurrent(answers []Answer, field string) int64 {
	return sum(slices.DeleteFunc(slices.Clone(answers), func(a Answer) bool { return !a.Current }), field)[field].(int64)
}

// addresses is the union of load balancer addresses, sorted by hostname, ip and ipMode (Karmada §6.5).
func addresses(answers []Answer) map[string]any {
	type address struct{ hostname, ip, mode string }
	var all []address
	for _, a := range answers {
		for _, i := range maps(a.Status, "loadBalancer", "ingress") {
			all = append(all, address{text(i, "hostname"), text(i, "ip"), text(i, "ipMode")})
		}
	}
	slices.SortFunc(all, func(a, b address) int {
		return cmp.Or(cmp.Compare(a.hostname, b.hostname), cmp.Compare(a.ip, b.ip), cmp.Compare(a.mode, b.mode))
	})
	var union []any
	size := 0
	for _, a := range slices.Compact(all) {
		entry := map[string]any{}
		size += len(`{},`)
		for f, s := range map[string]string{"hostname": a.hostname, "ip": a.ip, "ipMode": a.mode} {
			if s != "" {
				entry[f] = s
				size += len(f) + len(s) + len(`"":"",`)
			}
		}
		if size > maxList {
			break
		}
		union = append(union, entry)
	}
	return map[string]any{"loadBalancer": map[string]any{"ingress": union}}
}

// keepAddresses is the Reflect that goes with it: hostname, ip and mode of each entry, no ports.
func keepAddresses(status map[string]any) map[string]any {
	if status == nil {
		return nil
	}
	var kept []any
	for _, i := range maps(status, "loadBalancer", "ingress") {
		entry := map[string]any{}
		for _, f := range []string{"hostname", "ip", "ipMode"} {
			if s := text(i, f); s != "" {
				entry[f] = s
			}
		}
		kept = append(kept, entry)
	}
	return map[string]any{"loadBalancer": map[string]any{"ingress": kept}}
}

// addressed says whether some entry has an address.
func addressed(status map[string]any) bool {
	return slices.ContainsFunc(maps(status, "loadBalancer", "ingress"), func(i map[string]any) bool {
		return text(i, "hostname") != "" || text(i, "ip") != ""
	})
}
