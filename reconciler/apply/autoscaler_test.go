package apply

import (
	"fmt"
	"testing"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"

	"github.com/accord-dev/accord/clusters/local/localtest"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/reconciler/apply/ownership"
)

const (
	scaledKinds = `[{apiVersion: apps/v1, kind: Deployment}, {apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler}]`

	autoscalerYAML = `---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web, namespace: NS}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  minReplicas: 1
  maxReplicas: 10
  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 60}}}]
`
)

func scalable(replicas int, image, labels string) string {
	return fmt.Sprintf(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: NS, labels: {%s}}
spec:
  replicas: %d
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "%s"}]}
`, labels, replicas, image)
}

// scale does what an autoscaler does on the member.
func (w *world) scale(n int32) {
	w.Helper()
	client, err := kubernetes.NewForConfig(w.plane.Config())
	require.NoError(w, err)
	require.NoError(w, retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		scale, err := client.AppsV1().Deployments(w.namespace).GetScale(w.Context(), "web", metav1.GetOptions{})
		if err != nil {
			return err
		}
		scale.Spec.Replicas = n
		_, err = client.AppsV1().Deployments(w.namespace).UpdateScale(w.Context(), "web", scale, metav1.UpdateOptions{FieldManager: "kube-controller-manager"})
		return err
	}))
}

func (w *world) field(kind, name string, path ...string) any {
	w.Helper()
	u := w.get(kind, w.namespace, name)
	require.NotNil(w, u)
	v, _, err := unstructured.NestedFieldCopy(u.Object, path...)
	require.NoError(w, err)
	return v
}

func (w *world) image() any {
	w.Helper()
	return w.field("Deployment", "web", "spec", "template", "spec", "containers").([]any)[0].(map[string]any)["image"]
}

// runs waits until the Deployment is what kstatus calls current, with so many pods.
func (w *world) runs(n int64) {
	w.Helper()
	require.Eventually(w, func() bool {
		u := w.get("Deployment", w.namespace, "web")
		r, err := status.Compute(u)
		require.NoError(w, err)
		available, _, _ := unstructured.NestedInt64(u.Object, "status", "availableReplicas")
		return r.Status == status.CurrentStatus && available == n
	}, time.Minute, 50*time.Millisecond)
}

// TestAutoscaler follows a Deployment that an autoscaler in Git scales, on a member with real controllers.
func TestAutoscaler(t *testing.T) {
	w := newWorldOn(t, localtest.Start(t, "scaled"), "autoscaled")
	localtest.RunPods(t, 2, w.plane)
	web := w.id("Deployment", "web")
	w.create(foreignNamespace)

	target := w.planned(scaledKinds, scalable(2, "nginx:1.29", "")+autoscalerYAML, "")
	w.delivered(target)
	w.runs(2)
	require.Empty(t, seenIn(&w.live, web).Yielded, "what was created from Git is Git's until somebody else sets it")

	w.scale(5)
	w.runs(5)
	require.Zero(t, w.delivered(target).Requests, "what the autoscaler sets is no drift")
	require.Equal(t, []ownership.Yielded{{Path: "spec.replicas", Manager: "kube-controller-manager"}}, seenIn(&w.live, web).Yielded)
	require.Equal(t, "5 of 5; spec.replicas is left to kube-controller-manager", seenIn(&w.live, web).AppendYielded("5 of 5"))
	w.live = live.Objects{}
	require.Zero(t, w.delivered(target).Requests, "nor is it after a restart")

	changed := w.planned(scaledKinds, scalable(3, "nginx:1.30", "")+autoscalerYAML, "")
	outcome := w.delivered(changed)
	require.Empty(t, outcome.Drift)
	require.LessOrEqual(t, outcome.Requests, 4, "one to read it, one to apply it; a busy controller may have both done once more")
	w.runs(5)
	require.Equal(t, "nginx:1.30", w.image())
	w.scale(6)
	w.scale(4)
	w.runs(4)
	require.Zero(t, w.delivered(changed).Requests)

	alone := w.planned(scaledKinds, scalable(3, "nginx:1.30", ""), "")
	outcome = w.delivered(alone)
	require.Len(t, outcome.Pruned, 1, "the autoscaler left Git")
	require.Equal(t, []live.Drift{{ID: web, Manager: "kube-controller-manager", What: live.Changed, Fields: "spec.replicas"}}, outcome.Drift)
	w.runs(3)
	require.Empty(t, seenIn(&w.live, web).Yielded)
	require.Zero(t, w.delivered(alone).Requests)
}

func TestReplicas(t *testing.T) {
	const retained = `resourcetemplate.karmada.io/retain-replicas: "true"`
	for name, c := range map[string]struct {
		labels string
		scale  int32 // 0: nobody does
		want   int64
	}{
		"of a Deployment without the label are Git's":                {scale: 5, want: 3},
		"with Karmada's label are the member's once it set them":     {labels: retained, scale: 5, want: 5},
		"with Karmada's label are Git's while nobody else sets them": {labels: retained, want: 3},
		"that the member set to Git's number are Git's":              {labels: retained, scale: 3, want: 3},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, worldOf("replicas", name))
			w.create(foreignNamespace)
			w.delivered(w.planned(scaledKinds, scalable(2, "nginx:1.29", c.labels), ""))
			if c.scale > 0 {
				w.scale(c.scale)
			}
			target := w.planned(scaledKinds, scalable(3, "nginx:1.30", c.labels), "")
			w.delivered(target)
			require.Equal(t, c.want, w.field("Deployment", "web", "spec", "replicas"))
			require.Zero(t, w.delivered(target).Requests)
		})
	}
}

func TestWhoScalesByHandIsNamed(t *testing.T) {
	w := newWorld(t, "byhand")
	w.create(foreignNamespace)
	target := w.planned(scaledKinds, scalable(2, "nginx:1.29", ""), "")
	w.delivered(target)
	w.scale(5)
	outcome := w.delivered(target)
	require.Equal(t, []live.Drift{{ID: w.id("Deployment", "web"), Manager: "kube-controller-manager", What: live.Changed, Fields: "spec.replicas"}}, outcome.Drift)
	require.Equal(t, 1, outcome.Requests)
	require.Equal(t, int64(2), w.field("Deployment", "web", "spec", "replicas"))
}
