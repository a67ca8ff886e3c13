package controllers_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/accord-dev/accord/clusters/local/kwok"
	"github.com/accord-dev/accord/clusters/local/localtest"
)

// patience bounds every wait; it is for busy machines.
const patience = 30 * time.Second

// A cluster is a control plane with controllers, scheduler and two fake nodes.
type cluster struct {
	*testing.T
	*kubernetes.Clientset
}

func newCluster(t *testing.T) cluster {
	t.Helper()
	plane := localtest.Start(t, "member")
	localtest.RunPods(t, 2, plane)
	client, err := kubernetes.NewForConfig(plane.Config())
	require.NoError(t, err)
	return cluster{t, client}
}

// in returns the same cluster for a subtest.
func (c cluster) in(t *testing.T) cluster { return cluster{t, c.Clientset} }

func (c cluster) eventually(what string, holds func() bool) {
	c.Helper()
	require.Eventually(c, holds, patience, 50*time.Millisecond, what)
}

func template(app, image string) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": app}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: image}}},
	}
}

func selector(app string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}
}

func (c cluster) deploy(app, image string, replicas int32) {
	c.Helper()
	_, err := c.AppsV1().Deployments("default").Create(c.Context(), &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: app},
		Spec:       appsv1.DeploymentSpec{Replicas: &replicas, Selector: selector(app), Template: template(app, image)},
	}, metav1.CreateOptions{})
	require.NoError(c, err)
}

func (c cluster) deployment(app string) *appsv1.Deployment {
	d, err := c.AppsV1().Deployments("default").Get(c.Context(), app, metav1.GetOptions{})
	require.NoError(c, err)
	return d
}

func (c cluster) pods(app string) []corev1.Pod {
	l, err := c.CoreV1().Pods("default").List(c.Context(), metav1.ListOptions{LabelSelector: "app=" + app})
	require.NoError(c, err)
	return l.Items
}

func TestWorkloadsRun(t *testing.T) {
	c := newCluster(t)
	t.Run("a deployment becomes available", func(t *testing.T) { testDeployment(c.in(t)) })
	t.Run("a deployment of an image that does not exist stays unavailable", func(t *testing.T) { testBadImage(c.in(t)) })
	t.Run("a stateful set becomes ready in order", func(t *testing.T) { testStatefulSet(c.in(t)) })
	t.Run("a daemon set runs on every node", func(t *testing.T) { testDaemonSet(c.in(t)) })
	t.Run("a job completes", func(t *testing.T) { testJob(c.in(t)) })
	t.Run("a service finds its pods", func(t *testing.T) { testService(c.in(t)) })
}

func testDeployment(c cluster) {
	c.deploy("web", "nginx:1.25", 3)
	c.eventually("3 replicas available", func() bool { return c.deployment("web").Status.AvailableReplicas == 3 })
	nodes := map[string]bool{}
	for _, p := range c.pods("web") {
		nodes[p.Spec.NodeName] = true
		require.NotEmpty(c, p.Status.PodIP)
	}
	require.Len(c, nodes, 2, "the scheduler spreads the pods")

	require.NoError(c, c.AppsV1().Deployments("default").Delete(c.Context(), "web", metav1.DeleteOptions{}))
	c.eventually("the pods go with the deployment", func() bool { return len(c.pods("web")) == 0 })
}

func testBadImage(c cluster) {
	c.deploy("broken", "nginx:"+kwok.BadTag, 1)
	backsOff := func() bool {
		pods := c.pods("broken")
		return len(pods) == 1 && pods[0].Status.Phase == corev1.PodPending && len(pods[0].Status.ContainerStatuses) == 1 &&
			pods[0].Status.ContainerStatuses[0].State.Waiting != nil &&
			pods[0].Status.ContainerStatuses[0].State.Waiting.Reason == "ImagePullBackOff"
	}
	c.eventually("the pod says that it cannot pull", backsOff)
	require.Never(c, func() bool { return c.deployment("broken").Status.AvailableReplicas > 0 }, 2*time.Second, 100*time.Millisecond)
	require.True(c, backsOff())

	good := `[{"op":"replace","path":"/spec/template/spec/containers/0/image","value":"nginx:1.25"}]`
	_, err := c.AppsV1().Deployments("default").Patch(c.Context(), "broken", "application/json-patch+json", []byte(good), metav1.PatchOptions{})
	require.NoError(c, err)
	c.eventually("the next image heals it", func() bool { return c.deployment("broken").Status.AvailableReplicas == 1 })
}

func testStatefulSet(c cluster) {
	replicas := int32(2)
	sets := c.AppsV1().StatefulSets("default")
	_, err := sets.Create(c.Context(), &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Name: "db"},
		Spec:       appsv1.StatefulSetSpec{Replicas: &replicas, ServiceName: "db", Selector: selector("db"), Template: template("db", "postgres:17")},
	}, metav1.CreateOptions{})
	require.NoError(c, err)
	c.eventually("2 replicas ready", func() bool {
		s, err := sets.Get(c.Context(), "db", metav1.GetOptions{})
		return err == nil && s.Status.ReadyReplicas == 2
	})
	var names []string
	for _, p := range c.pods("db") {
		names = append(names, p.Name)
	}
	require.ElementsMatch(c, []string{"db-0", "db-1"}, names)
}

func testDaemonSet(c cluster) {
	sets := c.AppsV1().DaemonSets("default")
	_, err := sets.Create(c.Context(), &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{Name: "agent"},
		Spec:       appsv1.DaemonSetSpec{Selector: selector("agent"), Template: template("agent", "agent:1")},
	}, metav1.CreateOptions{})
	require.NoError(c, err)
	c.eventually("ready on both nodes", func() bool {
		s, err := sets.Get(c.Context(), "agent", metav1.GetOptions{})
		return err == nil && s.Status.NumberReady == 2
	})
}

func testJob(c cluster) {
	pod := template("migrate", "migrate:1")
	pod.Spec.RestartPolicy = corev1.RestartPolicyNever
	jobs := c.BatchV1().Jobs("default")
	_, err := jobs.Create(c.Context(), &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "migrate"}, Spec: batchv1.JobSpec{Template: pod}}, metav1.CreateOptions{})
	require.NoError(c, err)
	c.eventually("the job is complete", func() bool {
		j, err := jobs.Get(c.Context(), "migrate", metav1.GetOptions{})
		return err == nil && j.Status.Succeeded == 1 && j.Status.CompletionTime != nil
	})
}

func testService(c cluster) {
	c.deploy("api", "api:1", 1)
	_, err := c.CoreV1().Services("default").Create(c.Context(), &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "api"},
		Spec:       corev1.ServiceSpec{Selector: map[string]string{"app": "api"}, Ports: []corev1.ServicePort{{Port: 80}}},
	}, metav1.CreateOptions{})
	require.NoError(c, err)
	c.eventually("an endpoint slice has the pod", func() bool {
		l, err := c.DiscoveryV1().EndpointSlices("default").List(c.Context(), metav1.ListOptions{LabelSelector: "kubernetes.io/service-name=api"})
		return err == nil && len(l.Items) == 1 && len(l.Items[0].Endpoints) == 1
	})
	c.eventually("the namespace has its default service account", func() bool {
		_, err := c.CoreV1().ServiceAccounts("default").Get(c.Context(), "default", metav1.GetOptions{})
		return err == nil
	})
}
