package render

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func TestStrip(t *testing.T) {
	for _, c := range []struct{ name, object, want string }{
		{
			"every kind", `
kind: Any
metadata:
  {name: x, namespace: n, labels: {a: b}, annotations: {c: d}, creationTimestamp: null, deletionTimestamp: x, deletionGracePeriodSeconds: 1,
  generation: 2, managedFields: [], resourceVersion: "1", selfLink: x, uid: x, ownerReferences: [], finalizers: [x]}
spec: {clusterIP: kept}
status: {a: b}`, `
kind: Any
metadata: {name: x, namespace: n, labels: {a: b}, annotations: {c: d}}
spec: {clusterIP: kept}`,
		},
		{"Deployment", `{kind: Deployment, metadata: {annotations: {deployment.kubernetes.io/revision: "1", deployment.kubernetes.io/revision-history: "1", mine: x}}}`,
			`{kind: Deployment, metadata: {annotations: {mine: x}}}`},
		{"Deployment with only generated annotations", `{kind: Deployment, metadata: {name: x, annotations: {deployment.kubernetes.io/revision: "1"}}}`,
			`{kind: Deployment, metadata: {name: x}}`},
		{
			"Job with generated selector",
			`{kind: Job, spec: {ttlSecondsAfterFinished: 5, selector: {matchLabels: {controller-uid: x, batch.kubernetes.io/controller-uid: x}}, template: {metadata: {labels: {controller-uid: x, batch.kubernetes.io/controller-uid: x, job-name: x, batch.kubernetes.io/job-name: x, app: y}}}}}`,
			`{kind: Job, spec: {selector: {}, template: {metadata: {labels: {app: y}}}}}`,
		},
		{
			"Job with manual selector",
			`{kind: Job, spec: {manualSelector: true, ttlSecondsAfterFinished: 5, selector: {matchLabels: {controller-uid: x}}}}`,
			`{kind: Job, spec: {manualSelector: true, selector: {matchLabels: {controller-uid: x}}}}`,
		},
		{"Service with an address", `{kind: Service, spec: {clusterIP: 10.0.0.1, clusterIPs: [10.0.0.1], ports: []}}`, `{kind: Service, spec: {ports: []}}`},
		{"headless Service", `{kind: Service, spec: {clusterIP: None, clusterIPs: [None]}}`, `{kind: Service, spec: {clusterIP: None, clusterIPs: [None]}}`},
		{"ServiceAccount", `{kind: ServiceAccount, metadata: {name: a}, secrets: [{name: a-token-x}, {name: mine}]}`, `{kind: ServiceAccount, metadata: {name: a}, secrets: [{name: mine}]}`},
		{"ServiceAccount with only its token", `{kind: ServiceAccount, metadata: {name: a}, secrets: [{name: a-token-x}]}`, `{kind: ServiceAccount, metadata: {name: a}}`},
		{"ServiceAccount without secrets", `{kind: ServiceAccount, metadata: {name: a}}`, `{kind: ServiceAccount, metadata: {name: a}}`},
		{
			"token Secret",
			`{kind: Secret, type: kubernetes.io/service-account-token, metadata: {annotations: {kubernetes.io/service-account.uid: x, kubernetes.io/service-account.name: a}}, data: {token: x}}`,
			`{kind: Secret, type: kubernetes.io/service-account-token, metadata: {annotations: {kubernetes.io/service-account.name: a}}}`,
		},
		{"other Secret", `{kind: Secret, type: Opaque, data: {token: x}}`, `{kind: Secret, type: Opaque, data: {token: x}}`},
		{"PersistentVolumeClaim", `{kind: PersistentVolumeClaim, metadata: {annotations: {volume.kubernetes.io/selected-node: x, a: b}}}`, `{kind: PersistentVolumeClaim, metadata: {annotations: {a: b}}}`},
	} {
		t.Run("Karmada §3.6/"+c.name, func(t *testing.T) {
			var object, want map[string]any
			require.NoError(t, yaml.Unmarshal([]byte(c.object), &object))
			require.NoError(t, yaml.Unmarshal([]byte(c.want), &want))
			Strip(&unstructured.Unstructured{Object: object})
			require.Equal(t, want, object)
		})
	}
}
