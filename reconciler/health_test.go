package reconciler_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/local/kwok"
	"github.com/accord-dev/accord/clusters/local/localtest"
)

// TestHealth follows a Deployment on a member with real controllers: a commit is Ready when its pods are, not when it was
// applied.
func TestHealth(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	localtest.RunPods(t, 2, w.planes["cluster-a"])

	r := w.federation("health")
	release := w.ready(r, r.push("an image that runs", "web.yaml", deployment("nginx:1.27"), "policy.yaml", deployments))
	require.EqualValues(t, 1, release.Status.Summary.Healthy)
	require.EqualValues(t, 2, w.deployment().Status.AvailableReplicas, "Ready says that it runs")
	w.aggregated(r, 2, 2)

	bad := r.push("an image that cannot be pulled", "web.yaml", deployment("nginx:"+kwok.BadTag))
	w.eventually("the new pod to be tried", func() error {
		d := w.deployment()
		return unless(d.Status.ObservedGeneration == d.Generation && d.Status.UpdatedReplicas == 1, fmt.Sprintf("%+v", d.Status))
	})
	w.eventually("the Delivery to name the Deployment", func() error {
		problems := w.delivery(r, "cluster-a").Status.Problems
		return unless(len(problems) == 1 && problems[0].Object == "apps/Deployment shop/web" && problems[0].Message != "", fmt.Sprintf("%+v", problems))
	})
	w.eventually("the Delivery to name the reason of the pod (defect F12)", func() error {
		problems := w.delivery(r, "cluster-a").Status.Problems
		return unless(len(problems) == 1 && strings.Contains(problems[0].Message, "ImagePullBackOff"), fmt.Sprintf("%+v", problems))
	})
	w.eventually("the Release to name it, whose words wait and the status of the commit quote", func() (err error) {
		release, err = w.release(r, bad)
		if err != nil {
			return err
		}
		ready := apimeta.FindStatusCondition(release.Status.Conditions, "Ready")
		said := ready != nil && strings.Contains(ready.Message, "ImagePullBackOff") &&
			release.Status.WaitingFor != nil && strings.Contains(release.Status.WaitingFor.Message, "ImagePullBackOff")
		return unless(said, fmt.Sprintf("%+v", release.Status))
	})
	w.aggregated(r, 2, 1) // the members' controller has observed it: rule 2 asks for no more
	w.eventually("the Release to say that it is applied", func() (err error) {
		release, err = w.release(r, bad)
		if err != nil {
			return err
		}
		return unless(apimeta.IsStatusConditionTrue(release.Status.Conditions, v1alpha1.Applied), fmt.Sprintf("%+v", release.Status.Conditions))
	})
	require.False(t, apimeta.IsStatusConditionTrue(release.Status.Conditions, "Ready"), "%+v", release.Status.Conditions)
	require.Equal(t, "cluster-a", release.Status.WaitingFor.Cluster)
	require.Contains(t, release.Status.WaitingFor.Message, "apps/Deployment shop/web")

	good := r.push("an image that runs again", "web.yaml", deployment("nginx:1.28"))
	w.ready(r, good)
	require.Empty(t, w.delivery(r, "cluster-a").Status.Problems)
	d := w.deployment()
	require.Equal(t, "nginx:1.28", d.Spec.Template.Spec.Containers[0].Image)
	require.EqualValues(t, 2, d.Status.AvailableReplicas)
	require.EqualValues(t, 2, d.Status.UpdatedReplicas)
	w.aggregated(r, 2, 2)
	w.condition(r, bad, "Stalled", metav1.ConditionTrue, "Superseded")
}

// deployment as it is on the member.
func (w *world) deployment() *appsv1.Deployment {
	w.t.Helper()
	d := &appsv1.Deployment{}
	require.NoError(w.t, w.object("cluster-a", d, "shop", "web"))
	return d
}

// aggregated waits until the FederatedObject has observed the newest spec and adds up these replicas.
func (w *world) aggregated(r *repository, available, updated int32) {
	w.t.Helper()
	w.eventually("the FederatedObject to say what runs", func() error {
		o, err := w.federated(r, "web")
		if err != nil {
			return err
		}
		if o.Status.ObservedGeneration != o.Generation || o.Status.Aggregate == nil {
			return fmt.Errorf("it has generation %d and the status %+v", o.Generation, o.Status)
		}
		var sum appsv1.DeploymentStatus
		if err := json.Unmarshal(o.Status.Aggregate.Raw, &sum); err != nil {
			return err
		}
		return unless(sum.AvailableReplicas == available && sum.UpdatedReplicas == updated, string(o.Status.Aggregate.Raw))
	})
}

// deployment of two replicas; one at a time is replaced, and none is given up before.
func deployment(image string) string {
	return fmt.Sprintf(`apiVersion: apps/v1
kind: Deployment
metadata:
  namespace: shop
  name: web
spec:
  replicas: 2
  selector:
    matchLabels: {app: web}
  strategy:
    rollingUpdate: {maxSurge: 1, maxUnavailable: 0}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      - name: web
        image: %s
`, image)
}

const deployments = `apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata:
  namespace: shop
  name: deployments
spec:
  resourceSelectors:
  - apiVersion: apps/v1
    kind: Deployment
  placement:
    clusterAffinity:
      clusterNames: [cluster-a]
`
