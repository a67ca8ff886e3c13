package reconciler_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/clusters/local/localtest"
)

const autoscaler = `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web, namespace: shop}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  minReplicas: 1
  maxReplicas: 10
`

const scaledPolicy = `apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: scaled, namespace: shop}
spec:
  resourceSelectors:
  - {apiVersion: apps/v1, kind: Deployment}
  - {apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler}
  placement: {clusterAffinity: {clusterNames: [cluster-a]}}
`

// TestReplicasOfAnAutoscaler: what an autoscaler on the member has set stays when the next commit is delivered, and people
// can read whose it is.
func TestReplicasOfAnAutoscaler(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	localtest.RunPods(t, 2, w.planes["cluster-a"])
	available := func(replicas int32, image string) func() error {
		return func() error {
			d := &appsv1.Deployment{}
			if err := w.object("cluster-a", d, "shop", "web"); err != nil {
				return err
			}
			return unless(d.Status.AvailableReplicas == replicas && d.Status.UpdatedReplicas == replicas &&
				d.Spec.Template.Spec.Containers[0].Image == image, fmt.Sprint(d.Status))
		}
	}

	r := w.federation("scaled")
	r.push("two replicas", "web.yaml", deployment("nginx:1.27"), "hpa.yaml", autoscaler, "policy.yaml", scaledPolicy)
	w.eventually("two replicas", available(2, "nginx:1.27"))
	five := &autoscalingv1.Scale{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop"}, Spec: autoscalingv1.ScaleSpec{Replicas: 5},
	}
	require.NoError(t, w.members["cluster-a"].SubResource("scale").Update(t.Context(), w.deployment(), client.WithSubResourceBody(five)))
	w.eventually("five replicas", available(5, "nginx:1.27"))

	r.push("another image", "web.yaml", deployment("nginx:1.28"))
	w.eventually("the new image in five replicas", available(5, "nginx:1.28"))
	w.eventually("people to read whose the replicas are", func() error {
		o, err := w.federated(r, "web")
		if err != nil {
			return err
		}
		return unless(len(o.Status.Clusters) == 1 && strings.Contains(o.Status.Clusters[0].Message, "spec.replicas is left to"), fmt.Sprint(o.Status.Clusters))
	})
}
