package apiserver_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"encoding/json"
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

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/api/delivery"
	"github.com/accord-dev/accord/apiserver"
	"github.com/accord-dev/accord/apiserver/bundles"
	"github.com/accord-dev/accord/clusters/local/localtest"
)

// patience is the time that a test waits for what becomes true.
const patience = 2 * time.Minute

const path = "/apis/delivery.accord.dev/v1alpha1/bundles"

// world is a hub with the aggregated API server, and agents of the clusters eu and us.
type world struct {
	*testing.T
	hub      *rest.Config
	store    *bundles.Store
	address  string
	eu, us   bundles.Bundle
	agent    http.Client // of cluster eu
	admin    http.Client
	stranger http.Client // without credentials
}

// serve runs the API server until the returned function is called.
func serve(t *testing.T, hub *rest.Config, store *bundles.Store) (address string, stop func()) {
	return serveAs(t, hub, store, "", listen(t))
}

// serveAs runs the API server of one of several replicas.
func serveAs(t *testing.T, hub *rest.Config, store *bundles.Store, replica string, listener net.Listener) (address string, stop func()) {
	address = listener.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- apiserver.Run(ctx, hub, apiserver.Options{
			Bundles: store, Listener: listener, Namespace: "accord-system", SecretsNamespace: "accord-system", TunnelCheck: time.Second, Local: true,
			Replica: replica, Address: address, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
		})
	}()
	stop = sync.OnceFunc(func() { cancel(); require.NoError(t, <-done) })
	t.Cleanup(stop)
	return address, stop
}

func listen(t *testing.T) net.Listener {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	return listener
}

// onAHub are the tests of TestOnAHub.
var onAHub = map[string]func(*world){
	"an agent reads its bundle":                               (*world).agentReads,
	"a plain client reads a bundle":                           (*world).plainClientReads,
	"an agent reads nothing else":                             (*world).foreignBundles,
	"only its agent is a sign of life of a cluster":           (*world).heard,
	"objects of another bundle do not exist":                  (*world).foreignObjects,
	"nobody reads without credentials":                        (*world).anonymous,
	"nobody but the hub connects":                             (*world).direct,
	"an index that the client has is not sent again":          (*world).conditional,
	"a request waits for the next index":                      (*world).longPoll,
	"a request without news ends in time":                     (*world).longPollEnds,
	"waiting requests of a cluster are bounded":               (*world).waitingIsBounded,
	"waiting requests do not count as requests in flight":     (*world).waitingIsFree,
	"a cluster without bundle is tried again":                 (*world).unpublished,
	"an agent answers a question, and nobody else does":       (*world).answers,
	"wrong requests get the rule":                             (*world).wrongRequests,
	"kubectl shows figures":                                   (*world).table,
	"kubectl explains the kind":                               (*world).explained,
	"an agent watches its bundle":                             (*world).watches,
	"a watch continues at a resourceVersion, or is to relist": (*world).watchContinues,
}

// with returns the world of a subtest.
func (w *world) with(t *testing.T) *world {
	sub := *w
	sub.T = t
	return &sub
}

// TestOnAHub has one hub for all tests.
func TestOnAHub(t *testing.T) {
	w := &world{T: t, hub: localtest.Start(t, "hub").Config(), store: bundles.New(bundles.CompressedLimit)}
	w.eu, w.us = bundle("eu", 3), bundle("us", 3)
	require.NoError(t, w.store.Publish("eu", w.eu))
	require.NoError(t, w.store.Publish("us", w.us))
	w.grant("eu")
	w.grant("us")
	w.admin, w.agent = w.client(w.hub), w.client(w.as("eu"))
	w.stranger = w.client(rest.AnonymousClientConfig(w.hub))
	address, stop := serveAs(t, w.hub, w.store, "leads", listen(t))
	w.address = address
	w.awaitServed(http.StatusServiceUnavailable)
	w.follows()
	w.store.Open()

	for name, test := range onAHub {
		t.Run(name, func(t *testing.T) { test(w.with(t)) })
	}
	follower := &port{Listener: listen(t)}
	_, end := serveAs(t, w.hub, bundles.New(bundles.CompressedLimit), "follows", follower)
	w.reach(follower, path+"/eu/objects")
	for name, test := range onAHub {
		t.Run("through a replica that follows, "+name, func(t *testing.T) { test(w.with(t)) })
	}
	end()
	w.point(address)
	t.Run("a request that waits ends with the server, and the next server is found", func(t *testing.T) { w.with(t).restart(stop) })
}

// bundle returns a bundle with objects that only it has, and one that all have.
func bundle(cluster string, objects int) bundles.Bundle {
	b := bundles.Bundle{Federations: 2, Objects: map[string][]byte{}}
	add := func(text string) { b.Objects[delivery.Digest([]byte(text))] = []byte(text) }
	for i := range objects {
		add(fmt.Sprintf(`{"kind":"ConfigMap","metadata":{"name":"%s-%d"}}`, cluster, i))
	}
	add(`{"kind":"ConfigMap","metadata":{"name":"shared"}}`)
	b.Index, _ = json.Marshal(slices.Sorted(maps.Keys(b.Objects)))
	return b
}

func digests(b bundles.Bundle) []string { return slices.Sorted(maps.Keys(b.Objects)) }

// grant gives the agent of a cluster its rights.
func (w *world) grant(cluster string) {
	hub, err := kubernetes.NewForConfig(w.hub)
	require.NoError(w, err)
	name := "agent-" + cluster
	_, err = hub.RbacV1().ClusterRoles().Create(w.Context(), &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: delivery.AgentRules(cluster)}, metav1.CreateOptions{})
	require.NoError(w, err)
	_, err = hub.RbacV1().ClusterRoleBindings().Create(w.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: delivery.AgentUser(cluster, "1")}},
	}, metav1.CreateOptions{})
	require.NoError(w, err)
}

// as returns the configuration of the agent of a cluster.
func (w *world) as(cluster string) *rest.Config {
	cfg := rest.CopyConfig(w.hub)
	cfg.Impersonate = rest.ImpersonationConfig{UserName: delivery.AgentUser(cluster, "1"), Groups: []string{delivery.AgentsGroup, "system:authenticated"}}
	return cfg
}

func (w *world) client(cfg *rest.Config) http.Client {
	c, err := rest.HTTPClientFor(cfg)
	require.NoError(w, err)
	return *c
}

// awaitServed waits until the hub forwards requests, whose answers are Status errors of this code.
func (w *world) awaitServed(code int) {
	w.Helper()
	require.EventuallyWithT(w, func(t *assert.CollectT) {
		status, header, _ := w.try(&w.admin, http.MethodGet, path+"/eu/index", "")
		require.Equal(t, code, status)
		require.Contains(t, header.Get("Content-Type"), "application/json", "the answer is not that of the hub")
	}, patience, 20*time.Millisecond)
}

// follows checks a replica that publishes nothing, because another one leads.
func (w *world) follows() {
	for _, p := range []string{"", "/eu", "/eu/index", "/eu/index?wait=20s", "?watch=true", "?watch=true&fieldSelector=metadata.name%3Deu"} {
		s := w.refused(http.StatusServiceUnavailable, &w.admin, http.MethodGet, path+p, "")
		require.Contains(w, s.Message, "publishes no bundles", p)
	}
	w.refused(http.StatusForbidden, &w.agent, http.MethodGet, path+"/us/index", "")
}

// try sends a request to the hub. Headers are "Name: value".
func (w *world) try(c *http.Client, method, url, body string, headers ...string) (int, http.Header, []byte) {
	w.Helper()
	if !strings.HasPrefix(url, "https:") {
		url = w.hub.Host + url
	}
	r, err := http.NewRequestWithContext(w.Context(), method, url, strings.NewReader(body))
	require.NoError(w, err)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	resp, err := c.Do(r)
	require.NoError(w, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(w, err)
	return resp.StatusCode, resp.Header, text
}

// refused sends a request and returns the Status that refuses it.
func (w *world) refused(code int, c *http.Client, method, url, body string, headers ...string) metav1.Status {
	w.Helper()
	status, header, text := w.try(c, method, url, body, headers...)
	require.Equal(w, code, status, "%s", text)
	var s metav1.Status
	require.NoError(w, json.Unmarshal(text, &s), "%s", text)
	require.Equal(w, "Status", s.Kind)
	if code == http.StatusServiceUnavailable || code == http.StatusTooManyRequests {
		require.Equal(w, "1", header.Get("Retry-After"))
	}
	return s
}

func list(digests ...string) string {
	text, _ := json.Marshal(digests)
	return string(text)
}

func (w *world) agentReads() {
	status, header, text := w.try(&w.agent, http.MethodGet, path+"/eu/index", "", "Accept-Encoding: gzip")
	require.Equal(w, http.StatusOK, status)
	require.Equal(w, "gzip", header.Get("Content-Encoding"))
	require.Equal(w, `"`+delivery.Digest(w.eu.Index)+`"`, header.Get("ETag"))
	require.Equal(w, string(w.eu.Index), string(unzip(w, text)))

	status, header, text = w.try(&w.agent, http.MethodPost, path+"/eu/objects", list(digests(w.eu)...), "Accept-Encoding: gzip")
	require.Equal(w, http.StatusOK, status)
	require.Equal(w, delivery.MediaType, header.Get("Content-Type"))
	require.Equal(w, "gzip", header.Get("Content-Encoding"))
	w.sameObjects(unzip(w, text))
}

// sameObjects checks that text has the objects of eu in the order of digests.
func (w *world) sameObjects(text []byte) {
	w.Helper()
	lines := json.NewDecoder(bytes.NewReader(text))
	for _, digest := range digests(w.eu) {
		var c delivery.Content
		require.NoError(w, lines.Decode(&c))
		require.Equal(w, digest, c.Digest)
		require.Equal(w, digest, delivery.Digest(c.Body))
	}
	require.False(w, lines.More())
}

func unzip(w *world, text []byte) []byte {
	w.Helper()
	r, err := gzip.NewReader(bytes.NewReader(text))
	require.NoError(w, err)
	plain, err := io.ReadAll(r)
	require.NoError(w, err)
	return plain
}

func (w *world) plainClientReads() {
	_, header, text := w.try(&w.agent, http.MethodGet, path+"/eu/index", "", "Accept-Encoding: identity")
	require.Empty(w, header.Get("Content-Encoding"))
	require.Equal(w, string(w.eu.Index), string(text))
	_, _, text = w.try(&w.agent, http.MethodPost, path+"/eu/objects", list(digests(w.eu)...), "Accept-Encoding: identity")
	w.sameObjects(text)
}

func (w *world) foreignBundles() {
	for _, r := range []struct{ method, path string }{
		{http.MethodGet, "/us"}, {http.MethodGet, "/us/index"}, {http.MethodPost, "/us/objects"}, {http.MethodGet, "/us/index?wait=1s"},
		{http.MethodGet, "/asia/index"}, {http.MethodGet, ""}, {http.MethodGet, "?watch=true"}, {http.MethodGet, "?fieldSelector=metadata.name%3Dus"},
		{http.MethodGet, "?watch=true&fieldSelector=metadata.name%3Dus"}, {http.MethodDelete, "/eu"}, {http.MethodPost, ""},
	} {
		s := w.refused(http.StatusForbidden, &w.agent, r.method, path+r.path, list(digests(w.us)...))
		require.Contains(w, s.Message, delivery.AgentUser("eu", "1"), r.path)
	}
}

// heard: others may read the index of a cluster, and do not show that its agent lives.
func (w *world) heard() {
	heard := make(chan string, 10)
	w.store.OnHeard(func(cluster string, lasts time.Duration) { heard <- fmt.Sprint(cluster, " ", lasts) })
	w.store.SetClusterVersion("eu", "12")
	defer w.store.OnHeard(nil)
	status, _, _ := w.try(&w.admin, http.MethodGet, path+"/eu/index?lease=1h", "")
	require.Equal(w, http.StatusOK, status)
	require.Empty(w, heard, "an administrator")
	status, header, _ := w.try(&w.agent, http.MethodGet, path+"/eu/index?lease=20s", "")
	require.Equal(w, http.StatusOK, status)
	require.Equal(w, "eu 20s", <-heard, "it asks")
	require.Equal(w, "eu 20s", <-heard, "it got an answer that it executes")
	require.Equal(w, "12", header.Get(delivery.ClusterVersion))
	status, header, _ = w.try(&w.agent, http.MethodGet, path+"/eu/index?wait=100ms", "", "If-None-Match: "+header.Get("ETag"))
	require.Equal(w, http.StatusNotModified, status)
	require.Equal(w, "12", header.Get(delivery.ClusterVersion))
	require.Equal(w, "eu 0s", <-heard, "it waits")
	require.Empty(w, heard)
	w.refused(http.StatusForbidden, &w.agent, http.MethodGet, path+"/us/index?lease=1h", "")
	require.Empty(w, heard, "another cluster")
	w.refused(http.StatusBadRequest, &w.agent, http.MethodGet, path+"/eu/index?lease=-1s", "")
	require.Empty(w, heard)
}

func (w *world) foreignObjects() {
	var foreign []string
	for _, digest := range digests(w.us) {
		if w.eu.Objects[digest] == nil {
			foreign = append(foreign, digest)
		}
	}
	require.Len(w, foreign, 3)
	mixed := append(foreign[:1:1], digests(w.eu)...)
	var absent string
	for _, asked := range [][]string{foreign, mixed} {
		s := w.refused(http.StatusNotFound, &w.agent, http.MethodPost, path+"/eu/objects", list(asked...))
		require.Contains(w, s.Message, "read its index again")
		absent = s.Message
	}
	s := w.refused(http.StatusNotFound, &w.agent, http.MethodPost, path+"/eu/objects", list(strings.Repeat("0", 64)))
	require.Equal(w, absent, s.Message, "an object of another bundle looks like one that does not exist")
}

func (w *world) anonymous() {
	for _, p := range []string{"", "/eu", "/eu/index"} {
		w.refused(http.StatusForbidden, &w.stranger, http.MethodGet, path+p, "")
	}
	w.refused(http.StatusForbidden, &w.stranger, http.MethodPost, path+"/eu/objects", list(digests(w.eu)...))
}

// certificate returns that of the administrator of the hub.
func (w *world) certificate() tls.Certificate {
	pair, err := tls.LoadX509KeyPair(w.hub.CertFile, w.hub.KeyFile)
	if len(w.hub.CertData) > 0 {
		pair, err = tls.X509KeyPair(w.hub.CertData, w.hub.KeyData)
	}
	require.NoError(w, err)
	return pair
}

// direct connects to the server without the hub's API server.
func (w *world) direct() {
	pair := w.certificate()
	for _, certificates := range [][]tls.Certificate{nil, {pair}} {
		c := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true, Certificates: certificates}}}
		defer c.CloseIdleConnections()
		w.refused(http.StatusUnauthorized, c, http.MethodGet, "https://"+w.address+path+"/eu/index", "")
		w.refused(http.StatusUnauthorized, c, http.MethodGet, "https://"+w.address+path+"/eu/index", "", "X-Remote-User: "+delivery.AgentUser("eu", "1"))
		w.refused(http.StatusUnauthorized, c, http.MethodGet, "https://"+w.address+path+"/eu/index", "", "X-Remote-User: admin", "X-Remote-Group: system:masters")
	}
}

func (w *world) conditional() {
	tag := `"` + delivery.Digest(w.eu.Index) + `"`
	for header, want := range map[string]int{tag: 304, "W/" + tag: 304, `"x", ` + tag: 304, "*": 304, `"x"`: 200, strings.Trim(tag, `"`): 200} {
		status, h, text := w.try(&w.agent, http.MethodGet, path+"/eu/index", "", "If-None-Match: "+header)
		require.Equal(w, want, status, header)
		require.Equal(w, tag, h.Get("ETag"))
		require.Equal(w, want == 304, len(text) == 0)
	}
}

func (w *world) unpublished() {
	for _, r := range []struct{ method, path string }{{http.MethodGet, "/asia/index"}, {http.MethodGet, "/asia/index?wait=10s"}, {http.MethodPost, "/asia/objects"}} {
		s := w.refused(http.StatusServiceUnavailable, &w.admin, r.method, path+r.path, list(digests(w.us)...))
		require.Contains(w, s.Message, `cluster "asia" has no bundle yet`)
	}
	w.refused(http.StatusNotFound, &w.admin, http.MethodGet, path+"/asia", "")
}

func (w *world) answers() {
	answered, end := w.store.Await("eu", "plan")
	defer end()
	at, answer := path+"/eu/answers", `{"id":"plan","checked":1}`
	s := w.refused(http.StatusForbidden, &w.admin, http.MethodPost, at, answer)
	require.Contains(w, s.Message, `only the agent of cluster "eu"`)
	w.refused(http.StatusForbidden, &w.agent, http.MethodPost, path+"/us/answers", answer)
	w.refused(http.StatusNotFound, &w.agent, http.MethodPost, at, `{"id":"another"}`)
	w.refused(http.StatusBadRequest, &w.agent, http.MethodPost, at, `{}`)
	w.refused(http.StatusRequestEntityTooLarge, &w.agent, http.MethodPost, at, `{"id":"`+strings.Repeat("x", delivery.MaxAnswerBytes)+`"}`)
	status, _, text := w.try(&w.agent, http.MethodPost, at, answer)
	require.Equal(w, http.StatusNoContent, status, "%s", text)
	require.Equal(w, answer, string(<-answered))
	w.refused(http.StatusNotFound, &w.agent, http.MethodPost, at, answer)
}

func (w *world) wrongRequests() {
	digest := digests(w.eu)[0]
	many := make([]string, delivery.MaxDigests+1)
	for i := range many {
		many[i] = fmt.Sprintf("%064x", i)
	}
	for _, c := range []struct {
		method, path, body string
		code               int
		want               string
	}{
		{http.MethodPost, "/eu/objects", "", 400, "a JSON list of digests"},
		{http.MethodPost, "/eu/objects", "[]", 400, "a JSON list of digests"},
		{http.MethodPost, "/eu/objects", `{"digest": "x"}`, 400, "a JSON list of digests"},
		{http.MethodPost, "/eu/objects", list("../secrets"), 400, "64 lower-case hexadecimal digits"},
		{http.MethodPost, "/eu/objects", list(strings.ToUpper(digest)), 400, "64 lower-case hexadecimal digits"},
		{http.MethodPost, "/eu/objects", list(digest, digest), 400, "twice"},
		{http.MethodPost, "/eu/objects", list(many...), 413, "at most 500"},
		{http.MethodPost, "/eu/objects", strings.Repeat(" ", delivery.MaxRequestBytes+1), 413, "at most 64000 bytes"},
		{http.MethodGet, "/eu/index?wait=1h", "", 400, "at most 50s"},
		{http.MethodGet, "/eu/index?wait=-1s", "", 400, "at most 50s"},
		{http.MethodGet, "/eu/index?wait=soon", "", 400, "at most 50s"},
		{http.MethodGet, "/eu/objects", "", 405, "does not allow this method"},
		{http.MethodPut, "/eu/index", "{}", 405, "does not allow this method"},
		{http.MethodPost, "", "{}", 405, "does not allow this method"},
		{http.MethodDelete, "/eu", "", 405, "does not allow this method"},
		{http.MethodGet, "/eu/secrets", "", 404, "could not find"},
		{http.MethodGet, "?fieldSelector=status.index%3Dx", "", 400, "not a known field selector"},
	} {
		s := w.refused(c.code, &w.admin, c.method, path+c.path, c.body, "Content-Type: application/json")
		require.Contains(w, s.Message, c.want, "%s %s", c.method, c.path)
	}
}

func (w *world) table() {
	_, _, text := w.try(&w.agent, http.MethodGet, path+"?fieldSelector=metadata.name%3Deu", "", "Accept: application/json;as=Table;v=v1;g=meta.k8s.io")
	var table metav1.Table
	require.NoError(w, json.Unmarshal(text, &table), "%s", text)
	var names []string
	for _, c := range table.ColumnDefinitions {
		names = append(names, c.Name)
	}
	require.Equal(w, []string{"Name", "Federations", "Objects", "Bytes", "Published", "Age", "Index"}, names)
	require.Len(w, table.Rows, 1)
	require.Equal(w, []any{"eu", 2.0, 4.0}, table.Rows[0].Cells[:3])
	require.Equal(w, delivery.Digest(w.eu.Index), table.Rows[0].Cells[6])

	_, _, text = w.try(&w.admin, http.MethodGet, path, "")
	var all delivery.BundleList
	require.NoError(w, json.Unmarshal(text, &all))
	require.Equal(w, []string{"eu", "us"}, []string{all.Items[0].Name, all.Items[1].Name})
	require.Equal(w, int64(4), all.Items[0].Status.Objects)
}

func (w *world) explained() {
	_, _, text := w.try(&w.admin, http.MethodGet, "/apis/delivery.accord.dev/v1alpha1", "")
	var discovered metav1.APIResourceList
	require.NoError(w, json.Unmarshal(text, &discovered))
	verbs := map[string]string{}
	for _, r := range discovered.APIResources {
		verbs[r.Name] = strings.Join(r.Verbs, " ")
	}
	require.Equal(w, map[string]string{"bundles": "get list watch", "bundles/attach": "get", "bundles/index": "get", "bundles/objects": "create", "bundles/answers": "create"}, verbs)
	require.EventuallyWithT(w, func(t *assert.CollectT) {
		status, _, text := w.try(&w.admin, http.MethodGet, "/openapi/v3/apis/delivery.accord.dev/v1alpha1", "")
		require.Equal(t, http.StatusOK, status)
		require.Contains(t, string(text), "Bundle shows the desired state")
	}, patience, 50*time.Millisecond)
}

func (w *world) restart(stop func()) {
	answers := make(chan int, 1)
	go func() {
		r, _ := http.NewRequestWithContext(w.Context(), http.MethodGet, w.hub.Host+path+"/eu/index?wait=50s", nil)
		r.Header.Set("If-None-Match", `"`+delivery.Digest(w.eu.Index)+`"`)
		resp, err := w.agent.Do(r)
		if err != nil {
			answers <- 0
			return
		}
		_ = resp.Body.Close()
		answers <- resp.StatusCode
	}()
	w.awaitWaiting(1)
	start := time.Now()
	stop()
	require.Less(w, time.Since(start), 10*time.Second)
	require.Equal(w, http.StatusServiceUnavailable, <-answers)
	store := bundles.New(bundles.CompressedLimit)
	store.Open()
	require.NoError(w, store.Publish("eu", w.us))
	serve(w.T, w.hub, store)
	require.EventuallyWithT(w, func(t *assert.CollectT) {
		_, header, _ := w.try(&w.admin, http.MethodGet, path+"/eu/index", "")
		require.Equal(t, `"`+delivery.Digest(w.us.Index)+`"`, header.Get("ETag"))
	}, patience, 20*time.Millisecond)
}
