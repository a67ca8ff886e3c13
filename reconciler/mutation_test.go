package reconciler_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// defectR10Mutation has an admission policy of cluster-a change the replicas of one Deployment.
func defectR10Mutation(t *testing.T, w *world) {
	member := w.members["cluster-a"]
	policy, binding := oneReplica("mutated")
	require.NoError(t, member.Create(t.Context(), policy))
	require.NoError(t, member.Create(t.Context(), binding))
	w.eventually("the policy to be in force", func() error { return unless(admits(t, member, "mutated") == 1, "it is not") })

	r := w.federation("mutated")
	everywhere := strings.Replace(policyFor("mutated", both, ""), "  placement:", "  - apiVersion: apps/v1\n    kind: Deployment\n  placement:", 1)
	sha := r.push("two replicas", "app.yaml", replicated("mutated", 2), "policy.yaml", everywhere)
	release := w.condition(r, sha, "Stalled", metav1.ConditionTrue, "Mutated")
	require.Equal(t, metav1.ConditionFalse, apimeta.FindStatusCondition(release.Status.Conditions, "Ready").Status)
	require.Contains(t, apimeta.FindStatusCondition(release.Status.Conditions, v1alpha1.MutatedType).Message,
		"cluster-a: the cluster changed 1 applied field: apps/Deployment shop/mutated spec.replicas: 2 became 1")
	require.Equal(t, "apps/Deployment shop/mutated", release.Status.NotReadyClusters[0].Object)
	require.Equal(t, "the cluster changed applied fields: spec.replicas: 2 became 1", release.Status.NotReadyClusters[0].Message)
	w.eventually("the Delivery to report it", func() error { return unless(len(w.delivery(r, "cluster-a").Status.MutatedFields) > 0, "it does not") })
	d := w.delivery(r, "cluster-a").Status
	require.Equal(t, []v1alpha1.MutatedField{{Object: "apps/Deployment shop/mutated", Field: "spec.replicas", Applied: "2", Live: "1"}}, d.MutatedFields)
	require.Empty(t, w.delivery(r, "cluster-b").Status.MutatedFields)
	require.Nil(t, apimeta.FindStatusCondition(d.Conditions, v1alpha1.Drifted))
	w.eventually("the Federation to report it", func() error {
		c := apimeta.FindStatusCondition(w.declared(r).Status.Conditions, v1alpha1.MutatedType)
		return unless(c != nil && strings.Contains(c.Message, "cluster-a"), fmt.Sprint(c))
	})
	generation := live(t, member, "mutated").Generation
	time.Sleep(2 * time.Second) // longer than a loop of repairs takes to begin
	require.Equal(t, generation, live(t, member, "mutated").Generation)

	fed := w.declared(r)
	fed.Spec.MutationPolicy = v1alpha1.MutationWarn
	require.NoError(t, w.hub.Update(t.Context(), fed))
	for _, cluster := range both {
		complete(t, w.members[cluster], "mutated")
	}
	release = w.ready(r, sha)
	require.NotNil(t, apimeta.FindStatusCondition(release.Status.Conditions, v1alpha1.MutatedType))

	require.NoError(t, member.Delete(t.Context(), binding))
	require.NoError(t, member.Delete(t.Context(), policy))
	w.eventually("the policy to be gone", func() error { return unless(admits(t, member, "mutated") == 2, "it is not") })
	r.push("something else", "more.yaml", configMap("mutated", "1"))
	w.eventually("the next revision to repair it", func() error {
		return unless(*live(t, member, "mutated").Spec.Replicas == 2 && len(w.delivery(r, "cluster-a").Status.MutatedFields) == 0, "it is not repaired")
	})
}

// oneReplica returns an admission policy that sets the replicas of a Deployment to 1.
func oneReplica(name string) (*admissionv1.MutatingAdmissionPolicy, *admissionv1.MutatingAdmissionPolicyBinding) {
	fail := admissionv1.Fail
	policy := &admissionv1.MutatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: admissionv1.MutatingAdmissionPolicySpec{
			FailurePolicy: &fail, ReinvocationPolicy: admissionv1.NeverReinvocationPolicy,
			MatchConstraints: &admissionv1.MatchResources{ResourceRules: []admissionv1.NamedRuleWithOperations{{
				ResourceNames: []string{name},
				RuleWithOperations: admissionv1.RuleWithOperations{
					Operations: []admissionv1.OperationType{admissionv1.Create, admissionv1.Update},
					Rule:       admissionv1.Rule{APIGroups: []string{"apps"}, APIVersions: []string{"v1"}, Resources: []string{"deployments"}},
				},
			}}},
			Mutations: []admissionv1.Mutation{{
				PatchType:          admissionv1.PatchTypeApplyConfiguration,
				ApplyConfiguration: &admissionv1.ApplyConfiguration{Expression: "Object{spec: Object.spec{replicas: 1}}"},
			}},
		},
	}
	binding := &admissionv1.MutatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       admissionv1.MutatingAdmissionPolicyBindingSpec{PolicyName: name},
	}
	return policy, binding
}

// replicated returns a Deployment.
func replicated(name string, replicas int) string {
	return fmt.Sprintf(`apiVersion: apps/v1
kind: Deployment
metadata:
  namespace: shop
  name: %[1]s
spec:
  replicas: %[2]d
  selector:
    matchLabels: {app: %[1]s}
  template:
    metadata:
      labels: {app: %[1]s}
    spec:
      containers:
      - name: web
        image: nginx:1.27
        resources:
          requests: {cpu: 1000m}
`, name, replicas)
}

func live(t *testing.T, member client.Client, name string) *appsv1.Deployment {
	found := &appsv1.Deployment{}
	require.NoError(t, member.Get(t.Context(), client.ObjectKey{Namespace: "shop", Name: name}, found))
	return found
}

// admits returns the replicas that a Deployment with two would have.
func admits(t *testing.T, member client.Client, name string) int32 {
	two, labels := int32(2), map[string]string{"app": name}
	tried := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name},
		Spec: appsv1.DeploymentSpec{
			Replicas: &two, Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "nginx:1.27"}}}},
		},
	}
	if err := member.Create(t.Context(), tried, client.DryRunAll); err != nil { // it exists by now
		tried = live(t, member, name)
		tried.Spec.Replicas = &two
		require.NoError(t, member.Update(t.Context(), tried, client.DryRunAll))
	}
	return *tried.Spec.Replicas
}

// complete writes the status of a finished Deployment, which no controller does here.
func complete(t *testing.T, member client.Client, name string) {
	d := live(t, member, name)
	n := *d.Spec.Replicas
	d.Status = appsv1.DeploymentStatus{
		ObservedGeneration: d.Generation, Replicas: n, UpdatedReplicas: n, ReadyReplicas: n, AvailableReplicas: n,
		Conditions: []appsv1.DeploymentCondition{{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue}},
	}
	require.NoError(t, member.Status().Update(t.Context(), d))
}
