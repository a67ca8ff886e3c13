package check

import "github.com/accord-dev/accord/propagate"

var invalid = Check{
	Code:     "invalid",
	Severity: propagate.Error,
	Summary:  "a manifest that cannot be read, a field that does not exist, a value that is not allowed, a thing that is defined twice",
	Why: "Policies and Clusters are read strictly. An API server drops a field that it does not know and says nothing, so a policy with a " +
		"misspelt field does less than it says. Of two objects with the same name one would overwrite the other, on every sync in turn. " +
		"Nothing is planned until this is right; what runs stays as it is.",
	Fix: "The message says what was expected, with the nearest name there is. For what is defined twice it has both places: remove one.",
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
