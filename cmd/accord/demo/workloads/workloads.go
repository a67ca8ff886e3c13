// Package workloads stands in for the controllers of a cluster that has none: it reports each Deployment as available.
package workloads

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// Start reports the Deployments of the cluster until the context ends. It returns when it has seen those that exist.
func Start(ctx context.Context, cfg *rest.Config) error {
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return err
	}
	report := func(o any) {
		if d, ok := o.(*appsv1.Deployment); ok && d.Status.ObservedGeneration != d.Generation {
			d = d.DeepCopy()
			d.Status = available(d)
			// A conflict comes with a newer version of the object, which is reported next.
			_, _ = client.AppsV1().Deployments(d.Namespace).UpdateStatus(ctx, d, metav1.UpdateOptions{})
		}
	}
	_, informer := cache.NewInformerWithOptions(cache.InformerOptions{
		ListerWatcher: cache.NewListWatchFromClient(client.AppsV1().RESTClient(), "deployments", metav1.NamespaceAll, fields.Everything()),
		ObjectType:    &appsv1.Deployment{},
		Handler:       cache.ResourceEventHandlerFuncs{AddFunc: report, UpdateFunc: func(_, o any) { report(o) }},
	})
	go informer.RunWithContext(ctx)
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return fmt.Errorf("reading the Deployments of %s: %w", cfg.Host, ctx.Err())
	}
	return nil
}

// available returns the status of a Deployment whose replicas are all there.
func available(d *appsv1.Deployment) appsv1.DeploymentStatus {
	n := int32(1)
	if d.Spec.Replicas != nil {
		n = *d.Spec.Replicas
	}
	return appsv1.DeploymentStatus{
		ObservedGeneration: d.Generation, Replicas: n, UpdatedReplicas: n, ReadyReplicas: n, AvailableReplicas: n,
		Conditions: []appsv1.DeploymentCondition{
			{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue, Reason: "MinimumReplicasAvailable"},
			{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionTrue, Reason: "NewReplicaSetAvailable"},
		},
	}
}
