package deliveryreport

import "github.com/accord-dev/accord/api/v1alpha1"

// Dependencies returns, by cluster and rollout, the objects that are there because others need them.
func Dependencies(deliveries map[string]*v1alpha1.Delivery) map[string]map[string][]string {
	all := map[string]map[string][]string{}
	for name, d := range deliveries {
		all[name] = map[string][]string{}
		for _, r := range d.Status.Rollouts {
			all[name][r.Policy] = r.Dependencies
		}
	}
	return all
}
