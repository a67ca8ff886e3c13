package unrender_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/clusters/defaulting"
	"github.com/accord-dev/accord/render/unrender"
)

func TestWithoutDefaults(t *testing.T) {
	kinds, err := defaulting.NewKinds()
	require.NoError(t, err)
	for name, x := range map[string]struct{ live, want string }{
		"all defaults of a Deployment": {`
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  progressDeadlineSeconds: 600
  replicas: 1
  revisionHistoryLimit: 10
  selector: {matchLabels: {app: web}}
  strategy: {rollingUpdate: {maxSurge: 25%, maxUnavailable: 25%}, type: RollingUpdate}
  template:
    metadata: {creationTimestamp: null, labels: {app: web}}
    spec:
      containers:
      - image: nginx:1.27
        imagePullPolicy: IfNotPresent
        livenessProbe: {failureThreshold: 3, httpGet: {path: /, port: 80, scheme: HTTP}, periodSeconds: 10, successThreshold: 1, timeoutSeconds: 1}
        name: web
        ports: [{containerPort: 80, protocol: TCP}]
        resources: {}
        terminationMessagePath: /dev/termination-log
        terminationMessagePolicy: File
      dnsPolicy: ClusterFirst
      restartPolicy: Always
      schedulerName: default-scheduler
      securityContext: {}
      serviceAccount: web
      serviceAccountName: web
      terminationGracePeriodSeconds: 30
      volumes: [{name: a, configMap: {name: a, defaultMode: 420}}, {name: b, emptyDir: {}}]
`, `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - image: nginx:1.27
        livenessProbe: {httpGet: {port: 80}}
        name: web
        ports: [{containerPort: 80}]
      serviceAccountName: web
      volumes: [{name: a, configMap: {name: a}}, {name: b, emptyDir: {}}]
`},
		"values other than the defaults stay": {`
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  revisionHistoryLimit: 3
  strategy: {rollingUpdate: {maxSurge: 50%, maxUnavailable: 25%}, type: RollingUpdate}
  template:
    spec:
      containers: [{image: nginx, imagePullPolicy: IfNotPresent, name: web, resources: {limits: {cpu: 1, memory: 1Gi}, requests: {cpu: 1, memory: 1Mi}}}]
      dnsPolicy: Default
`, `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  revisionHistoryLimit: 3
  strategy: {rollingUpdate: {maxSurge: 50%}}
  template:
    spec:
      containers: [{image: nginx, imagePullPolicy: IfNotPresent, name: web, resources: {limits: {cpu: 1, memory: 1Gi}, requests: {cpu: 1, memory: 1Mi}}}]
      dnsPolicy: Default
`},
		"a default that follows another value": {`
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {type: NodePort, externalTrafficPolicy: Cluster, internalTrafficPolicy: Cluster, sessionAffinity: None, ports: [{port: 80, targetPort: 80, protocol: TCP}, {port: 81, targetPort: 8081, protocol: UDP}]}
`, `
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {type: NodePort, ports: [{port: 80}, {port: 81, targetPort: 8081, protocol: UDP}]}
`},
		"a server-side apply shows the fields of the manifest": {`
apiVersion: v1
kind: Service
metadata:
  name: web
  managedFields:
  - {manager: me, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:spec": {"f:type": {}, "f:ports": {'k:{"port":80,"protocol":"TCP"}': {".": {}, "f:port": {}, "f:protocol": {}}}}}}
spec: {type: ClusterIP, sessionAffinity: None, ports: [{port: 80, targetPort: 80, protocol: TCP}, {port: 81, targetPort: 81, protocol: TCP}]}
`, `
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {type: ClusterIP, ports: [{port: 80, protocol: TCP}, {port: 81}]}
`},
		"kubectl apply shows the manifest, and that the cluster chose the port": {`
apiVersion: v1
kind: Service
metadata:
  name: web
  annotations: {kubectl.kubernetes.io/last-applied-configuration: '{"spec":{"type":"NodePort","sessionAffinity":"None","ports":[{"name":"b","port":81,"nodePort":30081},{"name":"a","port":80}]}}'}
spec: {type: NodePort, sessionAffinity: None, externalTrafficPolicy: Cluster, ports: [{name: a, port: 80, targetPort: 80, nodePort: 30080, protocol: TCP}, {name: b, port: 81, nodePort: 30081, protocol: TCP}]}
`, `
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {type: NodePort, sessionAffinity: None, ports: [{name: a, port: 80}, {name: b, port: 81, nodePort: 30081}]}
`},
		"a value that no function knows": {`
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {newField: {path: a}, ports: [{port: 80, protocol: TCP}]}
`, `
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {newField: {path: a}, ports: [{port: 80}]}
`},
	} {
		t.Run(name, func(t *testing.T) {
			live := object(t, x.live)
			d := kinds.Of(live.GroupVersionKind())
			manifest := unrender.Manifest(live)
			before := manifest.DeepCopy()
			without, err := unrender.WithoutDefaults(manifest.Object, unrender.WrittenIn(live), unrender.Defaulter(*d))
			require.NoError(t, err)
			require.Equal(t, object(t, x.want).Object, without)
			require.Equal(t, before, manifest)
		})
	}
}

func TestWrittenInAnyOfTwoObjects(t *testing.T) {
	one := unrender.WrittenIn(object(t, `{metadata: {annotations: {kubectl.kubernetes.io/last-applied-configuration: '{"spec":{"a":1}}'}}}`))
	other := unrender.WrittenIn(object(t, `{metadata: {managedFields: [{operation: Apply, fieldsV1: {"f:spec": {"f:b": {}}}}, {operation: Update, fieldsV1: {"f:spec": {"f:c": {}}}}]}}`))
	both := one.Union(other).Field("spec")
	require.True(t, both.Field("a").Has())
	require.True(t, both.Field("b").Has())
	require.False(t, both.Field("c").Has())
	require.False(t, unrender.WrittenIn(object(t, "{metadata: {}}")).Known())
}
