package propagate

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/policy"
)

// writtenRollout is a RolloutPolicy as it would be in a file, with the orders in its annotations.
func writtenRollout(r policy.Rollout) map[string]any {
	u := written(policy.RolloutGroup+"/v1alpha1", "RolloutPolicy", r.Meta, r.Spec)
	orders := map[string]string{}
	for _, o := range r.Orders {
		key := policy.OrderPrefix + o.Do
		what := strings.TrimPrefix(o.String(), o.Do+" ")
		orders[key] = strings.Trim(orders[key]+","+what, ",")
	}
	if len(orders) > 0 {
		(&unstructured.Unstructured{Object: u}).SetAnnotations(orders)
	}
	return u
}
