package dump

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/policy"
)

// writtenRollout returns a RolloutPolicy as the manifest that a file would have, with the commands in its annotations.
func writtenRollout(r policy.Rollout) map[string]any {
	u := written(policy.RolloutGroup+"/v1alpha1", "RolloutPolicy", r.Meta, r.Spec)
	orders := map[string]string{}
	for _, o := range r.Commands {
		key := policy.CommandPrefix + o.Do
		what := strings.TrimPrefix(o.String(), o.Do+" ")
		orders[key] = strings.Trim(orders[key]+","+what, ",")
	}
	if len(orders) > 0 {
		(&unstructured.Unstructured{Object: u}).SetAnnotations(orders)
	}
	return u
}
