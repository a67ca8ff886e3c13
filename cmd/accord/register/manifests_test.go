package register_test

import (
	"errors"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/register"
	"github.com/accord-dev/accord/reconciler/registration/applicant"
	"github.com/accord-dev/accord/reconciler/registration/request"
)

// apply applies the manifests that a command printed, as a tool that follows Git does.
func (w *world) apply(printed string) {
	w.Helper()
	for document := range strings.SplitSeq(printed, "---\n") {
		u := &unstructured.Unstructured{}
		require.NoError(w, yaml.Unmarshal([]byte(document), &u.Object))
		if u.Object != nil {
			require.NoError(w, w.cluster.Apply(w.Context(), client.ApplyConfigurationFromUnstructured(u), client.FieldOwner("git"), client.ForceOwnership))
		}
	}
}

// account returns the connection to the cluster with the rights of the account of the agent.
func (w *world) account() *rest.Config {
	as := w.member.Config()
	as.Impersonate = rest.ImpersonationConfig{
		UserName: "system:serviceaccount:accord-system:accord-agent", Groups: []string{"system:serviceaccounts", "system:serviceaccounts:accord-system", "system:authenticated"},
	}
	return as
}

// requested returns the names of the requests for the certificate of a cluster.
func (w *world) requested(cluster string) (names []string) {
	w.Helper()
	var all certificatesv1.CertificateSigningRequestList
	require.NoError(w, w.hub.List(w.Context(), &all))
	for _, r := range all.Items {
		if strings.HasPrefix(r.Name, "accord-agent-"+cluster+"-") {
			names = append(names, r.Name)
		}
	}
	return names
}

// enrolls has manifests alone register a cluster. The agent has the rights that they give to its account.
func enrolls(w *world, _ []string) {
	out, err := w.run(register.UnregisterCommand(), "eu-1", "--kubeconfig", w.plane.Kubeconfig(), "--cluster-kubeconfig", w.member.Kubeconfig())
	require.NoError(w, err, out)
	command := w.token("--cluster", "flux-*")
	hub, secret, pin := command[0], command[2], command[4]
	printed, err := w.run(register.Command(), append(command, "--manifests", "--cluster-name", "flux-1", "--cluster-region", "eu")...)
	require.NoError(w, err, printed)
	require.NotContains(w, printed, "client-key-data")
	w.apply(printed)
	deployment := &appsv1.Deployment{}
	require.NoError(w, w.cluster.Get(w.Context(), client.ObjectKey{Namespace: "accord-system", Name: "accord-agent"}, deployment))
	require.Equal(w, []string{
		"--cluster=flux-1", "--hub=" + hub, "--token-file=/etc/accord/token/token", "--discovery-token-ca-cert-hash=" + pin, "--cluster-region=eu", "--cache-dir=/var/cache/accord",
	}, deployment.Spec.Template.Spec.Containers[0].Args)

	account, kept := clientOf(w, w.account()), types.NamespacedName{Namespace: "accord-system", Name: "accord-agent-hub"}
	mounted := func() (string, error) {
		s := &corev1.Secret{}
		err := w.cluster.Get(w.Context(), client.ObjectKey{Namespace: "accord-system", Name: "accord-agent-token"}, s)
		return string(s.Data["token"]), err
	}
	enroll := func(cluster, pin string, timeout time.Duration, token func() (string, error)) ([]byte, error) {
		a := &applicant.Applicant{Hub: hub, Pins: []string{pin}, Cluster: cluster, Traits: request.Traits{Region: "eu"}, Timeout: timeout, Say: w.Logf}
		return a.Enroll(w.Context(), account, kept, token)
	}

	_, err = enroll("flux-1", "sha256:"+strings.Repeat("0", 64), patience, mounted)
	require.ErrorContains(w, err, "which --discovery-token-ca-cert-hash does not name")
	require.Empty(w, w.requested("flux-1"), "the token was sent to nobody")

	_, err = enroll("flux-1", pin, time.Nanosecond, mounted)
	require.ErrorContains(w, err, "has no certificate after", "the agent ends before the hub has signed")
	sent := w.requested("flux-1")
	require.Len(w, sent, 1)
	kubeconfig, err := enroll("flux-1", pin, patience, mounted)
	require.NoError(w, err, "the agent starts again, and its token has one use")
	require.Equal(w, sent, w.requested("flux-1"))

	cluster := &v1alpha1.Cluster{}
	require.NoError(w, clientOf(w, w.agent()).Get(w.Context(), client.ObjectKey{Name: "flux-1"}, cluster))
	require.Equal(w, "eu", cluster.Spec.Region)
	require.NotEmpty(w, cluster.Spec.ID)
	gone := func() (string, error) { return "", errors.New("the token is gone") }
	again, err := enroll("flux-1", pin, patience, gone)
	require.NoError(w, err)
	require.Equal(w, kubeconfig, again)
	w.apply(printed)
	again, err = enroll("flux-1", pin, patience, gone)
	require.NoError(w, err, "manifests that are applied again leave the kubeconfig")
	require.Equal(w, kubeconfig, again)

	s := &corev1.Secret{}
	require.NoError(w, w.cluster.Get(w.Context(), kept, s))
	s.Data = nil
	require.NoError(w, w.cluster.Update(w.Context(), s))
	_, err = enroll("flux-2", pin, patience, func() (string, error) { return secret, nil })
	require.ErrorContains(w, err, "TokenUsedUp")
	require.NoError(w, w.cluster.Get(w.Context(), kept, s))
	require.Empty(w, s.Data, "the next start sends another request")

	another := w.token("--cluster", "flux-3")[2]
	_, err = enroll("flux-3", pin, 3*time.Second, func() (string, error) { return another, nil })
	require.ErrorContains(w, err, "the cluster is a member already, as Cluster flux-1", "by the UID of its namespace kube-system")

	out, err = w.run(register.UnregisterCommand(), "--cluster-kubeconfig", w.member.Kubeconfig())
	require.NoError(w, err)
	require.Contains(w, out, "[cluster] deleted Secret accord-system/accord-agent-token")
}
