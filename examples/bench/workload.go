package main

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// workload holds the objects that one side applies to every member: numbered from 0, first the Deployments.
type workload struct {
	namespace string
	objects   int
	// directories are those of the repository that the files are spread over; 0: all are in one.
	directories int
}

func (w workload) deployments() int { return w.objects * 5 / 6 }

// name is unique over all kinds.
func (w workload) name(i int) string { return fmt.Sprintf("web-%04d", i) }

// directory returns the directory of object i in the repository.
func (w workload) directory(i int) string {
	if w.directories == 0 {
		return "workloads"
	}
	return fmt.Sprintf("workloads/%04d", i%w.directories)
}

// place returns the place of object i on a member.
func (w workload) place(member string, i int) place {
	if i < w.deployments() {
		return place{member, "deployments", w.name(i)}
	}
	return place{member, "configmaps", w.name(i)}
}

// object is object i, with that tag of the image if it is a Deployment. It is of a usual size, not quite 2 KB.
func (w workload) object(i int, tag string) *unstructured.Unstructured {
	text := configMap
	if i < w.deployments() {
		text = deployment
	}
	text = strings.NewReplacer("<name>", w.name(i), "<namespace>", w.namespace, "<tag>", tag).Replace(text)
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &u.Object); err != nil {
		panic(err) // one of the two constants below is broken
	}
	return u
}

// space is the namespace of all objects.
func (w workload) space() *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetAPIVersion("v1")
	u.SetKind("Namespace")
	u.SetName(w.namespace)
	return u
}

// policy places everything on every member.
func (w workload) policy() string {
	return `apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: everywhere, namespace: ` + w.namespace + `}
spec:
  resourceSelectors:
  - {apiVersion: apps/v1, kind: Deployment}
  - {apiVersion: v1, kind: ConfigMap}
  placement:
    replicaScheduling: {replicaSchedulingType: Duplicated}
`
}

// override gives all Deployments that tag.
func (w workload) override(tag string) string { return w.overrideWhere("", tag) }

// overrideOthers gives that tag to all Deployments but the first.
func (w workload) overrideOthers(tag string) string {
	return w.overrideWhere(", labelSelector: {matchExpressions: [{key: app.kubernetes.io/name, operator: NotIn, values: ["+w.name(0)+"]}]}", tag)
}

func (w workload) overrideWhere(selector, tag string) string {
	return `apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata: {name: tag, namespace: ` + w.namespace + `}
spec:
  resourceSelectors:
  - {apiVersion: apps/v1, kind: Deployment` + selector + `}
  overrideRules:
  - overriders:
      imageOverrider:
      - {component: Tag, operator: replace, value: ` + tag + `}
`
}

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: <name>
  namespace: <namespace>
  labels: {app.kubernetes.io/name: <name>, app.kubernetes.io/part-of: shop, app.kubernetes.io/component: web}
  annotations: {description: One of many services of a shop that exists for measuring only.}
spec:
  replicas: 2
  revisionHistoryLimit: 3
  selector:
    matchLabels: {app.kubernetes.io/name: <name>}
  strategy:
    rollingUpdate: {maxSurge: 25%, maxUnavailable: 0}
  template:
    metadata:
      labels: {app.kubernetes.io/name: <name>, app.kubernetes.io/part-of: shop}
    spec:
      serviceAccountName: default
      securityContext: {runAsNonRoot: true, runAsUser: 65532}
      containers:
      - name: web
        image: registry.example.com/shop/web:<tag>
        args: [--listen=:8080, --log-level=info]
        env:
        - {name: LOG_FORMAT, value: json}
        - {name: DATABASE_URL, value: "postgres://shop@database.shop.svc:5432/shop"}
        - name: POD_NAME
          valueFrom: {fieldRef: {fieldPath: metadata.name}}
        ports:
        - {name: http, containerPort: 8080}
        - {name: metrics, containerPort: 9090}
        resources:
          requests: {cpu: 100m, memory: 128Mi}
          limits: {memory: 256Mi}
        readinessProbe:
          httpGet: {path: /ready, port: http}
        livenessProbe:
          httpGet: {path: /healthy, port: http}
          initialDelaySeconds: 10
        volumeMounts:
        - {name: config, mountPath: /etc/shop}
      - name: proxy
        image: registry.example.com/mesh/proxy:1.9.2
        resources:
          requests: {cpu: 10m, memory: 32Mi}
      volumes:
      - name: config
        configMap: {name: <name>}
`

// configMap is a page of settings.
var configMap = `apiVersion: v1
kind: ConfigMap
metadata:
  name: <name>
  namespace: <namespace>
  labels: {app.kubernetes.io/name: <name>, app.kubernetes.io/part-of: shop}
data:
  shop.properties: |
` + strings.Repeat("    checkout.timeout.seconds=30 # long enough for the slowest of all banks\n", 24)
