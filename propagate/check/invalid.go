package check

import "github.com/accord-dev/accord/propagate"

var invalid = Check{
	Code:     "invalid",
	Severity: propagate.Error,
	Summary:  "a manifest that cannot be parsed, a value of a wrong type, an invalid name, an unknown field of a policy, or a duplicate object",
	Why: "accord decodes the kinds of Kubernetes as an API server does: `replicas: \"3\"` and a number in the `data` of a ConfigMap are " +
		"errors. It decodes policies and Clusters strictly. An API server silently drops an unknown field, so a policy with a misspelt " +
		"field does less than you expect. Of two objects with the same name, each sync would overwrite one with the other. accord " +
		"makes no plan until you correct the manifest; existing objects are kept.",
	Fix: "The message names the expected value and the nearest valid name. For a duplicate it names both places: remove one.",
	Example: `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: web, namespace: shop}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: web}]
  placement:
    replicaScheduling:
      weightPreference:
        staticClusterWeight: []   # did you mean staticWeightList?`,
}
