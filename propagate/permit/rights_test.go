package permit_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/dump"
	"github.com/accord-dev/accord/propagate/permit"
)

const rightsCase = `
-- manifests.yaml --
apiVersion: cluster.karmada.io/v1alpha1
kind: Cluster
metadata: {name: eu-1}
spec: {syncMode: Push}
---
apiVersion: cluster.karmada.io/v1alpha1
kind: Cluster
metadata: {name: us-1}
spec: {syncMode: Push}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {template: {spec: {containers: [{name: web, image: web}]}}}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
---
apiVersion: v1
kind: Secret
metadata: {name: only-us, namespace: shop}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, namespace: shop}
rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: admin, namespace: shop}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: reader, namespace: shop}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
---
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: everywhere, namespace: shop}
spec:
  resourceSelectors:
  - {apiVersion: apps/v1, kind: Deployment}
  - {apiVersion: v1, kind: Service}
  - {apiVersion: rbac.authorization.k8s.io/v1, kind: Role}
  - {apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: shop}
spec: {replicas: 2, template: {spec: {containers: [{name: db, image: db, resources: {requests: {cpu: "1"}}}]}}}
---
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: by-room, namespace: shop}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: StatefulSet}]
  placement:
    replicaScheduling:
      replicaSchedulingType: Divided
      replicaDivisionPreference: Weighted
      weightPreference: {dynamicWeight: AvailableReplicas}
---
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: us, namespace: shop}
spec:
  resourceSelectors: [{apiVersion: v1, kind: Secret}]
  placement: {clusterAffinity: {clusterNames: [us-1]}}
`

func TestRightsAreThoseForWhatAClusterGets(t *testing.T) {
	in, err := dump.Read([]byte(rightsCase))
	require.NoError(t, err)
	plan, err := propagate.New(in)
	require.NoError(t, err)
	rules := permit.Rights(plan, "eu-1", []schema.GroupKind{{Group: "batch", Kind: "Job"}}, func(gk schema.GroupKind) string {
		plural, _ := meta.UnsafeGuessKindToResource(gk.WithVersion(""))
		return plural.Resource
	})
	text, err := yaml.Marshal(rules)
	require.NoError(t, err)
	require.YAMLEq(t, `
- {apiGroups: [""], resources: [namespaces, services], verbs: [get, list, watch, create, patch, delete]}
- {apiGroups: [""], resources: [nodes, pods], verbs: [list]}
- {apiGroups: [apps], resources: [deployments, statefulsets], verbs: [get, list, watch, create, patch, delete]}
- {apiGroups: [batch], resources: [jobs], verbs: [get, list, watch, create, patch, delete]}
- {apiGroups: [rbac.authorization.k8s.io], resources: [clusterroles], resourceNames: [view], verbs: [bind]}
- {apiGroups: [rbac.authorization.k8s.io], resources: [roles], resourceNames: [admin, reader], verbs: [escalate]}
- {apiGroups: [rbac.authorization.k8s.io], resources: [rolebindings, roles], verbs: [get, list, watch, create, patch, delete]}
`, string(text))
}
