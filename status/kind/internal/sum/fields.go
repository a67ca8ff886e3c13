package sum

import (
	"cmp"
	"slices"

	"github.com/accord-dev/accord/status/kind/internal/read"
)

// MaxList limits the bytes of a list that grows with the number of clusters.
const MaxList = 32 << 10

// Summed returns the Aggregate of a kind whose status is numbers.
func Summed(fields ...string) func([]Answer) map[string]any {
	return func(answers []Answer) map[string]any { return Fields(answers, fields...) }
}

// Fields adds up counters over all clusters.
func Fields(answers []Answer, fields ...string) map[string]any {
	total := make(map[string]any, len(fields))
	for _, f := range fields {
		var n int64
		for _, a := range answers {
			n += read.Count(a.Status, f)
		}
		total[f] = n
	}
	return total
}

// Current adds up a counter over the clusters that run the wanted object. A cluster with an older template counts its
// old pods as updated; here they are not.
func Current(answers []Answer, field string) int64 {
	return Fields(slices.DeleteFunc(slices.Clone(answers), func(a Answer) bool { return !a.Current }), field)[field].(int64)
}

// Addresses returns the union of load balancer addresses, sorted by hostname, ip and ipMode (Karmada §6.5).
func Addresses(answers []Answer) map[string]any {
	type address struct{ hostname, ip, mode string }
	var all []address
	for _, a := range answers {
		for _, i := range read.Objects(a.Status, "loadBalancer", "ingress") {
			all = append(all, address{read.Text(i, "hostname"), read.Text(i, "ip"), read.Text(i, "ipMode")})
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
		if size > MaxList {
			break
		}
		union = append(union, entry)
	}
	return map[string]any{"loadBalancer": map[string]any{"ingress": union}}
}
