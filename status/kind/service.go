package kind

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

var service = Kind{
	Health:    present(serviceHealth),
	Reflect:   reflectService,
	Aggregate: aggregateService,
	// Karmada §6.3, and the list that the address is the first of.
	Yields: []string{"spec.clusterIP", "spec.clusterIPs", "spec.healthCheckNodePort"},
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
