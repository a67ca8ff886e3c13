package unrender_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/render/unrender"
)

func object(t *testing.T, text string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	require.NoError(t, yaml.Unmarshal([]byte(text), &u.Object))
	return u
}

func TestManifest(t *testing.T) {
	for name, x := range map[string]struct{ live, want string }{
		"a Deployment that kubectl applied": {`
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
  uid: 1-2
  resourceVersion: "7"
  generation: 3
  creationTimestamp: "2026-01-01T00:00:00Z"
  managedFields: [{manager: kubectl}]
  labels: {app: web}
  annotations: {deployment.kubernetes.io/revision: "4", kubectl.kubernetes.io/last-applied-configuration: "{}", team: web}
spec:
  replicas: 2
  template:
    metadata: {creationTimestamp: null, annotations: {kubectl.kubernetes.io/restartedAt: "2026"}}
    spec: {containers: [{name: web, image: nginx, resources: {}}]}
status: {replicas: 2}
`, `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
  labels: {app: web}
  annotations: {team: web}
spec:
  replicas: 2
  template:
    metadata: {annotations: {kubectl.kubernetes.io/restartedAt: "2026"}}
    spec: {containers: [{name: web, image: nginx, resources: {}}]}
`},
		"a Service": {`
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop, finalizers: [service.kubernetes.io/load-balancer-cleanup], annotations: {resource.karmada.io/cached-from-cluster: eu-1}}
spec: {clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack, type: NodePort, ports: [{port: 80, nodePort: 30080}]}
status: {loadBalancer: {}}
`, `
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {type: NodePort, ports: [{port: 80, nodePort: 30080}]}
`},
		"a claim": {`
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: shop, annotations: {pv.kubernetes.io/bind-completed: "yes", volume.kubernetes.io/selected-node: n1}}
spec: {accessModes: [ReadWriteOnce], volumeName: pvc-1, resources: {requests: {storage: 1Gi}}}
`, `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: shop}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`},
		"an object that accord delivered": {`
apiVersion: v1
kind: ConfigMap
metadata: {name: a, labels: {applyset.kubernetes.io/part-of: applyset-1, b: c}, annotations: {accord.dev/digest: "1"}}
`, `
apiVersion: v1
kind: ConfigMap
metadata: {name: a, labels: {b: c}}
`},
	} {
		t.Run(name, func(t *testing.T) {
			live := object(t, x.live)
			before := live.DeepCopy()
			require.Equal(t, object(t, x.want).Object, unrender.Manifest(live).Object)
			require.Equal(t, before, live, "the live object stays as it is")
		})
	}
}

func TestLeftOut(t *testing.T) {
	for text, want := range map[string]string{
		"{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}}":                                                                                        "",
		"{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web-1, ownerReferences: [{kind: Deployment, name: web, controller: true}]}}":                  "made by Deployment web",
		"{apiVersion: v1, kind: ConfigMap, metadata: {name: a, ownerReferences: [{kind: Rollout, name: web}]}}":                                                 "owned by Rollout web",
		"{apiVersion: v1, kind: ConfigMap, metadata: {name: a, deletionTimestamp: \"2026-01-01T00:00:00Z\"}}":                                                   "being deleted",
		"{apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: {applyset.kubernetes.io/part-of: applyset-1}, annotations: {accord.dev/digest: \"1\"}}}": "delivered by accord already",
		"{apiVersion: v1, kind: ConfigMap, metadata: {name: kube-root-ca.crt}}":                                                                                 "made by the cluster",
		"{apiVersion: v1, kind: ServiceAccount, metadata: {name: default}}":                                                                                     "made by the cluster",
		"{apiVersion: v1, kind: ServiceAccount, metadata: {name: web}}":                                                                                         "",
		"{apiVersion: v1, kind: Service, metadata: {name: kubernetes, namespace: default}}":                                                                     "made by the cluster",
		"{apiVersion: v1, kind: Service, metadata: {name: kubernetes, namespace: shop}}":                                                                        "",
		"{apiVersion: v1, kind: Endpoints, metadata: {name: web}}":                                                                                              "made by its Service",
		"{apiVersion: v1, kind: Secret, type: Opaque, metadata: {name: a}}":                                                                                     "",
		"{apiVersion: v1, kind: Secret, type: kubernetes.io/service-account-token, metadata: {name: a}}":                                                        "a token of the cluster",
		"{apiVersion: v1, kind: Secret, type: helm.sh/release.v1, metadata: {name: a}}":                                                                         "a record of Helm",
	} {
		require.Equal(t, want, unrender.LeftOut(object(t, text)), text)
	}
}
