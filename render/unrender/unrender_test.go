package unrender_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/render/unrender"
)

func object(t *testing.T, text string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	data, err := yaml.YAMLToJSON([]byte(text))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &u.Object))
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
		"a pod, with the volume of its token": {`
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  nodeName: n1
  serviceAccount: web
  serviceAccountName: web
  containers: [{name: a, volumeMounts: [{name: data, mountPath: /d}, {name: kube-api-access-x, mountPath: /s}]}, {name: b, volumeMounts: [{name: kube-api-access-x, mountPath: /s}]}]
  volumes: [{name: data}, {name: kube-api-access-x}]
`, `
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  serviceAccountName: web
  containers: [{name: a, volumeMounts: [{name: data, mountPath: /d}]}, {name: b}]
  volumes: [{name: data}]
`},
		"an aggregated role": {`
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: a}, aggregationRule: {clusterRoleSelectors: []}, rules: [{verbs: [get]}]}
`, `
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: a}, aggregationRule: {clusterRoleSelectors: []}}
`},
		"a webhook with the certificate of cert-manager": {`
{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: a, annotations: {cert-manager.io/inject-ca-from: a/b}}, webhooks: [{name: c, clientConfig: {caBundle: eA==, url: "https://c"}}]}
`, `
{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: a, annotations: {cert-manager.io/inject-ca-from: a/b}}, webhooks: [{name: c, clientConfig: {url: "https://c"}}]}
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
		"{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: view, labels: {kubernetes.io/bootstrapping: rbac-defaults}}}":           "made by the cluster",
		"{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: system-node-critical}}":                                                       "made by the cluster",
		"{apiVersion: v1, kind: Namespace, metadata: {name: kube-system}}":                                                                                      "made by the cluster",
		"{apiVersion: v1, kind: Namespace, metadata: {name: shop}}":                                                                                             "",
		"{apiVersion: v1, kind: ConfigMap, metadata: {name: a, annotations: {control-plane.alpha.kubernetes.io/leader: x}}}":                                    "a lease of a running program",
		"{apiVersion: batch/v1, kind: Job, metadata: {name: a}, status: {conditions: [{type: Complete, status: 'True'}]}}":                                      "a finished Job",
		"{apiVersion: batch/v1, kind: Job, metadata: {name: a}, status: {active: 1}}":                                                                           "",
		"{apiVersion: work.karmada.io/v1alpha2, kind: ResourceBinding, metadata: {name: a}}":                                                                    "made by Karmada",
		"{apiVersion: v1, kind: Endpoints, metadata: {name: web}}":                                                                                              "made by its Service",
		"{apiVersion: v1, kind: Secret, type: Opaque, metadata: {name: a}}":                                                                                     "",
		"{apiVersion: v1, kind: Secret, type: kubernetes.io/service-account-token, metadata: {name: a}}":                                                        "a token of the cluster",
		"{apiVersion: v1, kind: Secret, type: helm.sh/release.v1, metadata: {name: a}}":                                                                         "a record of Helm",
	} {
		require.Equal(t, want, unrender.LeftOut(object(t, text)), text)
	}
}
