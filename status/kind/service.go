package kind

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/status/kind/internal/health"
	"github.com/accord-dev/accord/status/kind/internal/read"
	"github.com/accord-dev/accord/status/kind/internal/sum"
)

var service = Kind{
	Health:    health.Present(serviceHealth),
	Reflect:   reflectService,
	Aggregate: aggregateService,
	// Karmada §6.3, and the list that the address is the first of.
	Yields:    []string{"spec.clusterIP", "spec.clusterIPs", "spec.healthCheckNodePort"},
	Immutable: serviceImmutable,
}

// serviceImmutable checks the fields that a cluster assigned, while the Service needs them before and after. Fields
// that Git no longer sets keep their value on the API server.
func serviceImmutable(before, after *unstructured.Unstructured) []string {
	typed := func(typ string) bool {
		return read.Text(before.Object, "spec", "type") == typ && read.Text(after.Object, "spec", "type") == typ
	}
	var changed []string
	set := func(path string, was, is any) {
		if is != nil && !read.Equal(was, is) {
			changed = append(changed, path)
		}
	}
	spec, next := read.Object(before.Object, "spec"), read.Object(after.Object, "spec")
	if read.Text(spec, "type") != "ExternalName" && read.Text(next, "type") != "ExternalName" {
		set("spec.clusterIP", address(spec), address(next))
	}
	if typed("LoadBalancer") && read.Text(spec, "externalTrafficPolicy") == "Local" && read.Text(next, "externalTrafficPolicy") == "Local" {
		set("spec.healthCheckNodePort", spec["healthCheckNodePort"], next["healthCheckNodePort"])
	}
	headless := read.Text(spec, "clusterIP") == "None" || read.Text(next, "clusterIP") == "None" // without addresses of any family
	if family := head(spec["ipFamilies"]); family != nil && !headless {                          // without one the cluster has chosen
		set("spec.ipFamilies", family, head(next["ipFamilies"]))
	}
	if typed("LoadBalancer") && !read.Equal(spec["loadBalancerClass"], next["loadBalancerClass"]) {
		changed = append(changed, "spec.loadBalancerClass")
	}
	return changed
}

// address returns the first address of a Service; nil if the cluster assigns it.
func address(spec map[string]any) any {
	if ip := read.Text(spec, "clusterIP"); ip != "" {
		return ip
	}
	return head(spec["clusterIPs"])
}

// head returns the first item of a list; nil if there is none.
func head(list any) any {
	if items, _ := list.([]any); len(items) > 0 {
		return items[0]
	}
	return nil
}

// serviceHealth: a load balancer needs an address; every other Service is healthy (Karmada §6.6).
func serviceHealth(spec, status map[string]any) (Health, string) {
	if read.Text(spec, "type") == "LoadBalancer" && !read.HasAddress(status) {
		return Progressing, "waits for the address of a load balancer"
	}
	return Healthy, ""
}

func reflectService(u *unstructured.Unstructured) map[string]any {
	if read.Text(u.Object, "spec", "type") != "LoadBalancer" {
		return nil
	}
	return read.Addresses(read.Status(u))
}

// aggregateService returns nil if no cluster has a load balancer.
func aggregateService(answers []Answer) map[string]any {
	if len(sum.Which(answers, func(a Answer) bool { return a.Status != nil })) == 0 {
		return nil
	}
	return sum.Addresses(answers)
}
