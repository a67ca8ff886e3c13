package clusterimport_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/clusters/local/localtest"
	"github.com/accord-dev/accord/cmd/accord/clusterimport"
	"github.com/accord-dev/accord/cmd/accord/deliver"
	"github.com/accord-dev/accord/cmd/accord/exit"
)

// production is created as kubectl create does it: the API server records the defaults as fields of the creator.
const production = `
{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {team: shop}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, labels: {app: web}}
spec:
  replicas: REPLICAS
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      serviceAccountName: web
      containers:
      - {name: web, image: "REGISTRY/team/web:1", ports: [{containerPort: 80}], readinessProbe: {httpGet: {port: 80}}, resources: {requests: {cpu: 1000m}}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: web, namespace: shop}}
---
{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {selector: {app: web}, ports: [{port: 80}]}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: LONGNAME, namespace: shop}, data: {region: REGISTRY}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: shop}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}
---
{apiVersion: batch/v1, kind: CronJob, metadata: {name: nightly, namespace: shop}, spec: {schedule: "0 3 * * *", suspend: true, jobTemplate: {spec: {template: {spec: {restartPolicy: OnFailure, containers: [{name: a, image: busybox}]}}}}}}
---
{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: all, namespace: shop}, spec: {podSelector: {}, ingress: [{ports: [{port: 80}]}]}}
---
{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: web, namespace: shop}, spec: {minAvailable: 1, selector: {matchLabels: {app: web}}}}
---
{apiVersion: v1, kind: Secret, metadata: {name: db, namespace: shop}, stringData: {password: planted}}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: "shop:reader"}, rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {color: {type: string, default: red}, size: {type: integer}}}}}}}
---
{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, namespace: shop}, spec: {size: 3}}
`

var longName = strings.Repeat("n", 253)

// TestImport plays the way of two clusters into Git and back: with the printed rights alone, interrupted, compared, and delivered.
func TestImport(t *testing.T) {
	planes := localtest.Members(t, "prod", "standby")
	localtest.RunPods(t, 1, planes["prod"])
	create(t, planes["prod"], "docker.io", "2")
	create(t, planes["standby"], "mirror.io", "0")
	pods := runningPods(t, planes["prod"])
	replicaSets := uids(t, planes["prod"], "apps/v1", "ReplicaSet")

	w := &world{t: t, admin: filepath.Join(t.TempDir(), "admin"), reader: filepath.Join(t.TempDir(), "reader")}
	admin, reader := clientcmdapi.NewConfig(), clientcmdapi.NewConfig()
	for name, plane := range planes {
		w.contexts = append(w.contexts, name)
		addContext(t, admin, name, plane.Kubeconfig())
	}
	require.NoError(t, clientcmd.WriteToFile(*admin, w.admin))
	rights, err := w.run(w.admin, "--rights", "--context", "prod")
	require.NoError(t, err)
	require.Contains(t, rights, "widgets")
	require.NotRegexp(t, `- (create|update|patch|delete|watch|get|'\*')\n`, rights)
	front := map[string]*recorder{}
	for name, plane := range planes {
		create(t, plane, "", "", rights)
		front[name] = record(t, tokenConfig(t, plane))
		addCluster(reader, name, front[name].url)
	}
	require.NoError(t, clientcmd.WriteToFile(*reader, w.reader))
	before := versions(t, planes["prod"])

	// The connection breaks at one kind. The same command continues without the kinds that it has read.
	repo := filepath.Join(t.TempDir(), "repo")
	require.NoError(t, exec.CommandContext(t.Context(), "git", "init", "-q", repo).Run())
	command := []string{"--context", "prod,standby", "--out", repo, "--policy"}
	front["prod"].fail("/apis/example.com/v1/widgets")
	_, err = w.run(w.reader, command...)
	require.ErrorContains(t, err, "reading widgets.example.com of cluster prod")
	require.ErrorContains(t, err, "run the same command again")
	require.NoFileExists(t, filepath.Join(repo, "shop", "deployment", "web.yaml"))
	_, err = w.run(w.reader, "--context", "prod", "--out", repo)
	require.ErrorContains(t, err, "an interrupted import with other flags")
	first := front["prod"].requests("/api/v1/configmaps")
	require.Positive(t, first)
	front["prod"].fail("")
	out, err := w.run(w.reader, command...)
	require.NoError(t, err)
	require.Equal(t, first, front["prod"].requests("/api/v1/configmaps"))
	require.NoFileExists(t, filepath.Join(repo, ".accord-import", "options"))
	_, err = w.run(w.reader, command...)
	require.ErrorContains(t, err, "accord replaces no file")

	require.Contains(t, out, "left out: Secret shop/db of prod, standby: encrypt it for Git\n")
	require.Contains(t, out, "made by ReplicaSet\n")
	require.NotContains(t, out, "not placed")
	require.Contains(t, out, "2 objects differ between the clusters")
	require.YAMLEq(t, `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, labels: {app: web}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      serviceAccountName: web
      containers:
      - {name: web, image: "docker.io/team/web:1", ports: [{containerPort: 80}], readinessProbe: {httpGet: {port: 80}}, resources: {requests: {cpu: "1"}}}
`, read(t, repo, "shop/deployment/web.yaml"))
	require.YAMLEq(t, `{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {selector: {app: web}, ports: [{port: 80}]}}`, read(t, repo, "shop/service/web.yaml"))
	require.YAMLEq(t, `{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, namespace: shop}, spec: {size: 3}}`, read(t, repo, "shop/widget.example.com/w.yaml"))
	found, err := exec.CommandContext(t.Context(), "grep", "-rlE", "planted|managedFields|resourceVersion|kube-root-ca", repo).Output()
	require.Error(t, err, "%s", found)

	out, err = w.run(w.reader, "--context", "prod,standby", "--out", repo, "--verify")
	require.NoError(t, err, out)
	require.Contains(t, out, "same     prod  apps/Deployment shop/web\n")
	require.Contains(t, out, "same     standby  apps/Deployment shop/web\n")

	// Nothing was written: no request but GET, and no object has another version.
	for name, f := range front {
		require.Empty(t, f.others(), name)
	}
	require.Equal(t, before, versions(t, planes["prod"]))

	// The delivery adopts the objects, and no pod restarts.
	commit(t, repo)
	out, err = execute(deliver.Command(), "--repo", repo, "--member-kubeconfig", w.admin, "--cache-dir", t.TempDir(), "--wait", "0")
	require.NoError(t, err, out)
	after := versions(t, planes["prod"])
	for object, was := range before {
		require.Equal(t, was.spec, after[object].spec, object)
	}
	require.NotEqual(t, before["Deployment web"].version, after["Deployment web"].version, "accord has marked it")
	require.Equal(t, int64(2), after["Deployment web"].generation, "Kubernetes counts the annotation of accord, and nothing else")
	require.Len(t, replicaSets, 1)
	require.Equal(t, replicaSets, uids(t, planes["prod"], "apps/v1", "ReplicaSet"))
	require.Equal(t, pods, runningPods(t, planes["prod"]))
	out, err = w.run(w.reader, "--context", "prod,standby", "--out", repo, "--verify", "-o", "json")
	require.NoError(t, err, out)

	// A change in Git shows before it is delivered.
	file := filepath.Join(repo, "shop", "deployment", "web.yaml")
	text := strings.Replace(read(t, repo, "shop/deployment/web.yaml"), "web:1", "web:2", 1)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	out, err = w.run(w.reader, "--context", "prod", "--out", repo, "--verify")
	require.Error(t, err)
	code := &exit.Error{}
	require.ErrorAs(t, err, &code)
	require.Equal(t, 1, code.Code)
	require.Contains(t, out, "differs  prod  apps/Deployment shop/web\n         a delivery changes spec.template.spec.containers[0].image, and restarts pods\n")
}

type world struct {
	t             *testing.T
	contexts      []string
	admin, reader string // kubeconfigs
}

// run runs accord import.
func (w *world) run(kubeconfig string, args ...string) (string, error) {
	return execute(clusterimport.Command(), append(args, "--kubeconfig", kubeconfig)...)
}

func execute(c *cobra.Command, args ...string) (string, error) {
	var out bytes.Buffer
	c.SetArgs(args)
	c.SetOut(&out)
	c.SetErr(&bytes.Buffer{})
	c.SilenceErrors, c.SilenceUsage = true, true
	err := c.ExecuteContext(context.Background())
	return out.String(), err
}

// create creates the objects of production, or of other manifests, and retries those whose kind or namespace is new.
func create(t *testing.T, plane *localtest.ControlPlane, registry, replicas string, manifests ...string) {
	c, err := client.New(plane.Config(), client.Options{})
	require.NoError(t, err)
	if len(manifests) == 0 {
		manifests = []string{strings.NewReplacer("REGISTRY", registry, "REPLICAS", replicas, "LONGNAME", longName).Replace(production)}
	}
	for document := range strings.SplitSeq(strings.Join(manifests, "\n---\n"), "---\n") {
		u := &unstructured.Unstructured{}
		if require.NoError(t, yaml.Unmarshal([]byte(document), &u.Object)); len(u.Object) == 0 {
			continue
		}
		require.NoError(t, wait.PollUntilContextTimeout(t.Context(), 100*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
			err = c.Create(ctx, u.DeepCopy())
			return err == nil || apierrors.IsAlreadyExists(err), nil
		}), "%s: %v", document, err)
	}
}

// runningPods returns the UIDs of the running pods, as soon as both run.
func runningPods(t *testing.T, plane *localtest.ControlPlane) map[string]bool {
	c, err := kubernetes.NewForConfig(plane.Config())
	require.NoError(t, err)
	uids := map[string]bool{}
	require.Eventually(t, func() bool {
		clear(uids)
		list, err := c.CoreV1().Pods("shop").List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return false
		}
		for _, pod := range list.Items {
			if pod.Status.Phase == corev1.PodRunning {
				uids[string(pod.UID)] = true
			}
		}
		return len(uids) == 2
	}, time.Minute, 100*time.Millisecond)
	return uids
}

// uids returns the UIDs of the objects of a kind.
func uids(t *testing.T, plane *localtest.ControlPlane, apiVersion, kind string) (all []string) {
	for _, u := range listed(t, plane, apiVersion, kind) {
		all = append(all, string(u.GetUID()))
	}
	return all
}

type version struct {
	generation int64
	version    string
	spec       any
}

// versions returns the versions of objects that no controller writes by itself at rest.
func versions(t *testing.T, plane *localtest.ControlPlane) map[string]version {
	all := map[string]version{}
	for _, kind := range [][2]string{
		{"apps/v1", "Deployment"}, {"v1", "Service"}, {"v1", "ConfigMap"}, {"v1", "Secret"}, {"v1", "ServiceAccount"}, {"batch/v1", "CronJob"},
		{"networking.k8s.io/v1", "NetworkPolicy"}, {"example.com/v1", "Widget"},
	} {
		for _, u := range listed(t, plane, kind[0], kind[1]) {
			all[u.GetKind()+" "+u.GetName()] = version{u.GetGeneration(), u.GetResourceVersion(), u.Object["spec"]}
		}
	}
	return all
}

// listed returns the objects of a kind in the namespace of the test.
func listed(t *testing.T, plane *localtest.ControlPlane, apiVersion, kind string) []unstructured.Unstructured {
	c, err := client.New(plane.Config(), client.Options{})
	require.NoError(t, err)
	list := &unstructured.UnstructuredList{}
	list.SetAPIVersion(apiVersion)
	list.SetKind(kind + "List")
	require.NoError(t, c.List(t.Context(), list, client.InNamespace("shop")))
	return list.Items
}

// tokenConfig returns the configuration of the account of the printed rights.
func tokenConfig(t *testing.T, plane *localtest.ControlPlane) *rest.Config {
	c, err := kubernetes.NewForConfig(plane.Config())
	require.NoError(t, err)
	token, err := c.CoreV1().ServiceAccounts("accord-system").CreateToken(t.Context(), "accord-import", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	require.NoError(t, err)
	cfg := rest.AnonymousClientConfig(plane.Config())
	cfg.BearerToken = token.Status.Token
	reader, err := kubernetes.NewForConfig(cfg)
	require.NoError(t, err)
	require.Eventually(t, func() bool { // the API server caches rights
		_, err := reader.StorageV1().StorageClasses().List(t.Context(), metav1.ListOptions{})
		return err == nil
	}, time.Minute, 50*time.Millisecond)
	return cfg
}

// recorder forwards requests to an API server as an account, and remembers them.
type recorder struct {
	url    string
	mu     sync.Mutex
	counts map[string]int // by method and path
	broken string         // path that does not answer
}

func record(t *testing.T, cfg *rest.Config) *recorder {
	transport, err := rest.TransportFor(cfg)
	require.NoError(t, err)
	target, err := url.Parse(cfg.Host)
	require.NoError(t, err)
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.Transport = transport
	r := &recorder{counts: map[string]int{}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		r.mu.Lock()
		r.counts[request.Method+" "+request.URL.Path]++
		broken := r.broken != "" && r.broken == request.URL.Path
		r.mu.Unlock()
		if broken {
			panic(http.ErrAbortHandler)
		}
		proxy.ServeHTTP(w, request)
	}))
	t.Cleanup(server.Close)
	r.url = server.URL
	return r
}

// fail breaks the connections of requests for a path.
func (r *recorder) fail(path string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.broken = path
}

func (r *recorder) requests(path string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.counts["GET "+path]
}

// others returns the requests that are no GET requests.
func (r *recorder) others() (all []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for request := range r.counts {
		if !strings.HasPrefix(request, "GET ") {
			all = append(all, request)
		}
	}
	return all
}

func addContext(t *testing.T, into *clientcmdapi.Config, name, kubeconfig string) {
	from, err := clientcmd.LoadFromFile(kubeconfig)
	require.NoError(t, err)
	context := from.Contexts[from.CurrentContext]
	into.Clusters[name], into.AuthInfos[name] = from.Clusters[context.Cluster], from.AuthInfos[context.AuthInfo]
	into.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
	into.CurrentContext = name
}

func addCluster(into *clientcmdapi.Config, name, server string) {
	into.Clusters[name] = &clientcmdapi.Cluster{Server: server}
	into.Contexts[name] = &clientcmdapi.Context{Cluster: name}
	into.CurrentContext = name
}

func read(t *testing.T, dir, file string) string {
	text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
	require.NoError(t, err)
	return string(text)
}

func commit(t *testing.T, repo string) {
	for _, args := range [][]string{{"add", "-A"}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "import"}} {
		out, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", repo}, args...)...).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
}

// contextOf returns the name of the context of a control plane.
func contextOf(t testing.TB, plane *localtest.ControlPlane) string {
	cfg, err := clientcmd.LoadFromFile(plane.Kubeconfig())
	require.NoError(t, err)
	return cfg.CurrentContext
}
