package apiserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/utils/ptr"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/local/localtest"
	"github.com/accord-dev/accord/clusters/search"
)

const (
	proxyingPath = "/apis/search.karmada.io/v1alpha1/proxying/all/proxy"
	cachePath    = "/apis/search.karmada.io/v1alpha1/search/cache"
)

// registries returns the ResourceRegistries in Karmada's group.
func (p *proxies) registries() dynamic.ResourceInterface {
	return dynamic.NewForConfigOrDie(p.hub).Resource(schema.GroupVersionResource{Group: "search.karmada.io", Version: "v1alpha1", Resource: "resourceregistries"})
}

// registered creates a ResourceRegistry of the ConfigMaps, Pods and Deployments of a namespace on clusters, and waits for its caches.
func (p *proxies) registered(namespace string, clusters ...any) {
	registries := p.registries()
	_, err := registries.Create(p.Context(), &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "search.karmada.io/v1alpha1", "kind": "ResourceRegistry", "metadata": map[string]any{"name": namespace},
		"spec": map[string]any{
			"targetCluster": map[string]any{"clusterNames": clusters},
			"resourceSelectors": []any{
				map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "namespace": namespace}, map[string]any{"apiVersion": "v1", "kind": "Pod", "namespace": namespace},
				map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "namespace": namespace},
			},
		},
	}}, metav1.CreateOptions{})
	require.NoError(p, err)
	p.Cleanup(func() { _ = registries.Delete(p.whole.Context(), namespace, metav1.DeleteOptions{}) })
	p.current(namespace, len(clusters))
}

// current waits until the caches of a ResourceRegistry follow all of its clusters.
func (p *proxies) current(name string, clusters int) {
	p.Helper()
	require.EventuallyWithT(p, func(t *assert.CollectT) {
		r, err := p.registries().Get(p.Context(), name, metav1.GetOptions{})
		require.NoError(t, err)
		display, _, _ := unstructured.NestedString(r.Object, "status", "display")
		require.Equal(t, fmt.Sprintf("%[1]d/%[1]d", clusters), display, "%v", r.Object["status"])
	}, patience, 50*time.Millisecond)
}

// prepareSearch grants the rights of users on the hub, and those of accord's caches on the member.
func (p *proxies) prepareSearch() {
	c := p.on(p.hub)
	for _, name := range []string{"alice", "bob"} {
		p.bind(c, "search-"+name, person(name),
			rbacv1.PolicyRule{APIGroups: []string{"search.karmada.io"}, Resources: []string{"proxying/proxy", "search/api", "search/apis"}, Verbs: []string{"*"}})
	}
	m := p.on(p.member.Config())
	reads := rbacv1.PolicyRule{APIGroups: []string{"", "apps"}, Resources: []string{"configmaps", "pods", "deployments"}, Verbs: []string{"list", "watch"}}
	p.bind(m, "accord-search", person("accord-search"), reads)
	p.bind(m, "accord-reads", rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: "default", Name: "accord"}, reads,
		rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"users"}, ResourceNames: []string{"accord-search"}, Verbs: []string{"impersonate"}})
}

// proxying returns the configuration of a user that leads to all clusters.
func (p *proxies) proxying(user string) *rest.Config {
	cfg := rest.CopyConfig(p.hub)
	cfg.Host += proxyingPath
	cfg.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: []string{"system:authenticated"}}
	return cfg
}

// direct returns ConfigMaps of a namespace of the member, which it creates.
func (p *proxies) namespace(name string) *kubernetes.Clientset {
	direct := p.on(p.member.Config())
	_, err := direct.CoreV1().Namespaces().Create(p.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	require.NoError(p, err)
	return direct
}

func (p *proxies) configMap(c *kubernetes.Clientset, namespace, name, value string) {
	_, err := c.CoreV1().ConfigMaps(namespace).Create(p.Context(), &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"value": value}}, Data: map[string]string{"value": value},
	}, metav1.CreateOptions{})
	require.NoError(p, err)
}

// oneList lists the objects of the same server twice, as those of cluster pull and of cluster push.
func (p *proxies) oneList() {
	direct := p.namespace("listed")
	for _, name := range []string{"a", "b", "c"} {
		p.configMap(direct, "listed", name, name)
	}
	p.registered("listed", "push", "pull")
	maps := p.on(p.proxying("alice")).CoreV1().ConfigMaps("listed")
	var list *corev1.ConfigMapList
	require.EventuallyWithT(p, func(t *assert.CollectT) {
		var err error
		list, err = maps.List(p.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		require.Len(t, list.Items, 6)
	}, patience, 50*time.Millisecond)
	versions, err := search.ParseVersions(list.ResourceVersion)
	require.NoError(p, err)
	require.Len(p, versions, 2)
	for i, item := range list.Items {
		require.Equal(p, []string{"pull", "push"}[i/3], item.Annotations[search.ClusterAnnotation], "the clusters follow each other")
		require.Empty(p, item.ManagedFields)
	}
	var paged []corev1.ConfigMap
	next := ""
	for pages := 1; ; pages++ {
		page, err := maps.List(p.Context(), metav1.ListOptions{Limit: 2, Continue: next})
		require.NoError(p, err)
		paged = append(paged, page.Items...)
		if next = page.Continue; next == "" {
			require.Equal(p, 3, pages)
			break
		}
	}
	require.Equal(p, list.Items, paged)
	selected, err := maps.List(p.Context(), metav1.ListOptions{LabelSelector: "value in (a,b)", FieldSelector: "metadata.name!=a"})
	require.NoError(p, err)
	require.Len(p, selected.Items, 2)
	_, err = maps.Get(p.Context(), "a", metav1.GetOptions{})
	require.True(p, apierrors.IsConflict(err), "two clusters have it: %v", err)
	_, err = maps.Get(p.Context(), "absent", metav1.GetOptions{})
	require.True(p, apierrors.IsNotFound(err), "%v", err)

	alice := p.client(p.proxying("alice"))
	_, _, text := p.try(&alice, http.MethodGet, proxyingPath+"/api/v1/namespaces/listed/configmaps?labelSelector=value%3Da", "", "Accept: application/json;as=Table;v=v1;g=meta.k8s.io")
	var table metav1.Table
	require.NoError(p, json.Unmarshal(text, &table), "%s", text)
	require.Equal(p, "Data", table.ColumnDefinitions[1].Name)
	require.Len(p, table.Rows, 2)
	require.Equal(p, []any{"a", 1.0}, table.Rows[0].Cells[:2])

	_, _, text = p.try(&alice, http.MethodGet, cachePath+"/api/v1/namespaces/listed/configmaps/a", "")
	var flat corev1.ConfigMapList
	require.NoError(p, json.Unmarshal(text, &flat), "%s", text)
	require.Len(p, flat.Items, 2, "a name yields one entry for each cluster")
	require.Empty(p, flat.ResourceVersion)
	_, err = search.ParseVersions(flat.Items[0].ResourceVersion)
	require.Error(p, err, "entries have the resourceVersion of their cluster")
	_, err = p.on(p.proxying("alice")).Discovery().ServerVersion()
	require.NoError(p, err, "discovery is that of the hub")
}

// oneWatch continues watches at the position of an event.
func (p *proxies) oneWatch() {
	direct := p.namespace("followed")
	p.registered("followed", "push", "pull")
	maps := p.on(p.proxying("alice")).CoreV1().ConfigMaps("followed")
	list, err := maps.List(p.Context(), metav1.ListOptions{})
	require.NoError(p, err)
	for _, name := range []string{"a", "b"} {
		p.configMap(direct, "followed", name, name)
	}
	seen := map[string]int{}
	from := list.ResourceVersion
	for range 4 { // each watch is ended after one event
		events, err := maps.Watch(p.Context(), metav1.ListOptions{ResourceVersion: from})
		require.NoError(p, err)
		e := <-events.ResultChan()
		events.Stop()
		require.Equal(p, watch.Added, e.Type, "%v", e.Object)
		m := e.Object.(*corev1.ConfigMap)
		seen[m.Annotations[search.ClusterAnnotation]+"/"+m.Name]++
		from = m.ResourceVersion
	}
	require.Equal(p, map[string]int{"pull/a": 1, "pull/b": 1, "push/a": 1, "push/b": 1}, seen)
	_, err = maps.Watch(p.Context(), metav1.ListOptions{ResourceVersion: "12"})
	require.True(p, apierrors.IsResourceExpired(err), "%v", err)
}

// oneWriter changes an object that one cluster has, by resourceVersions of the view.
func (p *proxies) oneWriter() {
	direct := p.on(p.member.Config()).CoreV1().ConfigMaps("default")
	p.configMap(p.on(p.member.Config()), "default", "written", "1")
	p.registered("default", "push")
	maps := p.on(p.proxying("alice")).CoreV1().ConfigMaps("default")
	_, err := maps.Create(p.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "new"}}, metav1.CreateOptions{})
	require.True(p, apierrors.IsMethodNotSupported(err), "%v", err)
	_, err = maps.Patch(p.Context(), "absent", types.MergePatchType, []byte(`{}`), metav1.PatchOptions{})
	require.True(p, apierrors.IsNotFound(err), "%v", err)

	read, err := maps.Get(p.Context(), "written", metav1.GetOptions{})
	require.NoError(p, err)
	read.Data["value"] = "2"
	_, err = maps.Update(p.Context(), read, metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
	require.NoError(p, err)
	written, err := maps.Update(p.Context(), read, metav1.UpdateOptions{})
	require.NoError(p, err)
	require.NotContains(p, written.Annotations, search.ClusterAnnotation, "the annotation does not reach the cluster")
	_, err = maps.Update(p.Context(), read, metav1.UpdateOptions{})
	require.True(p, apierrors.IsConflict(err), "the resourceVersion is old: %v", err)

	current := search.Versions{"push": written.ResourceVersion}.String()
	patch := func(kind types.PatchType, format, version string) error {
		_, err := maps.Patch(p.Context(), "written", kind, fmt.Appendf(nil, format, version), metav1.PatchOptions{FieldManager: "test"})
		return err
	}
	for kind, format := range map[types.PatchType]string{
		types.MergePatchType:          `{"metadata":{"resourceVersion":%q,"annotations":{"resource.karmada.io/cached-from-cluster":"push"}}}`,
		types.StrategicMergePatchType: `{"metadata":{"resourceVersion":%q}}`,
		types.JSONPatchType:           `[{"op":"test","path":"/metadata/resourceVersion","value":%q}]`,
		types.ApplyYAMLPatchType:      "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: written\n  resourceVersion: %s\n",
	} {
		require.NoError(p, patch(kind, format, current), kind)
		live, err := direct.Get(p.Context(), "written", metav1.GetOptions{})
		require.NoError(p, err)
		require.NotContains(p, live.Annotations, search.ClusterAnnotation)
		current = search.Versions{"push": live.ResourceVersion}.String()
		require.Error(p, patch(kind, format, read.ResourceVersion), "%s with an old resourceVersion", kind)
	}
	err = maps.Delete(p.Context(), "written", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{ResourceVersion: &read.ResourceVersion}})
	require.True(p, apierrors.IsConflict(err), "%v", err)
	require.NoError(p, maps.Delete(p.Context(), "written", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{ResourceVersion: &current}}))
	_, err = direct.Get(p.Context(), "written", metav1.GetOptions{})
	require.True(p, apierrors.IsNotFound(err), "%v", err)

	log, err := p.on(p.proxying("alice")).CoreV1().Pods("default").GetLogs("web", &corev1.PodLogOptions{TailLines: ptr.To[int64](1)}).DoRaw(p.Context())
	require.NoError(p, err)
	require.Equal(p, webLog[1]+"\n", string(log))
	r := p.on(p.proxying("alice")).CoreV1().RESTClient().Post().Resource("pods").Namespace("default").Name("web").SubResource("exec").VersionedParams(
		&corev1.PodExecOptions{Container: localtest.Container, Command: []string{"say", "it"}, Stdout: true}, scheme.ParameterCodec)
	for name, executor := range map[string]func() (remotecommand.Executor, error){
		"SPDY": func() (remotecommand.Executor, error) {
			return remotecommand.NewSPDYExecutor(p.proxying("alice"), http.MethodPost, r.URL())
		},
		"WebSocket": func() (remotecommand.Executor, error) {
			return remotecommand.NewWebSocketExecutor(p.proxying("alice"), http.MethodGet, r.URL().String())
		},
	} {
		run, err := executor()
		require.NoError(p, err)
		var out bytes.Buffer
		require.NoError(p, run.StreamWithContext(p.Context(), remotecommand.StreamOptions{Stdout: &out}), name)
		require.Contains(p, out.String(), "say it", name)
	}
}

// oneView adds a cluster to a ResourceRegistry and removes it, while a watch runs.
func (p *proxies) oneView() {
	direct := p.namespace("joined")
	p.configMap(direct, "joined", "a", "1")
	p.registered("joined", "push")
	maps := p.on(p.proxying("alice")).CoreV1().ConfigMaps("joined")
	events, err := maps.Watch(p.Context(), metav1.ListOptions{AllowWatchBookmarks: true})
	require.NoError(p, err)
	defer events.Stop()
	next := func() (watch.EventType, *corev1.ConfigMap) {
		e, ok := <-events.ResultChan()
		require.True(p, ok, "the watch ended")
		return e.Type, e.Object.(*corev1.ConfigMap)
	}
	expect := func(kind watch.EventType, cluster string) search.Versions {
		p.Helper()
		got, m := next()
		require.Equal(p, kind, got)
		require.Equal(p, cluster, m.Annotations[search.ClusterAnnotation])
		versions, err := search.ParseVersions(m.ResourceVersion)
		require.NoError(p, err)
		return versions
	}
	expect(watch.Added, "push")
	choose := func(clusters ...any) {
		registry, err := p.registries().Get(p.Context(), "joined", metav1.GetOptions{})
		require.NoError(p, err)
		require.NoError(p, unstructured.SetNestedSlice(registry.Object, clusters, "spec", "targetCluster", "clusterNames"))
		_, err = p.registries().Update(p.Context(), registry, metav1.UpdateOptions{})
		require.NoError(p, err)
	}
	choose("push", "pull")
	expect(watch.Added, "pull")
	require.Len(p, expect(watch.Bookmark, ""), 2)
	choose("push")
	expect(watch.Deleted, "pull")
	require.Len(p, expect(watch.Bookmark, ""), 1)
	p.configMap(direct, "joined", "b", "1")
	expect(watch.Added, "push")
}

// cachedRights reads as users whom the member does not allow it.
func (p *proxies) cachedRights() {
	p.namespace("guarded")
	p.registered("guarded", "push", "pull")
	for _, url := range []string{proxyingPath + "/api/v1/namespaces/guarded/configmaps", cachePath + "/api/v1/namespaces/guarded/configmaps", proxyingPath + "/api/v1/namespaces/guarded/configmaps?watch=true"} {
		bob := p.client(p.proxying("bob"))
		s := p.refused(http.StatusForbidden, &bob, http.MethodGet, url, "")
		require.Contains(p, s.Message, `user "bob" cannot`)
		dave := p.client(p.proxying("dave"))
		before := p.dialed.Load()
		s = p.refused(http.StatusForbidden, &dave, http.MethodGet, url, "")
		require.Contains(p, s.Message, `User "dave" cannot`)
		require.Equal(p, before, p.dialed.Load(), "a request without right reached the agent")
	}
	alice := p.client(p.proxying("alice"))
	for _, path := range []string{"/api/..%2f..%2f..", "/api//v1", "/%2e%2e/"} {
		p.refused(http.StatusBadRequest, &alice, http.MethodGet, proxyingPath+path, "")
	}
}

// outage lists and watches while the agent of cluster pull is away.
func (p *proxies) outage() {
	direct := p.namespace("away")
	p.configMap(direct, "away", "a", "1")
	p.registered("away", "push", "pull")
	alice := p.client(p.proxying("alice"))
	list := func() (http.Header, corev1.ConfigMapList) {
		status, header, text := p.try(&alice, http.MethodGet, proxyingPath+"/api/v1/namespaces/away/configmaps", "")
		require.Equal(p, http.StatusOK, status, "%s", text)
		var list corev1.ConfigMapList
		require.NoError(p, json.Unmarshal(text, &list))
		return header, list
	}
	header, before := list()
	require.Empty(p, header.Values("Warning"))
	require.Len(p, before.Items, 2)
	events, err := p.on(p.proxying("alice")).CoreV1().ConfigMaps("away").Watch(p.Context(), metav1.ListOptions{ResourceVersion: before.ResourceVersion})
	require.NoError(p, err)
	defer events.Stop()

	p.agents()
	require.EventuallyWithT(p, func(t *assert.CollectT) {
		header, held := list()
		require.Len(t, held.Items, 2, "objects that were read before stay")
		require.Len(t, header.Values("Warning"), 1)
		require.Contains(t, header.Get("Warning"), "cluster pull does not answer")
	}, patience, 100*time.Millisecond)
	status, header, text := p.try(&alice, http.MethodGet, proxyingPath+"/api/v1/namespaces/away/configmaps?watch=true&timeoutSeconds=1", "")
	require.Equal(p, http.StatusOK, status, "%s", text)
	require.Contains(p, header.Get("Warning"), "cluster pull does not answer", "a watch names the cluster, too")
	p.configMap(direct, "away", "b", "1")
	next := func() string {
		e, ok := <-events.ResultChan()
		require.True(p, ok, "the watch of the other cluster ended")
		m := e.Object.(*corev1.ConfigMap)
		return string(e.Type) + " " + m.Annotations[search.ClusterAnnotation] + "/" + m.Name
	}
	require.Equal(p, "ADDED push/b", next())
	p.runAgent()
	require.Equal(p, "ADDED pull/b", next(), "the watch goes on where it was")
	require.EventuallyWithT(p, func(t *assert.CollectT) {
		header, all := list()
		require.Empty(t, header.Values("Warning"))
		require.Len(t, all.Items, 4)
	}, patience, 100*time.Millisecond)
}

// history has the values that an informer has seen of each object.
type history struct {
	mu     sync.Mutex
	values map[string][]string
}

// follow records the ConfigMaps of a namespace until the end of the test.
func (p *proxies) follow(cfg *rest.Config, namespace string) *history {
	h := &history{values: map[string][]string{}}
	add := func(object any, deleted bool) {
		if last, ok := object.(cache.DeletedFinalStateUnknown); ok {
			object = last.Obj
		}
		m := object.(*corev1.ConfigMap)
		h.mu.Lock()
		defer h.mu.Unlock()
		seen := h.values[m.Name]
		if deleted {
			h.values[m.Name] = append(seen, "deleted")
		} else if value := m.Data["value"]; len(seen) == 0 || seen[len(seen)-1] != value { // a list shows a value again
			h.values[m.Name] = append(seen, value)
		}
	}
	informer := informers.NewSharedInformerFactoryWithOptions(p.on(cfg), 0, informers.WithNamespace(namespace)).Core().V1().ConfigMaps().Informer()
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(object any) { add(object, false) }, UpdateFunc: func(_, object any) { add(object, false) }, DeleteFunc: func(object any) { add(object, true) },
	})
	require.NoError(p, err)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { informer.RunWithContext(ctx) })
	p.Cleanup(func() { cancel(); running.Wait() })
	require.True(p, cache.WaitForCacheSync(ctx.Done(), informer.HasSynced))
	return h
}

// since returns the values behind those of an earlier time.
func (h *history) since(lengths map[string]int) map[string][]string {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := map[string][]string{}
	for name, values := range h.values {
		all[name] = slices.Clone(values[lengths[name]:])
	}
	return all
}

// lengths returns the numbers of values.
func (h *history) lengths() map[string]int {
	all := map[string]int{}
	for name, values := range h.since(nil) {
		all[name] = len(values)
	}
	return all
}

// last returns the last value of each object.
func (h *history) last() map[string]string {
	all := map[string]string{}
	for name, values := range h.since(nil) {
		all[name] = values[len(values)-1]
	}
	return all
}

// informed compares an informer on the view of all clusters with one on the cluster itself, while servers restart.
func (p *proxies) informed() {
	direct := p.namespace("informed")
	p.registered("informed", "push") // an informer has one object of a name
	want, got := p.follow(p.member.Config(), "informed"), p.follow(p.proxying("alice"), "informed")
	configMaps := direct.CoreV1().ConfigMaps("informed")
	round, now := 0, map[string]string{}
	change := func() {
		for i := range 10 {
			name := fmt.Sprintf("m%d", i)
			m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"value": fmt.Sprint(round)}}
			switch _, err := configMaps.Update(p.Context(), m, metav1.UpdateOptions{}); {
			case apierrors.IsNotFound(err):
				_, err = configMaps.Create(p.Context(), m, metav1.CreateOptions{})
				require.NoError(p, err)
			default:
				require.NoError(p, err)
			}
			now[name] = fmt.Sprint(round)
			if (i+round)%5 == 0 {
				require.NoError(p, configMaps.Delete(p.Context(), name, metav1.DeleteOptions{}))
				now[name] = "deleted"
			}
		}
		round++
	}
	// Both informers end with what is on the cluster now, and then see each of further changes. An informer that still waits to connect
	// again has an older state and would not see each of them.
	sees := func(when string) {
		p.Helper()
		require.EventuallyWithT(p, func(t *assert.CollectT) {
			require.Equal(t, now, want.last())
			require.Equal(t, now, got.last())
		}, patience, 50*time.Millisecond, when)
		mine, theirs := got.lengths(), want.lengths()
		for range 3 {
			change()
		}
		require.EventuallyWithT(p, func(t *assert.CollectT) {
			seen := want.since(theirs)
			for name, values := range seen {
				require.GreaterOrEqual(t, len(values), 3, name)
			}
			require.Equal(t, seen, got.since(mine))
		}, patience, 50*time.Millisecond, when)
	}
	change()
	sees("at the start")

	p.stop()
	change()
	_, p.stop = serve(p.whole, p.hub, p.store)
	change()
	sees("after a restart of accord")

	p.server.kill()
	p.server.launch()
	require.EventuallyWithT(p, func(t *assert.CollectT) { require.NoError(t, p.ready(direct)) }, patience, 50*time.Millisecond)
	change()
	sees("after a restart of the cluster")

	p.hubServer.kill()
	change()
	p.hubServer.launch()
	change()
	sees("after a restart of the hub's API server")
	p.awaitReached()
}

// ready returns an error while an API server does not answer.
func (p *proxies) ready(c *kubernetes.Clientset) error {
	return c.Discovery().RESTClient().Get().AbsPath("/readyz").Do(p.Context()).Error()
}

// fansOut sends requests to all clusters, which are the same server twice.
func (p *proxies) fansOut() {
	c := p.on(p.hub)
	p.bind(c, "fan-alice", person("alice"), rbacv1.PolicyRule{
		APIGroups: []string{"cluster.karmada.io"}, Resources: []string{"clusters/proxy"}, ResourceNames: []string{"*"}, Verbs: []string{"*"},
	})
	direct := p.namespace("fanned")
	p.configMap(direct, "fanned", "a", "1")
	path := proxyPath + "*/proxy/api/v1/namespaces/fanned/configmaps"
	alice := p.client(p.through("*", "alice"))
	status, header, text := p.try(&alice, http.MethodGet, path, "")
	require.Equal(p, http.StatusOK, status, "%s", text)
	require.Empty(p, header.Values("Warning"))
	var list corev1.ConfigMapList
	require.NoError(p, json.Unmarshal(text, &list))
	require.Equal(p, []string{"a", "a"}, []string{list.Items[0].Name, list.Items[1].Name})
	require.NotEmpty(p, list.ResourceVersion)
	_, _, text = p.try(&alice, http.MethodGet, path, "", "Accept: application/json;as=Table;v=v1;g=meta.k8s.io")
	var table metav1.Table
	require.NoError(p, json.Unmarshal(text, &table), "%s", text)
	require.Len(p, table.Rows, 2)
	p.refused(http.StatusConflict, &alice, http.MethodGet, path+"/a", "")
	p.refused(http.StatusNotFound, &alice, http.MethodGet, path+"/absent", "")
	p.refused(http.StatusMethodNotAllowed, &alice, http.MethodPost, path, "{}")
	p.refused(http.StatusMethodNotAllowed, &alice, http.MethodGet, path+"?watch=true", "")
	bob := p.client(p.through("*", "bob"))
	before := p.dialed.Load()
	p.refused(http.StatusForbidden, &bob, http.MethodGet, path, "")
	require.Equal(p, before, p.dialed.Load(), "a request without right reached the agent")
	one := &v1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "down"}, Spec: v1alpha1.ClusterSpec{SyncMode: v1alpha1.SyncModePull}}
	require.NoError(p, p.kinds().Create(p.Context(), one))
	defer func() { require.NoError(p, p.kinds().Delete(p.whole.Context(), one)) }()
	status, header, _ = p.try(&alice, http.MethodGet, path, "")
	require.Equal(p, http.StatusOK, status)
	require.Contains(p, header.Get("Warning"), "cluster down is left out")
	s := p.refused(http.StatusServiceUnavailable, &alice, http.MethodGet, path+"/absent", "")
	require.Contains(p, s.Message, "down")
}
