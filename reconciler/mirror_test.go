package reconciler_test

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/local/localtest"
)

// TestMirror asks the hub, with other people's tools, what runs on two members with real controllers.
func TestMirror(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	localtest.RunPods(t, 2, w.planes["cluster-a"], w.planes["cluster-b"])
	m := &mirrored{world: w, kubectl: kubectl(t), r: newRepository(t)}
	m.r.federation = "mirror"
	w.declare(m.r, func(s *v1alpha1.FederationSpec) { s.Mirror = new(true) })
	for _, part := range []struct {
		name string
		run  func(*testing.T, *mirrored)
	}{
		{"all is rolled out", rolledOut},
		{"a cluster is held", rolloutHeld},
		{"a policy changes", policyMoves},
		{"a commit changes nothing for an object", nothingMoves},
		{"a cluster does not answer", rolloutUnreachable},
		{"somebody writes to a mirror", tampered},
		{"mirroring is turned off and on", mirrorSwitched},
		{"an object leaves Git", mirrorRemoved},
		{"defect F13: a second Federation has the same object", mirrorTaken},
		{"the hub has a node", sharedRefuses},
		{"the hub has no node any more", sharedNoMore},
		{"the controllers are restarted", mirrorSurvives},
		{"the Federation is deleted while nobody works", mirrorSwept},
	} {
		t.Log(part.name) // not a test of its own: each goes on where the one before it ended
		part.run(t, m)
	}
}

// mirrored is a world whose Federation is mirrored.
type mirrored struct {
	*world
	kubectl string
	r       *repository
}

// kubectl is the real one, of the Kubernetes that the hub is made of.
func kubectl(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "tool", "-n", "kubectl").Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}

// workloads are one of each kind that kubectl can wait for.
var workloads = []string{"deployment/web", "statefulset/db", "daemonset/log"}

func workload(kind, name, spec, image string) string {
	return fmt.Sprintf(`apiVersion: apps/v1
kind: %s
metadata: {namespace: shop, name: %s}
spec:
  %s
  selector: {matchLabels: {app: %s}}
  template:
    metadata: {labels: {app: %s}}
    spec:
      containers: [{name: main, image: "%s"}]
`, kind, name, spec, name, name, image)
}

// files of all three, with an image.
func (m *mirrored) files(image string) []string {
	return []string{
		"web.yaml", workload("Deployment", "web", "replicas: 2", image),
		"db.yaml", workload("StatefulSet", "db", "replicas: 2\n  serviceName: db\n  updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: 1}}", image),
		"log.yaml", workload("DaemonSet", "log", "updateStrategy: {type: RollingUpdate}", image),
	}
}

// everywhere sends all workloads to both clusters; more is appended to the spec.
func everywhere(more string) string {
	return `apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {namespace: shop, name: everything}
spec:
  resourceSelectors:
  - {apiVersion: apps/v1, kind: Deployment}
  - {apiVersion: apps/v1, kind: StatefulSet}
  - {apiVersion: apps/v1, kind: DaemonSet}
  - {apiVersion: v1, kind: ConfigMap}
  placement: {clusterAffinity: {clusterNames: [cluster-a, cluster-b]}}
` + more
}

// rollout is "kubectl rollout status" against the hub: what it said, and whether it ended well in time.
func (m *mirrored) rollout(what string, patience time.Duration) (said string, done bool) {
	m.t.Helper()
	out, err := m.tool(patience+10*time.Second, "rollout", "status", what, "--timeout", patience.String())
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 1 && strings.Contains(out, "timed out") {
		return out, false
	}
	require.NoError(m.t, err, out)
	return out, true
}

// tool runs kubectl in the namespace of the workloads.
func (m *mirrored) tool(limit time.Duration, args ...string) (string, error) {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(m.t.Context(), limit)
	defer cancel()
	args = append([]string{"--kubeconfig", m.planes["hub"].Kubeconfig(), "--namespace", "shop"}, args...)
	out, err := exec.CommandContext(ctx, m.kubectl, args...).CombinedOutput()
	return string(out), err
}

// finishes says that kubectl and kstatus agree that all workloads are rolled out.
func (m *mirrored) finishes() {
	m.t.Helper()
	for _, what := range workloads {
		said, done := m.rollout(what, patience)
		require.True(m.t, done, "%s: %s", what, said)
		m.eventually(what+" to be current", func() error {
			s := m.kstatus(what)
			return unless(s.Status == status.CurrentStatus, s.Message)
		})
	}
}

// waits says that kubectl and kstatus agree that no workload is rolled out.
func (m *mirrored) waits() {
	m.t.Helper()
	for _, what := range workloads {
		said, done := m.rollout(what, 2*time.Second)
		require.False(m.t, done, "%s: %s", what, said)
		require.Equal(m.t, status.InProgressStatus, m.kstatus(what).Status, what)
	}
}

// kstatus of an object as it is on the hub.
func (m *mirrored) kstatus(what string) *status.Result {
	m.t.Helper()
	result, err := status.Compute(m.mirror(what))
	require.NoError(m.t, err)
	return result
}

// mirror reads an object from the hub.
func (m *mirrored) mirror(what string) *unstructured.Unstructured {
	m.t.Helper()
	u, err := m.find(what)
	require.NoError(m.t, err)
	return u
}

func (m *mirrored) find(what string) (*unstructured.Unstructured, error) {
	kind, name, _ := strings.Cut(what, "/")
	u := &unstructured.Unstructured{}
	u.SetAPIVersion("apps/v1")
	u.SetKind(map[string]string{"deployment": "Deployment", "statefulset": "StatefulSet", "daemonset": "DaemonSet", "configmap": "ConfigMap"}[kind])
	if kind == "configmap" {
		u.SetAPIVersion("v1")
	}
	return u, m.hub.Get(m.t.Context(), client.ObjectKey{Namespace: "shop", Name: name}, u)
}

func (m *mirrored) generations() map[string]int64 {
	m.t.Helper()
	all := map[string]int64{}
	for _, what := range workloads {
		all[what] = m.mirror(what).GetGeneration()
	}
	return all
}

func rolledOut(t *testing.T, m *mirrored) {
	m.ready(m.r, m.r.push("three workloads", append(m.files("nginx:1.27"), "policy.yaml", everywhere(""), "settings.yaml", configMap("settings", "1"))...))
	m.finishes()
	web := &appsv1.Deployment{}
	require.NoError(t, m.hub.Get(t.Context(), client.ObjectKey{Namespace: "shop", Name: "web"}, web))
	require.EqualValues(t, 4, *web.Spec.Replicas, "two on each of two")
	require.EqualValues(t, 4, web.Status.AvailableReplicas)
	require.EqualValues(t, 4, web.Status.UpdatedReplicas)
	require.Equal(t, web.Generation, web.Status.ObservedGeneration)
	out, err := m.tool(patience, "wait", "deployment/web", "--for=condition=Available", "--timeout=1m")
	require.NoError(t, err, out)
	db := &appsv1.StatefulSet{}
	require.NoError(t, m.hub.Get(t.Context(), client.ObjectKey{Namespace: "shop", Name: "db"}, db))
	require.EqualValues(t, 2, *db.Spec.UpdateStrategy.RollingUpdate.Partition, "one on each of two")
	require.Equal(t, "1", m.mirror("configmap/settings").Object["data"].(map[string]any)["key"])
}

func rolloutHeld(t *testing.T, m *mirrored) {
	before := m.generations()
	hold := "  suspension: {dispatchingOnClusters: {clusterNames: [cluster-b]}}\n"
	sha := m.r.push("a new image, held on b", append(m.files("nginx:1.28"), "policy.yaml", everywhere(hold))...)
	m.condition(m.r, sha, "Ready", metav1.ConditionUnknown, "Held")
	for what, generation := range m.generations() {
		require.Greater(t, generation, before[what], what)
	}
	m.waits()
	web := &appsv1.Deployment{}
	require.NoError(t, m.hub.Get(t.Context(), client.ObjectKey{Namespace: "shop", Name: "web"}, web))
	require.EqualValues(t, 2, web.Status.UpdatedReplicas, "those of a")
	require.EqualValues(t, 2, web.Status.AvailableReplicas, "those of a")
	require.EqualValues(t, 4, web.Status.Replicas)

	waiting := make(chan error, 1)
	go func() {
		_, err := m.tool(patience, "rollout", "status", "deployment/web", "--timeout", patience.String())
		waiting <- err
	}()
	time.Sleep(time.Second)
	require.Empty(t, waiting, "it waits")
	m.ready(m.r, m.r.push("released", "policy.yaml", everywhere("")))
	require.NoError(t, <-waiting, "and ends with the release")
	m.finishes()
}

func policyMoves(t *testing.T, m *mirrored) {
	before := m.generations()
	m.ready(m.r, m.r.push("only on a\n\nAccord-Prune: allow", "policy.yaml", strings.Replace(everywhere(""), "[cluster-a, cluster-b]", "[cluster-a]", 1)))
	m.finishes()
	for what, generation := range m.generations() {
		require.Greater(t, generation, before[what], what)
	}
	replicas, _, _ := unstructured.NestedInt64(m.mirror("deployment/web").Object, "spec", "replicas")
	require.EqualValues(t, 2, replicas)
	m.ready(m.r, m.r.push("on both, divided", "policy.yaml",
		strings.Replace(everywhere(""), "cluster-b]}", "cluster-b]}, replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: Weighted}", 1)))
	m.finishes()
	replicas, _, _ = unstructured.NestedInt64(m.mirror("deployment/web").Object, "spec", "replicas")
	require.EqualValues(t, 2, replicas, "one on each of two")
	m.ready(m.r, m.r.push("on both again, all of it", "policy.yaml", everywhere("")))
	m.finishes()
}

func nothingMoves(t *testing.T, m *mirrored) {
	before := map[string]string{}
	for _, what := range workloads {
		before[what] = m.mirror(what).GetResourceVersion()
	}
	m.ready(m.r, m.r.push("another value of something else", "settings.yaml", configMap("settings", "2")))
	m.ready(m.r, m.r.push("nothing at all"))
	require.Equal(t, "2", m.mirror("configmap/settings").Object["data"].(map[string]any)["key"])
	for _, what := range workloads {
		require.Equal(t, before[what], m.mirror(what).GetResourceVersion(), "%s was not written to", what)
	}
}

func rolloutUnreachable(t *testing.T, m *mirrored) {
	m.cables["cluster-b"].setCut(true)
	m.eventually("the loss of b to be told", func() error {
		for _, what := range workloads {
			if s := m.kstatus(what); s.Status != status.InProgressStatus {
				return errors.New(what + ": " + s.Message)
			}
		}
		return nil
	})
	m.waits()
	m.cables["cluster-b"].setCut(false)
	m.finishes()
}

func tampered(t *testing.T, m *mirrored) {
	before := m.deployments()
	out, err := m.tool(patience, "scale", "deployment/web", "--replicas=7")
	require.NoError(t, err, out)
	m.eventually("the replicas to be put back", func() error {
		n, _, _ := unstructured.NestedInt64(m.mirror("deployment/web").Object, "spec", "replicas")
		return unless(n == 4, fmt.Sprint(n))
	})
	out, err = m.tool(patience, "delete", "daemonset/log")
	require.NoError(t, err, out)
	m.eventually("the DaemonSet to be back", func() error { _, err := m.find("daemonset/log"); return err })
	m.finishes()
	for i, d := range m.deployments() {
		require.Equal(t, before[i].Generation, d.Generation, "the members heard nothing of it")
	}
}

func mirrorSwitched(t *testing.T, m *mirrored) {
	turn := func(on bool) {
		m.eventually("the Federation to be changed", func() error {
			fed := m.declared(m.r)
			fed.Spec.Mirror = &on
			return m.hub.Update(t.Context(), fed)
		})
	}
	turn(false)
	for _, what := range append(workloads, "configmap/settings") {
		m.eventually(what+" to go", func() error {
			_, err := m.find(what)
			return unless(apierrors.IsNotFound(err), fmt.Sprint(err))
		})
	}
	turn(true)
	for _, what := range workloads {
		m.eventually(what+" to be back", func() error { _, err := m.find(what); return err })
	}
	m.finishes()
}

func mirrorRemoved(t *testing.T, m *mirrored) {
	theirs := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "theirs"}, Data: map[string]string{"key": "by hand"}}
	m.create(theirs)
	m.ready(m.r, m.r.push("no DaemonSet, and an object that is on the hub already",
		"log.yaml", "", "theirs.yaml", configMap("theirs", "from Git")))
	m.eventually("the DaemonSet to go", func() error {
		_, err := m.find("daemonset/log")
		return unless(apierrors.IsNotFound(err), fmt.Sprint(err))
	})
	require.Equal(t, "by hand", m.mirror("configmap/theirs").Object["data"].(map[string]any)["key"])
	require.Equal(t, "from Git", m.configMap("cluster-a", "theirs").Data["key"])
	_, err := m.find("deployment/web")
	require.NoError(t, err)
}

// mirrorTaken: the status on the hub is that of the first Federation, and an event about the second one says so.
func mirrorTaken(t *testing.T, m *mirrored) {
	second := newRepository(t)
	second.federation = "second"
	m.declare(second, func(s *v1alpha1.FederationSpec) { s.Mirror = new(true) })
	second.push("the same ConfigMap", "settings.yaml", configMap("settings", "second"), "policy.yaml", policyFor("second", []string{"cluster-b"}, ""))
	m.eventually("the event", func() error {
		return m.told(second, "Federation", "Warning NotMirrored", 1, "Federation demo/mirror has the same: ConfigMap shop/settings")
	})
	require.Equal(t, "2", m.mirror("configmap/settings").Object["data"].(map[string]any)["key"])
	require.NoError(t, m.hub.Delete(t.Context(), m.declared(second)))
	m.eventually("the second Federation to go", func() error {
		err := m.hub.Get(t.Context(), client.ObjectKey{Namespace: m.namespace, Name: second.federation}, &v1alpha1.Federation{})
		return unless(apierrors.IsNotFound(err), fmt.Sprint(err))
	})
}

func sharedRefuses(t *testing.T, m *mirrored) {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker"}}
	m.create(node)
	sha := m.r.push("on a hub with nodes", "settings.yaml", configMap("settings", "3"))
	release := m.ready(m.r, sha)
	require.Contains(t, strings.Join(release.Status.Warnings, "\n"), "the hub has nodes (worker)")
	require.Equal(t, "3", m.configMap("cluster-b", "settings").Data["key"], "nothing else is harmed by it")
	_, err := m.find("deployment/web")
	require.True(t, apierrors.IsNotFound(err), "%v", err)
	require.Equal(t, "by hand", m.mirror("configmap/theirs").Object["data"].(map[string]any)["key"])
	m.eventually("an event to say why", func() error {
		out, err := m.tool(patience, "get", "events", "--namespace", m.namespace, "--field-selector", "reason=NotMirrored")
		return unless(err == nil && strings.Contains(out, "worker"), out)
	})
}

func sharedNoMore(t *testing.T, m *mirrored) {
	require.NoError(t, m.hub.Delete(t.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker"}}))
	m.eventually("the mirror to be back", func() error { _, err := m.find("deployment/web"); return err })
	said, done := m.rollout("deployment/web", patience)
	require.True(t, done, said)
}

func mirrorSurvives(t *testing.T, m *mirrored) {
	settled := func() (version string) {
		m.eventually("the Deployment to be current", func() error {
			s := m.kstatus("deployment/web")
			version = m.mirror("deployment/web").GetResourceVersion()
			return unless(s.Status == status.CurrentStatus, s.Message)
		})
		return version
	}
	before := settled()
	m.restart(func() {})
	m.ready(m.r, m.r.push("after the restart", "settings.yaml", configMap("settings", "4")))
	require.Equal(t, "4", m.mirror("configmap/settings").Object["data"].(map[string]any)["key"])
	require.Equal(t, before, settled(), "the Deployment was not written to")
}

func mirrorSwept(t *testing.T, m *mirrored) {
	m.restart(func() { require.NoError(t, m.hub.Delete(t.Context(), m.declared(m.r))) })
	for _, what := range []string{"deployment/web", "statefulset/db", "configmap/settings"} {
		m.eventually(what+" to go", func() error {
			_, err := m.find(what)
			return unless(apierrors.IsNotFound(err), fmt.Sprint(err))
		})
	}
	_, err := m.find("configmap/theirs")
	require.NoError(t, err)
	require.Equal(t, "4", m.configMap("cluster-a", "settings").Data["key"], "the members keep their objects")
}
