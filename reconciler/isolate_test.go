package reconciler_test

import (
	"crypto/tls"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
)

// TestFaultyClusters has clusters that fail in every way beside one that works and one that is slow: those are delivered, and
// of each of the others its Delivery says what is wrong and since when.
func TestFaultyClusters(t *testing.T) {
	w := newWorldWithMetrics(t, 2, freeAddress(t))
	slowed := slow(t, w.planes["cluster-b"].Config(), time.Second)
	w.reconnect("cluster-b", slowed)
	w.joinAt("hole", blackHole(t), nil)
	w.joinAt("refusing", "https://"+freeAddress(t), nil)
	sick := broken(t)
	w.joinAt("broken", sick.URL, authority(sick))
	stranger := broken(t)
	w.joinAt("stranger", stranger.URL, w.planes["cluster-a"].Config().CAData)
	begun := time.Now().Truncate(time.Second)

	r := w.federation("faults")
	sha := r.push("one object for all", "app.yaml", configMap("shared", "1"),
		"policy.yaml", policyOf("shared", "clusterNames: [cluster-a, cluster-b, hole, refusing, broken, stranger]\n    clusterTolerations: [{key: cluster.karmada.io/not-ready, operator: Exists}]"))
	for _, c := range []string{"cluster-a", "cluster-b"} {
		w.eventually(c+" to have it", func() error { return unless(!w.absent(c, "shared"), "it is not there") })
		w.eventually("the Delivery to "+c+" to be Ready", func() error {
			d, err := w.deliveryOf(r, c)
			return unless(err == nil && apimeta.IsStatusConditionTrue(d.Status.Conditions, "Ready") && apimeta.IsStatusConditionTrue(d.Status.Conditions, "Reachable"), fmt.Sprint(err, d.Status.Conditions))
		})
	}
	for _, c := range []struct {
		cluster, condition, reason string
		says                       []string
	}{
		{"hole", "Reachable", "BreakerOpen", []string{"circuit breaker open since 20", "tried again every", "did not answer in time"}},
		{"refusing", "Reachable", "BreakerOpen", []string{"circuit breaker open since 20", "tried again every", "connection refused"}},
		{"stranger", "Reachable", "TLSFailed", []string{"circuit breaker open since 20", "not trusted (caBundle)", "certificate"}},
		{"broken", "Ready", "", []string{"etcd is gone"}},
	} {
		w.eventually("the Delivery to "+c.cluster+" to say what is wrong", func() error {
			d, err := w.deliveryOf(r, c.cluster)
			if err != nil {
				return err
			}
			is := apimeta.FindStatusCondition(d.Status.Conditions, c.condition)
			if is == nil || is.Status != metav1.ConditionFalse || c.reason != "" && is.Reason != c.reason || is.LastTransitionTime.Time.Before(begun) {
				return fmt.Errorf("%+v", d.Status.Conditions)
			}
			for _, part := range c.says {
				if !strings.Contains(is.Message, part) {
					return fmt.Errorf("%q is not in %q", part, is.Message)
				}
			}
			return nil
		})
	}
	w.condition(r, sha, "Ready", metav1.ConditionFalse, "")
	w.figures(map[string]float64{
		`accord_cluster_breaker_state{cluster="cluster-a",state="closed"}`: 1,
		`accord_cluster_breaker_state{cluster="refusing",state="closed"}`:  0,
		`accord_cluster_reachable{cluster="refusing"}`:                     0,
	})

	for _, stage := range []struct {
		name string
		run  func(*testing.T, *world, *repository)
	}{
		{"the certificate is not verified if Cluster and Secret allow it", func(t *testing.T, w *world, r *repository) {
			secret := &corev1.Secret{}
			require.NoError(t, w.hub.Get(t.Context(), client.ObjectKey{Namespace: w.namespace, Name: "stranger"}, secret))
			secret.Data[clusters.InsecureKey] = []byte("true")
			require.NoError(t, w.hub.Update(t.Context(), secret))
			c := w.cluster("stranger")
			c.Spec.InsecureSkipTLSVerification = true
			require.NoError(t, w.hub.Update(t.Context(), c))
			w.eventually("what is behind it to be heard", func() error {
				d, err := w.deliveryOf(r, "stranger")
				ready := apimeta.FindStatusCondition(d.Status.Conditions, "Ready")
				return unless(err == nil && ready != nil && strings.Contains(ready.Message, "etcd is gone"), fmt.Sprintf("%+v", ready))
			})
		}},
		{"a cluster that cannot be reached any more is removed", removesUnreachable},
	} {
		require.True(t, t.Run(stage.name, func(t *testing.T) {
			inner := *w
			inner.t = t
			stage.run(t, &inner, r)
		}), "what follows builds on it")
	}
}

func removesUnreachable(t *testing.T, w *world, r *repository) {
	w.reconnectTo("cluster-b", "https://"+freeAddress(t), nil)
	w.clusterIs("cluster-b", metav1.ConditionFalse, v1alpha1.ClusterNotReachable)
	require.NoError(t, w.hub.Delete(t.Context(), w.cluster("cluster-b")))
	require.NoError(t, w.hub.Delete(t.Context(), w.cluster("hole")))
	for _, c := range []string{"cluster-b", "hole"} {
		w.eventually("the Delivery to "+c+" to go", func() error { return w.noDelivery(r, c) })
	}
	w.eventually("what is left behind to be told", func() error {
		var list eventsv1.EventList
		require.NoError(t, w.hub.List(t.Context(), &list, client.InNamespace(w.namespace)))
		for _, e := range list.Items {
			if e.Reason == "ClusterRemoved" && strings.Contains(e.Note, "cluster-b") && strings.Contains(e.Note, "ConfigMap shop/shared") {
				return nil
			}
		}
		return fmt.Errorf("not among %d events", len(list.Items))
	})
	require.False(t, w.absent("cluster-b", "shared"), "nothing is deleted there")
}

// deliveryOf is a Delivery that may not be there yet.
func (w *world) deliveryOf(r *repository, cluster string) (*v1alpha1.Delivery, error) {
	d := &v1alpha1.Delivery{}
	err := w.hub.Get(w.t.Context(), client.ObjectKey{Namespace: w.namespace, Name: r.federation + "-" + cluster}, d)
	return d, err
}

// joinAt declares a cluster at an address.
func (w *world) joinAt(name, endpoint string, bundle []byte) {
	w.t.Helper()
	w.credentials(name, endpoint, "token of "+name, bundle)
	w.create(&v1alpha1.Cluster{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       v1alpha1.ClusterSpec{APIEndpoint: endpoint, SecretRef: &v1alpha1.SecretRef{Namespace: w.namespace, Name: name}},
	})
}

// reconnect has a cluster that was joined reached through a server, with the credentials it has.
func (w *world) reconnect(name string, through *httptest.Server) {
	w.t.Helper()
	w.reconnectTo(name, through.URL, authority(through))
}

// reconnectTo has a cluster that was joined reached at another address; without a bundle it keeps its own.
func (w *world) reconnectTo(name, endpoint string, bundle []byte) {
	w.t.Helper()
	secret := &corev1.Secret{}
	require.NoError(w.t, w.hub.Get(w.t.Context(), client.ObjectKey{Namespace: w.namespace, Name: name}, secret))
	secret.Data[clusters.ServerKey] = []byte(endpoint)
	if bundle != nil {
		secret.Data[clusters.CABundleKey] = bundle
	}
	require.NoError(w.t, w.hub.Update(w.t.Context(), secret))
	c := w.cluster(name)
	before := c.DeepCopy()
	c.Spec.APIEndpoint = endpoint
	require.NoError(w.t, w.hub.Patch(w.t.Context(), c, client.MergeFrom(before)))
}

// authority is what a test server is trusted by.
func authority(s *httptest.Server) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
}

// blackHole takes connections and never answers.
func blackHole(t *testing.T) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(io.Discard, c) }() // until the other side gives up
		}
	}()
	return "https://" + l.Addr().String()
}

// broken says its version and that it is ready, and to everything else by turns that it is busy and that it cannot work.
func broken(t *testing.T) *httptest.Server {
	t.Helper()
	var asked atomic.Int64
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.URL.Path == "/version", r.URL.Path == "/readyz":
			fmt.Fprint(w, `{"gitVersion":"v1.34.1"}`)
		case asked.Add(1)%2 == 1:
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
		default:
			w.WriteHeader(http.StatusInternalServerError)
			fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"etcd is gone","reason":"InternalError","code":500}`)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// slow passes everything on to a member, each request after a while.
func slow(t *testing.T, member *rest.Config, by time.Duration) *httptest.Server {
	t.Helper()
	to, err := url.Parse(member.Host)
	require.NoError(t, err)
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.FlushInterval = -1 // watches
	proxy.Transport = &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12}}
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-time.After(by):
			proxy.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}
