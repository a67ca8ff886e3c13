package recovery_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/propagate/recovery"
)

const shopObjects = `
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web, namespace: shop}
  spec:
    replicas: 3
    template:
      spec:
        serviceAccountName: default
        priorityClassName: high
        containers:
        - {name: web, image: "nginx:1", envFrom: [{configMapRef: {name: here}}, {secretRef: {name: gone}}], resources: {requests: {cpu: 500m}}}
- apiVersion: apps/v1
  kind: StatefulSet
  metadata: {name: queue, namespace: shop}
  spec:
    volumeClaimTemplates: [{metadata: {name: data}, spec: {storageClassName: fast}}]
    template:
      spec:
        containers: [{name: queue, image: "nats:2", envFrom: [{secretRef: {name: gone}}], resources: {requests: {cpu: 1, memory: 1Gi}}}]
- {apiVersion: apps/v1, kind: Deployment, metadata: {name: off, namespace: shop}, spec: {replicas: 0, template: {spec: {containers: [{name: a, image: "nginx:1"}]}}}}
- {apiVersion: batch/v1, kind: CronJob, metadata: {name: night, namespace: shop}, spec: {jobTemplate: {spec: {template: {spec: {priorityClassName: low, containers: [{name: a, image: "nginx:1"}]}}}}}}
- {apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: web, namespace: shop}, spec: {ingressClassName: public}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: here, namespace: shop}}
- {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: shop}, spec: {storageClassName: fast}}
`

func objects(t *testing.T) (all []*unstructured.Unstructured) {
	var list []map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(shopObjects), &list))
	for _, o := range list {
		all = append(all, &unstructured.Unstructured{Object: o})
	}
	return all
}

func TestNeeds(t *testing.T) {
	var found []string
	for _, n := range recovery.Needs(objects(t)) {
		found = append(found, fmt.Sprint(n.ID, " by ", n.By))
	}
	require.Equal(t, []string{
		"Secret shop/gone by [apps/Deployment shop/web apps/StatefulSet shop/queue]",
		"networking.k8s.io/IngressClass public by [networking.k8s.io/Ingress shop/web]",
		"scheduling.k8s.io/PriorityClass high by [apps/Deployment shop/web]",
		"scheduling.k8s.io/PriorityClass low by [batch/CronJob shop/night]",
		"storage.k8s.io/StorageClass fast by [apps/StatefulSet shop/queue PersistentVolumeClaim shop/data]",
	}, found)
	require.Equal(t, []string{"nginx:1", "nats:2"}, recovery.Images(objects(t)))
}

func TestExceeded(t *testing.T) {
	requests := recovery.Requests(objects(t))
	require.Len(t, requests, 1)
	shop := requests["shop"]
	require.Equal(t, "4", shop.Pods().String())
	require.Equal(t, "2500m", shop.Cpu().String())
	list := func(name corev1.ResourceName, amount string) corev1.ResourceList {
		return corev1.ResourceList{name: resource.MustParse(amount)}
	}
	for name, c := range map[string]struct {
		hard, used corev1.ResourceList
		scopes     []corev1.ResourceQuotaScope
		says       string
	}{
		"enough pods":             {hard: list("pods", "4")},
		"a pod too few":           {hard: list("pods", "4"), used: list("pods", "1"), says: "pods: the switch needs 4, and 3 of 4 is left"},
		"too little cpu":          {hard: list("requests.cpu", "2"), says: "requests.cpu: the switch needs 2500m, and 2 of 2 is left"},
		"too little memory":       {hard: list("memory", "512Mi"), says: "memory: the switch needs 1Gi, and 512Mi of 512Mi is left"},
		"a resource of no pod":    {hard: list("services", "0")},
		"a quota for other pods":  {hard: list("pods", "0"), scopes: []corev1.ResourceQuotaScope{corev1.ResourceQuotaScopeBestEffort}},
		"more used than is there": {hard: list("pods", "1"), used: list("pods", "2"), says: "pods: the switch needs 4, and -1 of 1 is left"},
	} {
		t.Run(name, func(t *testing.T) {
			quota := corev1.ResourceQuota{
				ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "q"}, Spec: corev1.ResourceQuotaSpec{Hard: c.hard, Scopes: c.scopes},
				Status: corev1.ResourceQuotaStatus{Used: c.used},
			}
			elsewhere := quota
			elsewhere.Namespace = "other"
			found := recovery.Exceeded([]corev1.ResourceQuota{elsewhere, quota}, requests)
			if c.says == "" {
				require.Empty(t, found)
				return
			}
			require.Equal(t, []recovery.Shortage{{Namespace: "shop", Quota: "q", Message: c.says}}, found)
		})
	}
}
