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

// Tenant is the check whose findings package tenancy returns. They block a commit that does not bring them, too.
var Tenant = Check{
	Code: "tenant", Severity: propagate.Error,
	Summary: "a source, an object, a Cluster or a power that the Tenant of the Federation does not allow, or manifests beyond its limits",
	Why:     "accord delivers nothing of a revision that the Tenant refuses: see docs/how-to/tenants.md. `--allow` does not lift this check.",
	Fix:     "The message names the rule. Remove the object, or ask an administrator to change the Tenant.",
	Example: "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: of-another-team}}",
}
