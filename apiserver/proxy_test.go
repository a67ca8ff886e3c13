package apiserver_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/remotecommand"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/apiserver/bundles"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/clusters/local/kubelet"
	"github.com/accord-dev/accord/clusters/local/localtest"
	"github.com/accord-dev/accord/clusters/proxy"
	"github.com/accord-dev/accord/clusters/tunnel"
	"github.com/accord-dev/accord/cmd/accord/exit"
	"github.com/accord-dev/accord/cmd/accord/livediff"
	"github.com/accord-dev/accord/cmd/accord/members"
	"github.com/accord-dev/accord/reconciler/store"
)

const proxyPath = "/apis/cluster.karmada.io/v1alpha1/clusters/"

// proxies is a hub with one API server that is its member twice: as cluster push, and as cluster pull, whose agent runs. User alice may do
// everything there, and accord may act for alice and bob, and for the group dev.
type proxies struct {
	*world
	kubeconfig string     // of the hub
	whole      *testing.T // the test with all its subtests
	member     *localtest.ControlPlane
	stop       func()       // of the aggregated API server
	dialed     atomic.Int64 // requests that arrived at the agent
	agents     func()       // stops the agent
	hubServer  *restartable
	server     *restartable // of the member
}

// restartable is an API server in a process of its own.
type restartable struct {
	*localtest.ControlPlane
	kill, launch func()
}

// startOne starts an API server, which is killed at the end of the test.
func startOne(t *testing.T, name string) *restartable {
	dir, err := os.MkdirTemp("", "accord-test-") // not t.TempDir, which is too long for the sockets below it
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	var running *localtest.Process
	r := &restartable{}
	r.kill = func() { require.NoError(t, running.Kill()) }
	r.launch = func() {
		running, err = localtest.Launch(dir, name)
		require.NoError(t, err)
		r.ControlPlane = running.Planes[name]
	}
	r.launch()
	t.Cleanup(r.kill)
	return r
}

// throughProxy are the tests of TestClusterProxy with a request to a cluster.
var throughProxy = map[string]func(*proxies, string){
	"all verbs":                                 (*proxies).verbs,
	"a watch":                                   (*proxies).watchesPods,
	"logs that are followed":                    (*proxies).logs,
	"exec over WebSocket and SPDY":              (*proxies).execs,
	"accord logs and accord exec":               (*proxies).commands,
	"the cluster decides about the caller":      (*proxies).memberDecides,
	"the caller cannot become somebody else":    (*proxies).noImpersonation,
	"a path that leaves the cluster is refused": (*proxies).escapes,
}

func TestClusterProxy(t *testing.T) {
	hub, member := startOne(t, "hub"), startOne(t, "member")
	p := &proxies{
		whole: t, kubeconfig: hub.Kubeconfig(), world: &world{T: t, hub: hub.Config(), store: bundles.New(bundles.CompressedLimit)}, member: member.ControlPlane,
		hubServer: hub, server: member,
	}
	require.NoError(t, store.Install(t.Context(), p.hub))
	p.prepareMember()
	p.prepareHub()
	p.prepareSearch()
	p.store.Open()
	p.serveMetrics()
	localtest.RunPod(t, p.member, "default", "web")
	p.admin = p.client(p.hub)
	_, p.stop = serve(t, p.hub, p.store)
	p.await("push", http.StatusForbidden) // of the administrator, for whom accord may not act
	p.await("pull", http.StatusServiceUnavailable)
	p.runAgent()
	p.await("pull", http.StatusForbidden)

	for name, test := range throughProxy {
		for _, cluster := range []string{"push", "pull"} {
			t.Run(name+", "+cluster, func(t *testing.T) { test(p.with(t), cluster) })
		}
	}
	for _, x := range []struct {
		name string
		test func(*proxies)
	}{
		{"kubectl works on a cluster in push mode", func(p *proxies) { p.onCluster("push") }},
		{"kubectl works on a cluster in pull mode", func(p *proxies) { p.onCluster("pull") }},
		{"accord diff reads a cluster in pull mode", (*proxies).diffs},
		{"kubectl works on all clusters", (*proxies).onAll},
		{"Karmada's clients read Clusters", (*proxies).projection},
		{"a watch of Clusters continues", (*proxies).projectionWatched},
		{"Clusters are changed elsewhere", (*proxies).projectionRefuses},
		{"commands on all members", (*proxies).allMembers},
		{"a star stands for all clusters", (*proxies).fansOut},
		{"objects of all clusters are one list", (*proxies).oneList},
		{"a watch of all clusters continues", (*proxies).oneWatch},
		{"writes go to the cluster that has the object", (*proxies).oneWriter},
		{"a cluster that joins or leaves ends no watch", (*proxies).oneView},
		{"a cluster that does not answer is named", (*proxies).outage},
		{"an informer misses nothing when accord, the cluster or the hub restarts", (*proxies).informed},
		{"a cached read needs the rights of the live one", (*proxies).cachedRights},
		{"nothing is dialed for a caller without the right", (*proxies).withoutRight},
		{"nobody but the agent opens its tunnel", (*proxies).foreignTunnels},
		{"an agent whose rights end loses its tunnel", (*proxies).revoked},
		{"a Cluster of the same name does not inherit a tunnel", (*proxies).sameName},
		{"the agent finds the next server", (*proxies).nextServer},
	} {
		t.Run(x.name, func(t *testing.T) { x.test(p.with(t)) })
	}
	p.replicas()
}

// with returns the world of a subtest.
func (p *proxies) with(t *testing.T) *proxies {
	before := p.T
	p.T = t
	t.Cleanup(func() { p.T = before })
	return p
}

func (p *proxies) on(cfg *rest.Config) *kubernetes.Clientset {
	c, err := kubernetes.NewForConfig(cfg)
	require.NoError(p, err)
	return c
}

// bind grants rules to a subject.
func (p *proxies) bind(c *kubernetes.Clientset, name string, subject rbacv1.Subject, rules ...rbacv1.PolicyRule) {
	_, err := c.RbacV1().ClusterRoles().Create(p.Context(), &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: rules}, metav1.CreateOptions{})
	require.NoError(p, err)
	_, err = c.RbacV1().ClusterRoleBindings().Create(p.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name}, Subjects: []rbacv1.Subject{subject},
	}, metav1.CreateOptions{})
	require.NoError(p, err)
}

func person(name string) rbacv1.Subject {
	return rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: name}
}

// prepareMember creates the account of accord and the rights of alice.
func (p *proxies) prepareMember() {
	c := p.on(p.member.Config())
	_, err := c.CoreV1().ServiceAccounts("default").Create(p.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "accord"}}, metav1.CreateOptions{})
	require.NoError(p, err)
	p.bind(c, "accord-impersonate", rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: "default", Name: "accord"},
		rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"users"}, ResourceNames: []string{"alice", "bob"}, Verbs: []string{"impersonate"}},
		rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"groups"}, ResourceNames: []string{"dev", "system:masters"}, Verbs: []string{"impersonate"}})
	everything := rbacv1.PolicyRule{APIGroups: []string{"", "apps"}, Resources: []string{"*"}, Verbs: []string{"*"}}
	p.bind(c, "alice", person("alice"), everything)
	p.bind(c, "dev", rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: "dev"}, rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"list"}})
}

// account returns the configuration of the account of accord on the member.
func (p *proxies) account() *rest.Config {
	token, err := p.on(p.member.Config()).CoreV1().ServiceAccounts("default").CreateToken(p.Context(), "accord", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	require.NoError(p, err)
	cfg := rest.AnonymousClientConfig(p.member.Config())
	cfg.BearerToken = token.Status.Token
	return cfg
}

// prepareHub creates the Clusters and the rights of alice, bob, carol and of the agent.
func (p *proxies) prepareHub() {
	c := p.on(p.hub)
	for _, name := range []string{"alice", "bob", "carol"} {
		p.bind(c, "proxy-"+name, person(name), rbacv1.PolicyRule{
			APIGroups: []string{"cluster.karmada.io"}, Resources: []string{"clusters/proxy"}, ResourceNames: []string{"push", "pull"}, Verbs: []string{"*"},
		})
	}
	p.grant("pull")
	_, err := c.CoreV1().Namespaces().Create(p.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "accord-system"}}, metav1.CreateOptions{})
	require.NoError(p, err)
	account := p.account()
	_, err = c.CoreV1().Secrets("accord-system").Create(p.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "push"}, Type: clusters.SecretType,
		Data: map[string][]byte{
			clusters.ClusterKey: []byte("push"), clusters.ServerKey: []byte(account.Host), clusters.TokenKey: []byte(account.BearerToken), clusters.CABundleKey: ca(p, account),
		},
	}, metav1.CreateOptions{})
	require.NoError(p, err)
	p.declare("push", v1alpha1.ClusterSpec{SyncMode: v1alpha1.SyncModePush, SecretRef: &v1alpha1.SecretRef{Namespace: "accord-system", Name: "push"}})
	p.declare("pull", v1alpha1.ClusterSpec{SyncMode: v1alpha1.SyncModePull})
}

// ca returns the PEM of the authority of a configuration.
func ca(t require.TestingT, cfg *rest.Config) []byte {
	cfg = rest.CopyConfig(cfg)
	require.NoError(t, rest.LoadTLSFiles(cfg))
	return cfg.CAData
}

func (p *proxies) kinds() client.Client {
	s := runtime.NewScheme()
	require.NoError(p, scheme.AddToScheme(s))
	require.NoError(p, v1alpha1.AddToScheme(s))
	c, err := client.New(p.hub, client.Options{Scheme: s})
	require.NoError(p, err)
	return c
}

func (p *proxies) declare(name string, spec v1alpha1.ClusterSpec) {
	require.NoError(p, p.kinds().Create(p.Context(), &v1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: spec}))
}

// runAgent keeps the tunnel of cluster pull open.
func (p *proxies) runAgent() {
	m, err := proxy.New(p.account(), "pull")
	require.NoError(p, err)
	inner := m.FromHub()
	counting := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { p.dialed.Add(1); inner.ServeHTTP(w, r) })
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	log := slog.New(slog.NewTextHandler(p.whole.Output(), nil))
	hub := p.as("pull")
	running.Go(func() { tunnel.Keep(ctx, hub, "pull", counting, log) })
	p.agents = sync.OnceFunc(func() { cancel(); running.Wait() })
	p.whole.Cleanup(p.agents)
}

// await waits for an answer to the administrator.
func (p *proxies) await(cluster string, code int) {
	p.Helper()
	require.EventuallyWithT(p, func(t *assert.CollectT) {
		status, _, text := p.try(&p.admin, http.MethodGet, proxyPath+cluster+"/proxy/version", "")
		require.Equal(t, code, status, "%s", text)
		require.Contains(t, string(text), "cluster", "the answer is not that of accord")
	}, patience, 50*time.Millisecond)
}

// through returns the configuration of a user that leads to a cluster through the hub.
func (p *proxies) through(cluster, user string, groups ...string) *rest.Config {
	cfg := rest.CopyConfig(p.hub)
	cfg.Host += proxyPath + cluster + "/proxy"
	cfg.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: append(groups, "system:authenticated")}
	return cfg
}

func (p *proxies) verbs(cluster string) {
	maps := p.on(p.through(cluster, "alice")).CoreV1().ConfigMaps("default")
	wanted := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: cluster}, Data: map[string]string{"a": "1"}}
	_, err := maps.Create(p.Context(), wanted, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	require.NoError(p, err)
	made, err := maps.Create(p.Context(), wanted, metav1.CreateOptions{})
	require.NoError(p, err, "the dry-run wrote nothing")
	made.Data["a"] = "2"
	_, err = maps.Update(p.Context(), made, metav1.UpdateOptions{})
	require.NoError(p, err)
	_, err = maps.Patch(p.Context(), cluster, "application/merge-patch+json", []byte(`{"data":{"b":"3"}}`), metav1.PatchOptions{})
	require.NoError(p, err)
	direct, err := p.on(p.member.Config()).CoreV1().ConfigMaps("default").Get(p.Context(), cluster, metav1.GetOptions{})
	require.NoError(p, err)
	require.Equal(p, map[string]string{"a": "2", "b": "3"}, direct.Data)
	list, err := maps.List(p.Context(), metav1.ListOptions{FieldSelector: "metadata.name=" + cluster})
	require.NoError(p, err)
	require.Len(p, list.Items, 1)
	require.NoError(p, maps.Delete(p.Context(), cluster, metav1.DeleteOptions{}))
	_, err = maps.Get(p.Context(), cluster, metav1.GetOptions{})
	require.True(p, apierrors.IsNotFound(err), "%v", err)
}

func (p *proxies) watchesPods(cluster string) {
	ctx, cancel := context.WithTimeout(p.Context(), patience)
	defer cancel()
	events, err := p.on(p.through(cluster, "alice")).CoreV1().ConfigMaps("default").Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=watched-" + cluster})
	require.NoError(p, err)
	defer events.Stop()
	direct := p.on(p.member.Config()).CoreV1().ConfigMaps("default")
	for range 2 {
		_, err = direct.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "watched-" + cluster}}, metav1.CreateOptions{})
		require.NoError(p, err)
		require.Equal(p, watch.Added, (<-events.ResultChan()).Type)
		require.NoError(p, direct.Delete(ctx, "watched-"+cluster, metav1.DeleteOptions{}))
		require.Equal(p, watch.Deleted, (<-events.ResultChan()).Type)
	}
}

// webLog is the log of the pod web.
var webLog = kubelet.Log("default", "web", localtest.Container)

func (p *proxies) logs(cluster string) {
	ctx, cancel := context.WithTimeout(p.Context(), patience)
	defer cancel()
	stream, err := p.on(p.through(cluster, "alice")).CoreV1().Pods("default").GetLogs("web", &corev1.PodLogOptions{Follow: true}).Stream(ctx)
	require.NoError(p, err)
	defer stream.Close()
	lines := bufio.NewScanner(stream)
	for _, want := range webLog {
		require.True(p, lines.Scan(), "%v", lines.Err())
		require.Equal(p, want, lines.Text())
	}
}

func (p *proxies) execs(cluster string) {
	cfg := p.through(cluster, "alice")
	r := p.on(cfg).CoreV1().RESTClient().Post().Resource("pods").Namespace("default").Name("web").SubResource("exec").VersionedParams(
		&corev1.PodExecOptions{Container: localtest.Container, Command: []string{"say", "it"}, Stdin: true, Stdout: true}, scheme.ParameterCodec)
	overSPDY, err := remotecommand.NewSPDYExecutor(cfg, http.MethodPost, r.URL())
	require.NoError(p, err)
	overWebSocket, err := remotecommand.NewWebSocketExecutor(cfg, http.MethodGet, r.URL().String())
	require.NoError(p, err)
	for _, exec := range []remotecommand.Executor{overSPDY, overWebSocket} {
		ctx, cancel := context.WithTimeout(p.Context(), patience)
		defer cancel()
		var out bytes.Buffer
		require.NoError(p, exec.StreamWithContext(ctx, remotecommand.StreamOptions{Stdin: strings.NewReader("loudly\n"), Stdout: &out}))
		require.Equal(p, "say it\nloudly\n", out.String())
	}
}

// accord runs a command of kubectl as a user.
func (p *proxies) accord(user, in, name string, args ...string) (out, errOut string, err error) {
	p.Setenv("KUBECACHEDIR", p.TempDir())
	return p.run(members.Commands(members.Tables{Takes: func(string) bool { return false }})[name], user, in, append([]string{"-n", "default"}, args...)...)
}

// run runs a command as a user of the hub.
func (p *proxies) run(c *cobra.Command, user, in string, args ...string) (out, errOut string, err error) {
	var stdout, stderr bytes.Buffer
	c.SetIn(strings.NewReader(in))
	c.SetOut(&stdout)
	c.SetErr(&stderr)
	c.SilenceUsage, c.SilenceErrors = true, true
	c.SetArgs(append([]string{"--kubeconfig", p.kubeconfig, "--as", user, "--as-group", "system:authenticated"}, args...))
	err = c.ExecuteContext(p.Context())
	return stdout.String(), stderr.String(), err
}

// commands runs commands on one cluster.
func (p *proxies) commands(cluster string) {
	out, _, err := p.accord("alice", "", "logs", "pod/web", "-C", cluster)
	require.NoError(p, err)
	require.Equal(p, strings.Join(webLog, "\n")+"\n", out)
	out, _, err = p.accord("alice", "", "logs", "web", "-C", cluster, "--tail", "1")
	require.NoError(p, err)
	require.Equal(p, webLog[1]+"\n", out)
	out, _, err = p.accord("alice", "\x1b[1mloud", "exec", "web", "-C", cluster, "-i", "--", "say", "-n", "it")
	require.NoError(p, err)
	require.Equal(p, "say -n it\n\x1b[1mloud", out, "the output is passed on unchanged")
	out, _, err = p.accord("alice", "loud", "attach", "web", "-C", cluster, "-i", "-q")
	require.NoError(p, err)
	require.Equal(p, strings.Join(webLog, "\n")+"\nloud", out)
	_, _, err = p.accord("carol", "", "logs", "web")
	require.ErrorContains(p, err, `cannot list resource "clusters"`)
	_, _, err = p.accord("carol", "", "exec", "web", "-C", cluster, "--", "date")
	require.ErrorContains(p, err, `may not act for user "carol"`)
	_, _, err = p.accord("dave", "", "logs", "web", "-C", cluster)
	require.ErrorContains(p, err, `User "dave" cannot get resource "clusters/proxy"`)
	p.mayList("alice")
	_, _, err = p.accord("alice", "", "logs", "web", "-C", cluster+"x")
	require.ErrorContains(p, err, fmt.Sprintf(`no cluster %q`, cluster+"x"))
	require.ErrorContains(p, err, fmt.Sprintf(`did you mean %q?`, cluster))
}

// diffs compares a directory with a cluster of which the hub has no credentials.
func (p *proxies) diffs() {
	p.configMap(p.on(p.member.Config()), "default", "compared", "1")
	p.bind(p.on(p.hub), "reads-records", person("alice"), rbacv1.PolicyRule{APIGroups: []string{v1alpha1.GroupVersion.Group}, Resources: []string{"*"}, Verbs: []string{"get", "list"}})
	dir := p.TempDir()
	for name, text := range map[string]string{
		"app.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {namespace: default, name: compared}, data: {value: \"2\"}}",
		"policy.yaml": "{apiVersion: policy.karmada.io/v1alpha1, kind: PropagationPolicy, metadata: {namespace: default, name: compared}, " +
			"spec: {resourceSelectors: [{apiVersion: v1, kind: ConfigMap}], placement: {clusterAffinity: {clusterNames: [pull]}}}}",
	} {
		require.NoError(p, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	require.EventuallyWithT(p, func(t *assert.CollectT) { // the authorizer of the hub reads its rules from a cache
		out, _, err := p.run(livediff.Command(), "alice", "", dir, "-C", "pull")
		require.Equal(t, &exit.Error{Code: 1}, err, out)
		require.Contains(t, out, "ConfigMap default/compared")
		require.Contains(t, out, "-\"1\"\n       +\"2\"\n")
	}, patience, 50*time.Millisecond)
}

// mayList allows users to list the clusters for the time of a test.
func (p *proxies) mayList(users ...string) {
	c := p.on(p.hub)
	for _, user := range users {
		p.bind(c, "lists-"+user, person(user), rbacv1.PolicyRule{APIGroups: []string{v1alpha1.GroupVersion.Group}, Resources: []string{"clusters"}, Verbs: []string{"list"}})
		p.Cleanup(func() {
			require.NoError(p, c.RbacV1().ClusterRoleBindings().Delete(context.Background(), "lists-"+user, metav1.DeleteOptions{}))
			require.NoError(p, c.RbacV1().ClusterRoles().Delete(context.Background(), "lists-"+user, metav1.DeleteOptions{}))
		})
	}
	require.EventuallyWithT(p, func(t *assert.CollectT) { // the authorizer of the hub reads its rules from a cache
		for _, user := range users {
			_, _, err := p.accord(user, "", "logs", "web", "-C", "nothing")
			require.ErrorContains(t, err, "no cluster")
		}
	}, patience, 50*time.Millisecond)
}

// allMembers runs commands on both clusters, which are one API server, at the same time.
func (p *proxies) allMembers() {
	p.awaitReached()
	p.mayList("alice")
	out, _, err := p.accord("alice", "", "get", "pods", "-s", "members")
	require.NoError(p, err)
	require.Regexp(p, `^NAME +CLUSTER +READY +STATUS +RESTARTS +AGE\nweb +pull +0/1 +Running +0 +\S+\nweb +push +0/1 +Running +0 +\S+\n$`, out)
	out, _, err = p.accord("alice", "", "get", "pod", "web", "-C", "pull,push", "-o", "wide")
	require.NoError(p, err)
	require.Regexp(p, `^NAME +CLUSTER .* ADOPTION\nweb +pull .* N\nweb +push .* N\n$`, out)
	out, _, err = p.accord("alice", "", "get", "pods", "-C", "push", "-o", "name")
	require.NoError(p, err)
	require.Equal(p, "pod/web\n", out)
	out, _, err = p.accord("alice", "", "logs", "-l", "app=web", "--all-clusters", "--tail", "1")
	require.NoError(p, err)
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	slices.Sort(lines)
	require.Equal(p, []string{"pull  " + webLog[1], "push  " + webLog[1]}, lines)
	for _, args := range [][]string{{"logs", "web"}, {"logs", "-l", "app=web"}, {"exec", "web", "--", "date"}} {
		_, _, err = p.accord("alice", "", args[0], args[1:]...)
		require.ErrorContains(p, err, " in namespace default is on pull and push: name one with --cluster", args)
	}
	out, errOut, err := p.accord("alice", "", "get", "leases", "-A", "-s", "members")
	require.Error(p, err)
	require.Empty(p, out)
	require.Equal(p, 1, strings.Count(errOut, `pull: leases.coordination.k8s.io is forbidden: User "alice"`), errOut)
	require.Equal(p, 1, strings.Count(errOut, `push: leases.coordination.k8s.io is forbidden: User "alice"`), errOut)
}

func (p *proxies) memberDecides(cluster string) {
	pods := func(user string, groups ...string) error {
		_, err := p.on(p.through(cluster, user, groups...)).CoreV1().Pods("default").List(p.Context(), metav1.ListOptions{})
		return err
	}
	require.NoError(p, pods("alice"))
	require.NoError(p, pods("bob", "dev"))
	err := pods("bob")
	require.True(p, apierrors.IsForbidden(err), "%v", err)
	require.ErrorContains(p, err, `User "bob" cannot list resource "pods"`, "the cluster refuses bob")
	err = pods("bob", "system:masters")
	require.True(p, apierrors.IsForbidden(err), "a group of the hub's Kubernetes counts on the cluster: %v", err)
	err = pods("carol", "dev")
	require.True(p, apierrors.IsForbidden(err), "%v", err)
	require.ErrorContains(p, err, `may not act for user "carol"`)
}

// noImpersonation sends headers of impersonation. The hub refuses those of a user without the right, and accord forwards none.
func (p *proxies) noImpersonation(cluster string) {
	c := p.client(p.through(cluster, "bob", "dev"))
	status, _, text := p.try(&c, http.MethodGet, proxyPath+cluster+"/proxy/api/v1/namespaces/default/configmaps", "", "Impersonate-Group: system:masters", "X-Remote-User: alice", "Impersonate-Extra-Scopes: all")
	require.Equal(p, http.StatusForbidden, status, "%s", text)
	require.NotContains(p, string(text), "alice")
}

func (p *proxies) escapes(cluster string) {
	c := p.client(p.through(cluster, "alice"))
	before := p.dialed.Load()
	for _, path := range []string{"/api/..%2f..%2f..", "/api//v1", "/%2e%2e/", "/api/v1/%2e"} {
		s := p.refused(http.StatusBadRequest, &c, http.MethodGet, proxyPath+cluster+"/proxy"+path, "")
		require.Contains(p, s.Message, "the path on the cluster", path)
	}
	require.Equal(p, before, p.dialed.Load(), "a path that is refused reached the agent")
}

func (p *proxies) withoutRight() {
	before := p.dialed.Load()
	dave := p.client(p.through("pull", "dave"))
	for _, r := range []struct{ method, path string }{{http.MethodGet, "/version"}, {http.MethodPost, "/api/v1/namespaces"}, {http.MethodGet, ""}} {
		s := p.refused(http.StatusForbidden, &dave, r.method, proxyPath+"pull/proxy"+r.path, "{}")
		require.Contains(p, s.Message, `User "dave" cannot`)
	}
	alice := p.client(p.through("pull", "alice"))
	p.refused(http.StatusForbidden, &alice, http.MethodGet, proxyPath+"other/proxy/version", "")
	require.Equal(p, before, p.dialed.Load(), "a request without right reached the agent")
	p.refused(http.StatusNotFound, &p.admin, http.MethodGet, proxyPath+"other/proxy/version", "")
}
