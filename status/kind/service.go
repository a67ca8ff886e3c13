package kind

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

var service = Kind{
	Health:    present(serviceHealth),
	Reflect:   reflectService,
	Aggregate: aggregateService,
	// Karmada §6.3, and the list that the address is the first of.
	Yields:    []string{"spec.clusterIP", "spec.clusterIPs", "spec.healthCheckNodePort"},
	Immutable: serviceImmutable,
}

// serviceImmutable: what a cluster has given out, while the Service needs it before and after. What Git does not say any more
// the API server leaves as it is.
func serviceImmutable(before, after *unstructured.Unstructured) []string {
	typed := func(typ string) bool {
		return text(before.Object, "spec", "type") == typ && text(after.Object, "spec", "type") == typ
	}
	var changed []string
	set := func(path string, was, is any) {
		if is != nil && !same(was, is) {
			changed = append(changed, path)
		}
	}
	spec, next := object(before.Object, "spec"), object(after.Object, "spec")
	if text(spec, "type") != "ExternalName" && text(next, "type") != "ExternalName" {
		set("spec.clusterIP", address(spec), address(next))
	}
	if typed("LoadBalancer") && text(spec, "externalTrafficPolicy") == "Local" && text(next, "externalTrafficPolicy") == "Local" {
		set("spec.healthCheckNodePort", spec["healthCheckNodePort"], next["healthCheckNodePort"])
	}
	headless := text(spec, "clusterIP") == "None" || text(next, "clusterIP") == "None" // without addresses of any family
	if family := head(spec["ipFamilies"]); family != nil && !headless {                // without one the cluster has chosen
		set("spec.ipFamilies", family, head(next["ipFamilies"]))
	}
	if typed("LoadBalancer") && !same(spec["loadBalancerClass"], next["loadBalancerClass"]) {
		changed = append(changed, "spec.loadBalancerClass")
	}
	return changed
}

// address is the first address of a Service; nil if it gets one.
func address(spec map[string]any) any {
	if ip := text(spec, "clusterIP"); ip != "" {
		return ip
	}
	return head(spec["clusterIPs"])
}

// head is the first item of a list; nil if there is none.
func head(list any) any {
	if items, _ := list.([]any); len(items) > 0 {
		return items[0]
	}
	return nil
}

// serviceHealth: a load balancer needs an address; every other Service is what it is (Karmada §6.6).
func serviceHealth(spec, status map[string]any) (Health, string) {
	if text(spec, "type") == "LoadBalancer" && !addressed(status) {
		return Progressing, "waits for the address of a load balancer"
	}
	return Healthy, ""
}

func reflectService(u *unstructured.Unstructured) map[string]any {
	if text(u.Object, "spec", "type") != "LoadBalancer" {
		return nil
	}
	return keepAddresses(statusOf(u))
}

// aggregateService is nil if no cluster has a load balancer.
func aggregateService(answers []Answer) map[string]any {
	if len(which(answers, func(a Answer) bool { return a.Status != nil })) == 0 {
		return nil
	}
	return addresses(answers)
}
