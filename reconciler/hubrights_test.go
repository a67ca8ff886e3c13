package reconciler_test

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/apiserver"
	"github.com/accord-dev/accord/apiserver/bundles"
	"github.com/accord-dev/accord/charts"
	"github.com/accord-dev/accord/clusters/local/localtest"
	"github.com/accord-dev/accord/reconciler"
	"github.com/accord-dev/accord/reconciler/metrics"
	"github.com/accord-dev/accord/reconciler/replica/lease"
	"github.com/accord-dev/accord/reconciler/store"
	"github.com/accord-dev/accord/reconciler/webhook"
)

// TestHubRights runs two replicas on a hub with the rights that "accord install" prints, and no others, through the life
// of a federation. Nothing is forbidden, and no right is left over.
func TestHubRights(t *testing.T) {
	w := &world{t: t, namespace: "demo", members: map[string]client.Client{}, cables: map[string]*cable{}, planes: localtest.Members(t, "hub", "cluster-a", "cluster-b"), rights: &rights{}}
	w.hook, w.metrics, w.log = freeAddress(t), freeAddress(t), &errorCounter{to: t.Output()}
	admin := w.planes["hub"].Config()
	w.hub = clientOf(t, admin)
	require.NoError(t, store.Install(t.Context(), admin))
	w.create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.namespace}})
	asked := &requests{used: map[right]int{}, forbidden: map[right]int{}}
	w.config, w.bundles = asked.recorded(w.installed()), bundles.New(bundles.CompressedLimit)
	for _, name := range both {
		w.members[name] = clientOf(t, w.planes[name].Config())
		w.cables[name] = newCable(t, w.planes[name].Config().Host)
		w.join(name)
	}
	first := w.replica("one", w.hook)
	w.eventually("the first replica to lead", func() error { return w.leads() })
	standby := freeAddress(t)
	w.replica("two", standby)
	require.Equal(t, "two", lease.Owner("cluster-a", []string{"one", "two"}), "the one that follows is to deliver too, and to report")

	w.live(standby)
	t.Run("HostileScraper", w.hostileScraper)
	kept := w.federation("kept")
	w.ready(kept, kept.push("by the first one", "app.yaml", configMap("kept", "1"), "policy.yaml", policyFor("kept", []string{"cluster-a"}, "")))
	w.declaresFederations()
	foreign := &v1alpha1.Inventory{ObjectMeta: metav1.ObjectMeta{
		Namespace: w.namespace, Name: "kept-cluster-a-nobody", Labels: map[string]string{v1alpha1.FederationLabel: "kept", v1alpha1.ClusterLabel: "cluster-a"},
	}}
	w.create(foreign)
	first()
	w.eventually("a part without an owner to be deleted", func() error {
		return unless(apierrors.IsNotFound(w.hub.Get(t.Context(), client.ObjectKeyFromObject(foreign), foreign)), "it is there")
	})
	r := w.federation("second-leader")
	w.ready(r, r.push("by the other one", "app.yaml", configMap("second-leader", "1"), "policy.yaml", policyFor("second-leader", both, "")))

	w.eventually("the share of the first to be forgotten", func() error {
		var leases coordinationv1.LeaseList
		err := w.hub.List(t.Context(), &leases, client.InNamespace("accord-system"), client.HasLabels{lease.GroupLabel})
		return cmp.Or(err, unless(len(leases.Items) == 1, fmt.Sprintf("%d Leases", len(leases.Items))))
	})

	w.create(&v1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "pulled"}, Spec: v1alpha1.ClusterSpec{SyncMode: v1alpha1.SyncModePull}})
	w.eventually("the bundle of a cluster in pull mode", func() error {
		published, _ := w.bundles.Select("pulled")
		return unless(len(published) > 0, "it has none")
	})
	w.eventually("the hub to know the authority of the aggregated API", func() error {
		service := &unstructured.Unstructured{}
		service.SetAPIVersion("apiregistration.k8s.io/v1")
		service.SetKind("APIService")
		err := w.hub.Get(t.Context(), client.ObjectKey{Name: "v1alpha1.delivery.accord.dev"}, service)
		authority, _, _ := unstructured.NestedString(service.Object, "spec", "caBundle")
		return cmp.Or(err, unless(authority != "", "it has none"))
	})

	registry := &v1alpha1.ResourceRegistry{
		ObjectMeta: metav1.ObjectMeta{Name: "pods"}, Spec: v1alpha1.ResourceRegistrySpec{ResourceSelectors: []v1alpha1.RegistrySelector{{APIVersion: "v1", Kind: "Pod"}}},
	}
	w.create(registry)
	w.eventually("the status of a ResourceRegistry", func() error {
		err := w.hub.Get(t.Context(), client.ObjectKeyFromObject(registry), registry)
		return cmp.Or(err, unless(registry.Status.Display != "", "it has none"))
	})

	t.Logf("used:\n%s", strings.Join(asked.sorted(asked.used), "\n"))
	require.Empty(t, asked.sorted(asked.forbidden), "what was asked for and is not granted")
	granted := w.granted()
	for _, verb := range []string{"get", "list", "create", "update", "delete"} { // of users of search.karmada.io: TestClusterProxy has a hub that forwards them
		delete(granted, right{verb, "accord.dev", "resourceregistries"})
	}
	for r := range asked.used {
		delete(granted, r)
	}
	require.Empty(t, asked.sorted(granted), "what nobody used")
}

// declaresFederations has a Federation declare another one in a new namespace, and delete it.
func (w *world) declaresFederations() {
	root := newRepository(w.t)
	root.federation = "root"
	w.declare(root, func(spec *v1alpha1.FederationSpec) { spec.DeclareFederations = true })
	w.ready(root, root.push("declare", "far.yaml", federationInGit("far", "far", root, "1h")))
	w.ready(root, root.push("leave\n\nAccord-Prune: allow", "far.yaml", ""))
	require.Nil(w.t, w.federationOnHub("far", "far"))
}

// live is the life of a federation: approval, preflight, commit statuses, drift, overrides, pruning, clusters declared in
// Git, pushes, and its end.
func (w *world) live(standby string) {
	t := w.t
	w.tenant("everyone", "*", permissive)
	r, forge := w.hosted("life", "github", func(spec *v1alpha1.FederationSpec) {
		spec.Approval = &v1alpha1.ApprovalPolicy{}
		spec.WebhookSecretRef = &corev1.LocalObjectReference{Name: "life-hook"}
	})
	w.create(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "life-hook"}, StringData: map[string]string{"token": hookKey}})
	declared := "apiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: declared}\nspec: {syncMode: Push, apiEndpoint: \"https://127.0.0.1:1\"}\n"
	sha := r.push("first", "app.yaml", configMap("life", "1"), "gone.yaml", configMap("gone", "1"), "policy.yaml", policyFor("life", both, ""), "clusters.yaml", declared)
	w.approve(w.held(r, sha), sha)
	release := w.held(r, sha)
	w.approve(release, release.Spec.PlanDigest)
	w.ready(r, sha)
	w.reported(forge, sha, "success")
	require.Equal(t, "1", w.configMap("cluster-a", "life").Data["key"])
	for range 3 { // the same event of the same Delivery about another object: a series, which is patched
		w.repaired("cluster-a", "life", "1")
		w.repaired("cluster-a", "gone", "1")
	}
	for i := range 12 { // more than are kept
		sha = r.push(fmt.Sprintf("change %d", i), "app.yaml", configMap("life", fmt.Sprint(i+2)))
		release = w.held(r, sha)
		w.approve(release, release.Spec.PlanDigest)
		w.ready(r, sha)
	}
	sha = r.push("less\n\nAccord-Prune: allow", "gone.yaml", "", "clusters.yaml", "", "policy.yaml", policyFor("life", []string{"cluster-a"}, ""))
	release = w.held(r, sha)
	w.approve(release, release.Spec.PlanDigest)
	w.ready(r, sha)
	require.True(t, w.absent("cluster-a", "gone"))
	require.True(t, w.absent("cluster-b", "life"))
	orphaned := strings.Join(w.delivery(r, "cluster-b").Status.Orphaned, "\n")
	require.Contains(t, orphaned, "Namespace shop: it may contain objects of others: ", "its rights do not let accord list them")

	w.patch(r, func(fed *v1alpha1.Federation) {
		fed.Spec.Approval, fed.Spec.Interval.Duration = nil, time.Hour
	})
	standing := *w
	standing.hook = standby
	sha = r.push("pushed\n\nAccord-Prune: allow", "app.yaml", configMap("life", "pushed"))
	require.Equal(t, http.StatusAccepted, standing.knock(r, hookKey))
	w.ready(r, sha)
	b := w.cluster("cluster-b")
	require.NoError(t, w.hub.Delete(t.Context(), b.DeepCopy()))
	w.eventually("b to be forgotten, with what it was delivered", func() error {
		key := client.ObjectKey{Namespace: w.namespace, Name: r.federation + "-cluster-b"}
		return unless(apierrors.IsNotFound(w.hub.Get(t.Context(), key, &v1alpha1.Delivery{})), "its Delivery is there")
	})
	w.goes("cluster-b")
	w.create(&v1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: b.Name, Labels: b.Labels}, Spec: b.Spec})
	require.NoError(t, w.hub.Delete(t.Context(), w.declared(r)))
}

// replica runs the controllers, as one of several.
func (w *world) replica(name, hook string) (stop func()) {
	w.t.Helper()
	ctx, cancel := context.WithCancel(w.t.Context())
	ended := make(chan error, 1)
	o := reconciler.Options{
		CacheDir: w.t.TempDir(), Sources: everySource(), Webhook: webhook.Options{Address: hook}, LeaderElection: true, Share: true, Replica: name, Namespace: "accord-system", SecretsNamespace: w.namespace,
		Now: func() time.Time { return time.Now().Add(3 * time.Hour) }, // the tokens of four hours are renewed at once
		Log: logr.FromSlogHandler(slog.NewTextHandler(w.log, nil)),
	}
	if name == "one" {
		o.Metrics = metrics.Options{Address: w.metrics, Secure: true}
	}
	o.Bundles = w.bundles
	require.NoError(w.t, clientOf(w.t, w.config).List(ctx, &v1alpha1.FederationList{}), "what accord run does first")
	go func() { ended <- reconciler.Run(ctx, w.config, o) }()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(w.t, err)
	served := make(chan error, 1)
	go func() {
		served <- apiserver.Run(ctx, w.config, apiserver.Options{
			Bundles: o.Bundles, Listener: listener, Namespace: "accord-system", Replica: name, Address: listener.Addr().String(), Log: slog.New(slog.NewTextHandler(w.log, nil)),
		})
	}()
	stop = sync.OnceFunc(func() {
		cancel()
		<-ended // a leader that stops has lost its lease: that is no error here
		require.NoError(w.t, <-served)
	})
	w.t.Cleanup(stop)
	return stop
}

// hostileScraper asks for metrics as others than an account with the role accord-metrics-reader.
func (w *world) hostileScraper(t *testing.T) {
	k, err := kubernetes.NewForConfig(w.planes["hub"].Config())
	require.NoError(t, err)
	token := func(account string) string {
		w.create(&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: account}})
		given, err := k.CoreV1().ServiceAccounts(w.namespace).CreateToken(t.Context(), account, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
		require.NoError(t, err)
		return given.Status.Token
	}
	w.create(&rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "prometheus"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "accord-metrics-reader"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: w.namespace, Name: "prometheus"}},
	})
	scrape := func(scheme, token string) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, scheme+"://"+w.metrics+"/metrics", nil)
		require.NoError(t, err)
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
		defer transport.CloseIdleConnections()
		answer, err := (&http.Client{Transport: transport}).Do(r)
		if scheme == "http" && err != nil {
			return http.StatusBadRequest, "" // the answer of a TLS server may be lost
		}
		require.NoError(t, err)
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		require.True(t, err == nil || scheme == "http", "%v", err)
		return answer.StatusCode, string(text)
	}
	allowed := token("prometheus")
	for name, c := range map[string]struct {
		scheme, token string
		status        int
	}{
		"no token":            {"https", "", http.StatusUnauthorized},
		"a forged token":      {"https", "forged", http.StatusInternalServerError},
		"another account":     {"https", token("other"), http.StatusForbidden},
		"a token without TLS": {"http", allowed, http.StatusBadRequest},
		"the bound account":   {"https", allowed, http.StatusOK},
	} {
		status, text := scrape(c.scheme, c.token)
		require.Equal(t, c.status, status, name)
		require.Equal(t, c.status == http.StatusOK, strings.Contains(text, "accord_"), name)
	}
}

// leads says whether somebody has the lease.
func (w *world) leads() error {
	return w.hub.Get(w.t.Context(), client.ObjectKey{Namespace: "accord-system", Name: "accord"}, leaseOf())
}

func leaseOf() *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetAPIVersion("coordination.k8s.io/v1")
	u.SetKind("Lease")
	return u
}

// manifests that "accord install --secrets-from demo" prints beside the CRDs.
func (w *world) manifests() []*unstructured.Unstructured {
	w.t.Helper()
	values, err := charts.Defaults()
	require.NoError(w.t, err)
	values.Namespace.Create, values.SecretsNamespace, values.DeclareFederations = true, w.namespace, true
	text, err := charts.Accord("accord-system", values)
	require.NoError(w.t, err)
	var all []*unstructured.Unstructured
	for decoder := yaml.NewYAMLOrJSONDecoder(strings.NewReader(text), 4096); ; {
		u := &unstructured.Unstructured{}
		if decoder.Decode(&u.Object) != nil {
			return all
		}
		all = append(all, u)
	}
}

// installed applies them and returns how their service account reaches the hub.
func (w *world) installed() *rest.Config {
	w.t.Helper()
	for _, u := range w.manifests() {
		w.create(u)
	}
	k, err := kubernetes.NewForConfig(w.planes["hub"].Config())
	require.NoError(w.t, err)
	ask := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: ptr.To[int64](4 * 3600)}}
	token, err := k.CoreV1().ServiceAccounts("accord-system").CreateToken(w.t.Context(), "accord", ask, metav1.CreateOptions{})
	require.NoError(w.t, err)
	cfg := rest.AnonymousClientConfig(w.planes["hub"].Config())
	cfg.BearerToken = token.Status.Token
	return cfg
}

// right is one verb on one kind of resource, "get accord.dev federations/status".
type right struct{ verb, group, resource string }

// granted are all rights in the manifests.
func (w *world) granted() map[right]int {
	w.t.Helper()
	all := map[right]int{}
	for _, u := range w.manifests() {
		role := &rbacv1.ClusterRole{}
		if u.GetKind() != "Role" && u.GetKind() != "ClusterRole" {
			continue
		}
		require.NoError(w.t, w.hub.Get(w.t.Context(), client.ObjectKeyFromObject(u), u))
		rules, _, err := unstructured.NestedSlice(u.Object, "rules")
		require.NoError(w.t, err)
		for _, rule := range rules {
			role.Rules = append(role.Rules, ruleOf(rule.(map[string]any)))
		}
		for _, rule := range role.Rules {
			for _, group := range rule.APIGroups {
				for _, resource := range rule.Resources {
					for _, verb := range rule.Verbs {
						all[right{verb, group, resource}] = 0
					}
				}
			}
		}
	}
	return all
}

func ruleOf(rule map[string]any) rbacv1.PolicyRule {
	texts := func(field string) []string {
		found, _, _ := unstructured.NestedStringSlice(rule, field)
		return found
	}
	return rbacv1.PolicyRule{APIGroups: texts("apiGroups"), Resources: texts("resources"), Verbs: texts("verbs")}
}

// requests are what was asked of the hub, by right, and what of it was forbidden.
type requests struct {
	mu              sync.Mutex
	used, forbidden map[right]int
}

// recorded is cfg with every request written down.
func (r *requests) recorded(cfg *rest.Config) *rest.Config {
	resolver := &request.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")}
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTrip(func(in *http.Request) (*http.Response, error) {
			out, err := next.RoundTrip(in)
			info, wrong := resolver.NewRequestInfo(in)
			if err != nil || wrong != nil || !info.IsResourceRequest {
				return out, err
			}
			asked := right{info.Verb, info.APIGroup, info.Resource}
			if info.Subresource != "" {
				asked.resource += "/" + info.Subresource
			}
			r.mu.Lock()
			defer r.mu.Unlock()
			r.used[asked]++
			if asked.verb == "patch" && out.StatusCode == http.StatusCreated { // server-side apply of what was not there
				r.used[right{"create", asked.group, asked.resource}]++
			}
			if out.StatusCode == http.StatusForbidden {
				r.forbidden[asked]++
			}
			return out, err
		})
	})
	return cfg
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(in *http.Request) (*http.Response, error) { return f(in) }

// sorted lists rights and how often they were used.
func (r *requests) sorted(rights map[right]int) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var lines []string
	for _, x := range slices.SortedFunc(maps.Keys(rights), func(a, b right) int {
		return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.resource, b.resource), cmp.Compare(a.verb, b.verb))
	}) {
		lines = append(lines, fmt.Sprintf("%s %q %s: %d", x.verb, x.group, x.resource, rights[x]))
	}
	return lines
}
