package register_test

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/charts"
	"github.com/accord-dev/accord/clusters/local/localtest"
	"github.com/accord-dev/accord/cmd/accord/register"
	"github.com/accord-dev/accord/cmd/accord/token"
	"github.com/accord-dev/accord/reconciler/manager"
	"github.com/accord-dev/accord/reconciler/registration"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/store"
)

const patience = 30 * time.Second

// world is a hub on which accord registers clusters with the rights of "accord install --register-clusters", and a cluster.
type world struct {
	*testing.T
	plane, member *localtest.ControlPlane
	hub, cluster  client.Client
	controller    *registration.Controller
}

func newWorld(t *testing.T) *world {
	planes := localtest.Members(t, "hub", "member")
	w := &world{T: t, plane: planes["hub"], member: planes["member"]}
	w.hub, w.cluster = clientOf(t, w.plane.Config()), clientOf(t, w.member.Config())
	require.NoError(t, store.Install(t.Context(), w.plane.Config()))
	w.install()
	as := w.plane.Config()
	as.Impersonate = rest.ImpersonationConfig{
		UserName: "system:serviceaccount:accord-system:accord", Groups: []string{"system:serviceaccounts", "system:serviceaccounts:accord-system", "system:authenticated"},
	}
	mgr, err := manager.New(as, manager.Options{Log: logr.Discard()})
	require.NoError(t, err)
	w.controller = &registration.Controller{Options: registration.Options{
		Hub: mgr.GetClient(), Uncached: mgr.GetAPIReader(), Authority: w.authority,
		Emit: func(changes.Event) {}, Log: slog.New(slog.DiscardHandler),
	}}
	require.NoError(t, w.controller.Start(mgr, manager.Workers(1)))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(ctx) }()
	t.Cleanup(func() { cancel(); require.NoError(t, <-ended) })
	return w
}

// install applies the rights that "accord install --register-clusters" prints.
func (w *world) install() {
	values, err := charts.Defaults()
	require.NoError(w, err)
	values.Namespace.Create, values.RegisterClusters = true, true
	text, err := charts.Accord("accord-system", values)
	require.NoError(w, err)
	for document := range strings.SplitSeq(text, "\n---\n") {
		u := &unstructured.Unstructured{}
		require.NoError(w, yaml.Unmarshal([]byte(document), &u.Object))
		require.NoError(w, w.hub.Create(w.Context(), u))
	}
	// Here accord signs, too, as with "accord up". Elsewhere kube-controller-manager does, which has this right.
	meta := metav1.ObjectMeta{Name: "signer"}
	require.NoError(w, w.hub.Create(w.Context(), &rbacv1.ClusterRole{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{{
		APIGroups: []string{"certificates.k8s.io"}, Resources: []string{"signers"}, ResourceNames: []string{certificatesv1.KubeAPIServerClientSignerName}, Verbs: []string{"sign"},
	}}}))
	require.NoError(w, w.hub.Create(w.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "signer"},
		Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: "accord-system", Name: "accord"}},
	}))
}

// authority reads the keys of the hub, as "accord up" does.
func (w *world) authority() (*x509.Certificate, crypto.Signer, error) {
	pki := filepath.Join(filepath.Dir(w.plane.Kubeconfig()), "pki")
	pair, err := tls.LoadX509KeyPair(filepath.Join(pki, "ca.crt"), filepath.Join(pki, "ca.key"))
	if err != nil {
		return nil, nil, err
	}
	return pair.Leaf, pair.PrivateKey.(crypto.Signer), nil
}

func clientOf(t testing.TB, cfg *rest.Config) client.Client {
	t.Helper()
	scheme, err := manager.Scheme()
	require.NoError(t, err)
	c, err := client.New(cfg, client.Options{Scheme: scheme})
	require.NoError(t, err)
	return c
}

// run executes a command and returns its output.
func (w *world) run(c *cobra.Command, args ...string) (string, error) {
	w.Helper()
	var out bytes.Buffer
	c.SetArgs(append([]string{}, args...)) // nil would mean os.Args
	c.SetOut(&out)
	c.SetErr(&out)
	c.SilenceErrors, c.SilenceUsage = true, true
	err := c.ExecuteContext(w.Context())
	return out.String(), err
}

// token creates a token and returns the arguments of "accord register" that go with it.
func (w *world) token(args ...string) []string {
	w.Helper()
	out, err := w.run(token.Command(), append([]string{"create", "--kubeconfig", w.plane.Kubeconfig(), "--print-register-command"}, args...)...)
	require.NoError(w, err, out)
	words := strings.Fields(out)
	require.Equal(w, []string{"accord", "register"}, words[:2])
	return words[2:]
}

// register runs "accord register" on the cluster.
func (w *world) register(command []string, args ...string) (string, error) {
	w.Helper()
	return w.run(register.Command(), append(append(command, "--cluster-kubeconfig", w.member.Kubeconfig(), "--wait=false", "--timeout", "20s"), args...)...)
}

// as returns a configuration with a bearer token.
func (w *world) as(text string) *rest.Config {
	cfg := rest.AnonymousClientConfig(w.plane.Config())
	cfg.BearerToken = text
	return cfg
}

// agent returns the configuration of the agent in the cluster.
func (w *world) agent() *rest.Config {
	w.Helper()
	secret := &corev1.Secret{}
	require.NoError(w, w.cluster.Get(w.Context(), client.ObjectKey{Namespace: "accord-system", Name: "accord-agent-hub"}, secret))
	cfg, err := clientcmd.RESTConfigFromKubeConfig(secret.Data["kubeconfig"])
	require.NoError(w, err)
	return cfg
}

// request sends a certificate signing request, and returns its condition when accord has decided about it.
func (w *world) request(as *rest.Config, subject pkix.Name, edit ...func(*x509.CertificateRequest)) certificatesv1.CertificateSigningRequestCondition {
	w.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(w, err)
	template := &x509.CertificateRequest{Subject: subject}
	for _, change := range edit {
		change(template)
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, template, key)
	require.NoError(w, err)
	r := &certificatesv1.CertificateSigningRequest{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"},
		Spec: certificatesv1.CertificateSigningRequestSpec{
			Request: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}), SignerName: certificatesv1.KubeAPIServerClientSignerName,
			Usages:            []certificatesv1.KeyUsage{certificatesv1.UsageClientAuth, certificatesv1.UsageDigitalSignature},
			ExpirationSeconds: ptr.To[int32](3600),
		},
	}
	c := clientOf(w, as)
	require.NoError(w, c.Create(w.Context(), r))
	var decided certificatesv1.CertificateSigningRequestCondition
	require.Eventually(w, func() bool {
		require.NoError(w, c.Get(w.Context(), client.ObjectKeyFromObject(r), r))
		for _, x := range r.Status.Conditions {
			decided = x
		}
		return decided.Type != "" && (decided.Type != certificatesv1.CertificateApproved || len(r.Status.Certificate) > 0)
	}, patience, 50*time.Millisecond, "accord decides")
	require.Equal(w, decided.Type == certificatesv1.CertificateApproved, len(r.Status.Certificate) > 0, "only an approved request is signed")
	require.NoError(w, w.hub.Delete(w.Context(), r), "accord decides about a pending request again")
	return decided
}

func agentOf(cluster string, organizations ...string) pkix.Name {
	if organizations == nil {
		organizations = []string{"system:accord:agents"}
	}
	return pkix.Name{CommonName: "system:accord:agent:" + cluster + ":abcdefgh23", Organization: organizations}
}

func TestRegistration(t *testing.T) {
	w := newWorld(t)
	command := w.token("--cluster", "eu-1", "--description", "the first one")
	for _, stage := range []struct {
		name string
		run  func(*world, []string)
	}{
		{"a hub that cannot be verified gets nothing", unverified},
		{"a cluster registers", registers},
		{"the agent may do what its cluster needs, and nothing else", confined},
		{"HostileToken: a token does not register more than it may", hostileTokens},
		{"HostileRequest: no other certificate is signed", hostileRequests},
		{"HostileRenewal: an agent renews its own certificate only", hostileRenewals},
		{"an agent whose certificate ends soon renews it", renews},
		{"tokens are listed, deleted, and end", tokens},
		{"a cluster that Git declares registers", declared},
		{"a cluster is unregistered", unregisters},
		{"an agent that Git installed registers its cluster", enrolls},
	} {
		require.True(t, t.Run(stage.name, func(t *testing.T) {
			inner := *w
			inner.T = t
			stage.run(&inner, command)
		}), "what follows builds on it")
	}
}

func unverified(w *world, command []string) {
	changed := func(old, now string) []string {
		return strings.Fields(strings.Replace(strings.Join(command, " "), old, now, 1))
	}
	pin := command[len(command)-3]
	_, err := w.register(changed(pin, "sha256:"+strings.Repeat("0", 64)))
	require.ErrorContains(w, err, "which --discovery-token-ca-cert-hash does not name")
	_, err = w.register(changed(command[2], command[2][:7]+"0000000000000000"))
	require.ErrorContains(w, err, "the signature of cluster-info is not that of the token")
	_, err = w.register(changed(command[2], "zzzzzz.0000000000000000"))
	require.ErrorContains(w, err, "cluster-info is not signed for the token zzzzzz")

	info := &corev1.ConfigMap{}
	key := client.ObjectKey{Namespace: "kube-public", Name: "cluster-info"}
	require.NoError(w, w.hub.Get(w.Context(), key, info))
	before := info.DeepCopy()
	info.Data["kubeconfig"] = strings.Replace(info.Data["kubeconfig"], "server: https://", "server: https://evil.", 1)
	require.NoError(w, w.hub.Update(w.Context(), info))
	_, err = w.register(command)
	require.ErrorContains(w, err, "the signature of cluster-info is not that of the token", "a forged cluster-info")
	info.Data = before.Data
	require.NoError(w, w.hub.Update(w.Context(), info))

	var requests certificatesv1.CertificateSigningRequestList
	require.NoError(w, w.hub.List(w.Context(), &requests))
	require.Empty(w, requests.Items, "the token was sent to nobody")
	require.True(w, apierrors.IsNotFound(w.cluster.Get(w.Context(), client.ObjectKey{Name: "accord-system"}, &corev1.Namespace{})))
}

func registers(w *world, command []string) {
	dry, err := w.register(command, "--dry-run")
	require.NoError(w, err)
	require.Contains(w, dry, "kind: Deployment")
	require.NotContains(w, dry, "client-key-data")

	out, err := w.register(command, "--cluster-region", "eu", "--cluster-provider", "acme", "--cluster-zones", "a,b")
	require.NoError(w, err, out)
	for _, want := range []string{"[preflight] cluster eu-1", "[discovery] verified the hub", "[certificate] the hub signed it for system:accord:agent:eu-1", "[agent] created Deployment accord-system/accord-agent"} {
		require.Contains(w, out, want)
	}
	cluster, system := &v1alpha1.Cluster{}, &corev1.Namespace{}
	require.NoError(w, w.hub.Get(w.Context(), client.ObjectKey{Name: "eu-1"}, cluster))
	require.NoError(w, w.cluster.Get(w.Context(), client.ObjectKey{Name: "kube-system"}, system))
	require.Equal(w, v1alpha1.ClusterSpec{SyncMode: "Pull", ID: string(system.UID), Region: "eu", Provider: "acme", Zones: []string{"a", "b"}}, cluster.Spec)
	deployment := &appsv1.Deployment{}
	require.NoError(w, w.cluster.Get(w.Context(), client.ObjectKey{Namespace: "accord-system", Name: "accord-agent"}, deployment))
	require.Equal(w, []string{"--cluster=eu-1", "--hub-kubeconfig=/etc/accord/hub/kubeconfig", "--cache-dir=/var/cache/accord"}, deployment.Spec.Template.Spec.Containers[0].Args)

	cfg := w.agent()
	block, _ := pem.Decode(cfg.CertData)
	certificate, err := x509.ParseCertificate(block.Bytes)
	require.NoError(w, err)
	require.LessOrEqual(w, time.Until(certificate.NotAfter), 30*24*time.Hour)
	require.False(w, certificate.IsCA)

	_, err = w.register(command)
	require.ErrorContains(w, err, "Deployment accord-system/accord-agent exists: the cluster has an agent")
}

func confined(w *world, _ []string) {
	agent := clientOf(w, w.agent())
	mine := &v1alpha1.Cluster{}
	require.NoError(w, agent.Get(w.Context(), client.ObjectKey{Name: "eu-1"}, mine))
	before := mine.DeepCopy()
	mine.Status.KubernetesVersion = "v1.36.3"
	require.NoError(w, agent.Status().Patch(w.Context(), mine, client.MergeFrom(before)))

	require.NoError(w, w.hub.Create(w.Context(), &v1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "us-1"}}))
	foreign := &v1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "us-1"}}
	mine.Spec.Region = "us"
	for what, err := range map[string]error{
		"another Cluster":           agent.Get(w.Context(), client.ObjectKey{Name: "us-1"}, foreign),
		"all Clusters":              agent.List(w.Context(), &v1alpha1.ClusterList{}),
		"the status of another":     agent.Status().Patch(w.Context(), foreign, client.RawPatch("application/merge-patch+json", []byte(`{"status":{"message":"x"}}`))),
		"its own spec":              agent.Update(w.Context(), mine),
		"the leader's Lease":        agent.Get(w.Context(), client.ObjectKey{Namespace: "accord-system", Name: "accord"}, &coordinationv1.Lease{}),
		"Secrets":                   agent.List(w.Context(), &corev1.SecretList{}),
		"the token":                 agent.List(w.Context(), &corev1.SecretList{}, client.InNamespace("kube-system")),
		"Federations":               agent.List(w.Context(), &v1alpha1.FederationList{}),
		"the reports of others":     agent.List(w.Context(), &v1alpha1.DeliveryReportList{}),
		"the rights of others":      agent.List(w.Context(), &rbacv1.ClusterRoleBindingList{}),
		"the report of another":     agent.Create(w.Context(), report("shop", "us-1", "us-1")),
		"a report under its name":   agent.Create(w.Context(), report("shop", "us-1", "eu-1")),
		"an approval of itself":     agent.SubResource("approval").Update(w.Context(), &certificatesv1.CertificateSigningRequest{ObjectMeta: metav1.ObjectMeta{Name: "x"}}),
		"another cluster's Service": agent.List(w.Context(), &corev1.ServiceList{}),
	} {
		require.True(w, apierrors.IsForbidden(err), "%s: %v", what, err)
	}
	require.NoError(w, agent.Create(w.Context(), report("shop", "eu-1", "eu-1")))
	other := report("blog", "us-1", "us-1")
	require.NoError(w, w.hub.Create(w.Context(), other))
	take := client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"cluster":"eu-1"}}`))
	require.True(w, apierrors.IsForbidden(agent.Patch(w.Context(), other, take)), "a report of another cluster cannot be taken over")
}

// report returns a DeliveryReport that has the name for one cluster and the content for another.
func report(federation, named, cluster string) *v1alpha1.DeliveryReport {
	return &v1alpha1.DeliveryReport{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: federation + "-" + named},
		Spec:       v1alpha1.DeliveryReportSpec{Federation: federation, Cluster: cluster},
		Status:     v1alpha1.DeliveryReportStatus{Objects: map[string]v1alpha1.ReportedObject{}},
	}
}

func hostileTokens(w *world, command []string) {
	refused := w.request(w.as(command[2]), agentOf("eu-1"))
	require.Equal(w, "TokenUsedUp", refused.Reason, "a token after its last use, for the same name")

	once := w.token("--cluster", "*")[2]
	require.Equal(w, "Approved", w.request(w.as(once), agentOf("eu-2")).Reason)
	require.Equal(w, "TokenUsedUp", w.request(w.as(once), agentOf("eu-3")).Reason)

	named := w.token("--cluster", "eu-4", "--uses", "1")[2]
	require.Equal(w, "NameNotPermitted", w.request(w.as(named), agentOf("eu-5")).Reason)
	require.Equal(w, "NameTaken", w.request(w.as(w.token()[2]), agentOf("eu-1")).Reason, "the name of an agent")
	require.Equal(w, "NameTaken", w.request(w.as(w.token()[2]), agentOf("us-1")).Reason, "the name of a cluster in push mode")

	expired := w.token("--ttl", "1s")
	time.Sleep(1500 * time.Millisecond)
	bearer := clientOf(w, w.as(expired[2]))
	require.True(w, apierrors.IsUnauthorized(bearer.Create(w.Context(), &certificatesv1.CertificateSigningRequest{ObjectMeta: metav1.ObjectMeta{GenerateName: "x-"}})))
	require.True(w, apierrors.IsUnauthorized(clientOf(w, w.as(named[:7]+"0000000000000000")).List(w.Context(), &v1alpha1.ClusterList{})), "the ID without the secret")
	holder := clientOf(w, w.as(named))
	for what, err := range map[string]error{
		"Clusters": holder.List(w.Context(), &v1alpha1.ClusterList{}),
		"Secrets":  holder.List(w.Context(), &corev1.SecretList{}, client.InNamespace("kube-system")),
		"requests": holder.List(w.Context(), &certificatesv1.CertificateSigningRequestList{}),
	} {
		require.True(w, apierrors.IsForbidden(err), "%s: %v", what, err)
	}
}

func hostileRequests(w *world, _ []string) {
	bearer := w.as(w.token("--uses", "50")[2])
	for name, subject := range map[string]pkix.Name{
		"another organization":   agentOf("eu-9", "system:nodes"),
		"two organizations":      agentOf("eu-9", "system:accord:agents", "system:nodes"),
		"a reserved name":        agentOf("hub"),
		"a malformed name":       agentOf("eu-9:admin"),
		"no name":                agentOf(""),
		"a user of Kubernetes":   {CommonName: "system:kube-controller-manager", Organization: []string{"system:accord:agents"}},
		"an organizational unit": {CommonName: "system:accord:agent:eu-9:abcdefgh23", Organization: []string{"system:accord:agents"}, OrganizationalUnit: []string{"x"}},
	} {
		require.Equal(w, "InvalidRequest", w.request(bearer, subject).Reason, name)
	}
	withName := func(r *x509.CertificateRequest) { r.DNSNames = []string{"hub"} }
	require.Equal(w, "InvalidRequest", w.request(bearer, agentOf("eu-9"), withName).Reason, "subject alternative names")
	require.Equal(w, "UnknownRequester", w.request(w.plane.Config(), agentOf("eu-9")).Reason, "an administrator")
	require.True(w, apierrors.IsNotFound(w.hub.Get(w.Context(), client.ObjectKey{Name: "eu-9"}, &v1alpha1.Cluster{})))
}

func hostileRenewals(w *world, _ []string) {
	require.Equal(w, "AnotherAgent", w.request(w.agent(), agentOf("eu-2")).Reason, "a renewal for another cluster")
	require.Equal(w, "AnotherAgent", w.request(w.agent(), agentOf("eu-1")).Reason, "a renewal for another registration")
	block, _ := pem.Decode(w.agent().CertData)
	certificate, err := x509.ParseCertificate(block.Bytes)
	require.NoError(w, err)
	require.Equal(w, "Renewed", w.request(w.agent(), pkix.Name{CommonName: certificate.Subject.CommonName, Organization: certificate.Subject.Organization}).Reason)
}

func tokens(w *world, command []string) {
	out, err := w.run(token.Command(), "list", "--kubeconfig", w.plane.Kubeconfig())
	require.NoError(w, err)
	id, secret, _ := strings.Cut(command[2], ".")
	require.Regexp(w, id+` +eu-1 +0/1 .*the first one`, out)
	require.NotContains(w, out, secret)

	fresh := w.token()[2]
	_, err = w.run(token.Command(), "delete", fresh[:6], "--kubeconfig", w.plane.Kubeconfig())
	require.NoError(w, err)
	require.Eventually(w, func() bool {
		return apierrors.IsUnauthorized(clientOf(w, w.as(fresh)).List(w.Context(), &v1alpha1.ClusterList{}))
	}, patience, 50*time.Millisecond, "the hub does not accept a deleted token")

	expired := w.token("--ttl", "1s")[2][:6]
	time.Sleep(1500 * time.Millisecond)
	go func() { _ = w.controller.RunTokens(w.Context()) }()
	require.Eventually(w, func() bool {
		err := w.hub.Get(w.Context(), client.ObjectKey{Namespace: "kube-system", Name: "bootstrap-token-" + expired}, &corev1.Secret{})
		info := &corev1.ConfigMap{}
		require.NoError(w, w.hub.Get(w.Context(), client.ObjectKey{Namespace: "kube-public", Name: "cluster-info"}, info))
		_, signed := info.Data["jws-kubeconfig-"+expired]
		return apierrors.IsNotFound(err) && !signed
	}, patience, 50*time.Millisecond, "accord deletes an expired token")
}

func declared(w *world, _ []string) {
	require.NoError(w, w.hub.Create(w.Context(), &v1alpha1.Cluster{
		ObjectMeta: metav1.ObjectMeta{Name: "git-1", Labels: map[string]string{v1alpha1.SourceLabel: "demo.fleet"}}, Spec: v1alpha1.ClusterSpec{SyncMode: "Pull", Region: "eu"},
	}))
	require.Equal(w, "Approved", w.request(w.as(w.token()[2]), agentOf("git-1")).Reason)
	out, err := w.run(register.UnregisterCommand(), "git-1", "--kubeconfig", w.plane.Kubeconfig())
	require.NoError(w, err)
	require.Contains(w, out, "Cluster git-1 stays: Git declares it (demo.fleet)")
	again := w.request(w.as(w.token()[2]), agentOf("git-1"))
	require.Equal(w, "Approved", again.Reason, again.Message)
}

func unregisters(w *world, _ []string) {
	agent := w.agent()
	_, err := w.run(register.UnregisterCommand(), "us-1", "--kubeconfig", w.plane.Kubeconfig())
	require.ErrorContains(w, err, `accord leave us-1`)
	_, err = w.run(register.UnregisterCommand())
	require.ErrorContains(w, err, "is required")
	out, err := w.run(register.UnregisterCommand(), "eu-1", "--kubeconfig", w.plane.Kubeconfig(), "--cluster-kubeconfig", w.member.Kubeconfig())
	require.NoError(w, err)
	require.Contains(w, out, "[hub] deleted Cluster eu-1")
	require.Contains(w, out, "[cluster] deleted Secret accord-system/accord-agent-hub")
	require.Eventually(w, func() bool {
		err := clientOf(w, agent).Create(w.Context(), &certificatesv1.CertificateSigningRequest{ObjectMeta: metav1.ObjectMeta{GenerateName: "x-"}})
		return apierrors.IsForbidden(err)
	}, patience, 50*time.Millisecond, "the agent has no right any more")
	require.True(w, apierrors.IsNotFound(w.cluster.Get(w.Context(), client.ObjectKey{Namespace: "accord-system", Name: "accord-agent"}, &appsv1.Deployment{})))

	again, err := w.register(w.token("--cluster", "eu-1"))
	require.NoError(w, err, again)
	stolen, next := clientOf(w, agent), clientOf(w, w.agent())
	mine := &v1alpha1.Cluster{}
	require.Eventually(w, func() bool {
		return next.Get(w.Context(), client.ObjectKey{Name: "eu-1"}, mine) == nil
	}, patience, 50*time.Millisecond, "the new agent has its rights")
	for what, err := range map[string]error{
		"the Cluster":             stolen.Get(w.Context(), client.ObjectKey{Name: "eu-1"}, mine),
		"the status":              stolen.Status().Patch(w.Context(), mine, client.RawPatch("application/merge-patch+json", []byte(`{"status":{"message":"x"}}`))),
		"a report":                stolen.Create(w.Context(), report("late", "eu-1", "eu-1")),
		"a request":               stolen.Create(w.Context(), &certificatesv1.CertificateSigningRequest{ObjectMeta: metav1.ObjectMeta{GenerateName: "x-"}}),
		"the index of the bundle": bundleIndex(w, agent),
	} {
		require.True(w, apierrors.IsForbidden(err), "with the key of the former registration, %s: %v", what, err)
	}
	require.False(w, apierrors.IsForbidden(bundleIndex(w, w.agent())))
}

// bundleIndex reads the index of the bundle of eu-1. This hub serves no bundles, and decides about the right to read them first.
func bundleIndex(w *world, as *rest.Config) error {
	c, err := kubernetes.NewForConfig(as)
	require.NoError(w, err)
	return c.RESTClient().Get().AbsPath("/apis/delivery.accord.dev/v1alpha1/bundles/eu-1/index").Do(w.Context()).Error()
}
