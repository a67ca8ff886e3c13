package notify

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/egress"
	"github.com/accord-dev/accord/status"
)

// secretPath is the part of a receiver's URL that nobody may read.
const secretPath = "/services/T0/B0/planted"

func release(change func(*v1alpha1.Release)) *v1alpha1.Release {
	r := &v1alpha1.Release{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "shop-4f2c9e1a0b3c", Generation: 1},
		Spec:       v1alpha1.ReleaseSpec{Federation: "shop", Revision: "main@sha1:4f2c9e1a0b3c4f2c9e1a0b3c4f2c9e1a0b3c4f2c", Subject: "one", Author: "Ada"},
		Status: v1alpha1.ReleaseStatus{
			ObservedGeneration: 1, Summary: v1alpha1.Summary{Total: 2, Healthy: 1},
			Conditions: []metav1.Condition{{Type: "Ready", Status: metav1.ConditionFalse, Reason: "Progressing", Message: "1 of 2 clusters", ObservedGeneration: 1}},
		},
	}
	change(r)
	return r
}

func with(kind string, s metav1.ConditionStatus) func(*v1alpha1.Release) {
	return func(r *v1alpha1.Release) {
		r.Status.Conditions = append([]metav1.Condition{{Type: kind, Status: s, ObservedGeneration: 1}}, r.Status.Conditions...)
	}
}

func done(r *v1alpha1.Release) { r.Status.Conditions[0].Status = metav1.ConditionTrue }

func TestEventOf(t *testing.T) {
	for want, changes := range map[v1alpha1.ReleaseEvent][]func(*v1alpha1.Release){
		v1alpha1.ReleaseStarted: {func(*v1alpha1.Release) {}, with(v1alpha1.Approved, metav1.ConditionTrue)},
		v1alpha1.ReleaseDone:    {done},
		v1alpha1.ReleaseFailed:  {with("Stalled", metav1.ConditionTrue)},
		v1alpha1.ReleaseHalted: {
			func(r *v1alpha1.Release) { r.Status.Rollouts = []v1alpha1.RolloutStatus{{Phase: status.Halted}} },
			func(r *v1alpha1.Release) {
				done(r)
				r.Status.Rollouts = []v1alpha1.RolloutStatus{{Phase: "Complete"}, {Phase: status.RolledBack}}
			},
		},
		"": {
			with(v1alpha1.Approved, metav1.ConditionFalse),
			func(r *v1alpha1.Release) { done(r); r.Status.SupersededBy = "shop-2" },
			func(r *v1alpha1.Release) { done(r); r.Generation = 2 },
			func(r *v1alpha1.Release) { r.Status.Conditions = nil },
		},
	} {
		for i, change := range changes {
			require.Equal(t, want, eventOf(release(change)), "%s %d", want, i)
		}
	}
}

// got is one request that a receiver got.
type got struct {
	signature string
	body      []byte
}

// world has a hub with one Federation, one Release, and a receiver.
type world struct {
	*Notifier
	server *httptest.Server
	events []string

	mu     sync.Mutex
	got    []got
	answer func(http.ResponseWriter, *http.Request)
}

func newWorld(t *testing.T, networks egress.Networks, r *v1alpha1.Release, n v1alpha1.Notification) *world {
	w := &world{answer: func(http.ResponseWriter, *http.Request) {}}
	w.server = httptest.NewTLSServer(http.HandlerFunc(func(out http.ResponseWriter, in *http.Request) {
		body, _ := io.ReadAll(in.Body)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.got = append(w.got, got{in.Header.Get("X-Signature"), body})
		w.answer(out, in)
	}))
	w.server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	t.Cleanup(w.server.Close)
	scheme := runtime.NewScheme()
	require.NoError(t, v1alpha1.AddToScheme(scheme))
	require.NoError(t, corev1.AddToScheme(scheme))
	n.Name, n.SecretRef.Name = "chat", "receiver"
	fed := &v1alpha1.Federation{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "shop"}, Spec: v1alpha1.FederationSpec{Notifications: []v1alpha1.Notification{n}}}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "receiver"}, Data: map[string][]byte{
		"url": []byte(w.server.URL + secretPath + "\n"), "key": []byte("a key\n"),
		"ca.crt": pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: w.server.Certificate().Raw}),
	}}
	hub := fake.NewClientBuilder().WithScheme(scheme).WithObjects(fed, secret, r).Build()
	w.Notifier = New(hub, Options{Secrets: hub, Networks: networks, Log: slog.New(slog.DiscardHandler), Event: func(_ client.Object, _, reason, text string) {
		w.events = append(w.events, reason+" "+text)
	}})
	return w
}

func (w *world) reconcile(t *testing.T) time.Duration {
	t.Helper()
	result, err := w.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKey{Namespace: "team", Name: "shop-4f2c9e1a0b3c"}})
	require.NoError(t, err)
	return result.RequeueAfter
}

// change changes the Release on the hub.
func (w *world) change(t *testing.T, change func(*v1alpha1.Release)) {
	t.Helper()
	r := &v1alpha1.Release{}
	require.NoError(t, w.Get(t.Context(), client.ObjectKey{Namespace: "team", Name: "shop-4f2c9e1a0b3c"}, r))
	change(r)
	require.NoError(t, w.Update(t.Context(), r))
}

// TestEachEventIsSentOnce: also by the next process, and the body has the signature of the key.
func TestEachEventIsSentOnce(t *testing.T) {
	w := newWorld(t, egress.Everywhere(), release(func(*v1alpha1.Release) {}), v1alpha1.Notification{Template: "{event} {federation} {commit} {subject} {healthy}/{total}"})
	require.Zero(t, w.reconcile(t))
	w.reconcile(t)
	require.Len(t, w.got, 1)
	var m message
	require.NoError(t, json.Unmarshal(w.got[0].body, &m))
	require.WithinDuration(t, time.Now(), m.Time, time.Minute)
	m.Time = time.Time{}
	require.Equal(t, message{
		APIVersion: "accord.dev/v1alpha1", Kind: "ReleaseNotification", Event: "Started", Namespace: "team", Federation: "shop", Release: "shop-4f2c9e1a0b3c",
		Revision: "main@sha1:4f2c9e1a0b3c4f2c9e1a0b3c4f2c9e1a0b3c4f2c", Author: "Ada", Subject: "one", Message: "1 of 2 clusters", Text: "Started shop 4f2c9e1 one 1/2",
		Clusters: clusters{Total: 2, Healthy: 1},
	}, m)
	require.Equal(t, "sha256="+sign([]byte("a key"), w.got[0].body), w.got[0].signature)

	w.change(t, done)
	w.Notifier = New(w.Client, w.Options) // a restart
	w.reconcile(t)
	w.reconcile(t)
	require.Len(t, w.got, 2)
	require.Contains(t, string(w.got[1].body), `"event":"Done"`)

	// A cluster that fails later starts nothing again.
	w.change(t, func(r *v1alpha1.Release) { r.Status.Conditions[0].Status = metav1.ConditionFalse })
	w.reconcile(t)
	require.Len(t, w.got, 2)
}

func TestOnlyWantedEventsAreSent(t *testing.T) {
	w := newWorld(t, egress.Everywhere(), release(func(*v1alpha1.Release) {}), v1alpha1.Notification{Events: []v1alpha1.ReleaseEvent{v1alpha1.ReleaseFailed}})
	w.reconcile(t)
	w.change(t, done)
	w.reconcile(t)
	require.Empty(t, w.got)
}

// TestHostileSubject: the author of a commit mentions nobody in a channel, and adds no field to the body.
func TestHostileSubject(t *testing.T) {
	w := newWorld(t, egress.Everywhere(), release(func(r *v1alpha1.Release) { r.Spec.Subject = "<!channel> \"&\"\nsecond {event}" }),
		v1alpha1.Notification{Format: v1alpha1.SlackNotification, Template: "*{event}* {subject}"})
	w.reconcile(t)
	require.JSONEq(t, `{"text": "*Started* &lt;!channel&gt; \"&amp;\" second {event}"}`, string(w.got[0].body))
}

// TestHostileReceivers: a receiver in a private network is refused, a redirect is not followed, and no error has the URL.
func TestHostileReceivers(t *testing.T) {
	for want, prepare := range map[string]func(*world) egress.Networks{
		"the address is loopback, link-local or private":             func(*world) egress.Networks { return nil },
		"the receiver answered 307 Temporary Redirect":               func(w *world) egress.Networks { w.redirects(); return egress.Everywhere() },
		"the receiver answered 500 Internal Server Error; accord re": func(w *world) egress.Networks { w.fails(); return egress.Everywhere() },
		"connection refused": func(w *world) egress.Networks { w.server.Close(); return egress.Everywhere() },
		"the key url of the Secret is no https:// URL": func(w *world) egress.Networks {
			w.set("url", "http://"+w.server.Listener.Addr().String()+secretPath)
			return egress.Everywhere()
		},
		"the key ca.crt of the Secret has no certificate in PEM": func(w *world) egress.Networks { w.set("ca.crt", "none"); return egress.Everywhere() },
	} {
		t.Run(want, func(t *testing.T) {
			w := newWorld(t, nil, release(func(*v1alpha1.Release) {}), v1alpha1.Notification{})
			w.Networks = prepare(w)
			require.Equal(t, firstPause, w.reconcile(t))
			require.Len(t, w.events, 1)
			require.Contains(t, w.events[0], "NotificationFailed notification \"chat\": ")
			require.Contains(t, w.events[0], want)
			require.NotContains(t, w.events[0], "planted")
			require.NotContains(t, w.events[0], w.server.Listener.Addr().String()+"/")
			requests := len(w.got)
			require.Equal(t, firstPause, w.reconcile(t), "it waits")
			require.Len(t, w.got, requests)
		})
	}
}

func (w *world) redirects() {
	w.answer = func(out http.ResponseWriter, in *http.Request) {
		http.Redirect(out, in, "/elsewhere", http.StatusTemporaryRedirect)
	}
}

func (w *world) fails() {
	w.answer = func(out http.ResponseWriter, _ *http.Request) {
		http.Error(out, "planted", http.StatusInternalServerError)
	}
}

func (w *world) set(key, value string) {
	secret := &corev1.Secret{}
	if err := w.Get(context.Background(), client.ObjectKey{Namespace: "team", Name: "receiver"}, secret); err != nil {
		panic(err)
	}
	secret.Data[key] = []byte(value)
	if err := w.Update(context.Background(), secret); err != nil {
		panic(err)
	}
}

// TestRateLimit: a receiver gets a burst of requests, and then one in each pace.
func TestRateLimit(t *testing.T) {
	w := newWorld(t, egress.Everywhere(), release(func(*v1alpha1.Release) {}), v1alpha1.Notification{})
	for i := range burst + 3 {
		w.change(t, func(r *v1alpha1.Release) { r.Annotations = nil })
		wait := w.reconcile(t)
		require.Equal(t, i >= burst, wait > 0, fmt.Sprint(i, wait))
	}
	require.Len(t, w.got, burst)
}

// TestReceiversAreForgotten: what is known of a receiver is deleted after its last request, because its Federation may be deleted.
func TestReceiversAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := New(nil, Options{})
		require.Zero(t, n.wait("team/shop/chat"))
		require.Zero(t, n.wait("team/bank/chat"))
		require.Equal(t, 2, n.limiters.Len())
		time.Sleep(burst*pace + time.Second)
		require.Zero(t, n.wait("team/other/chat"))
		require.Equal(t, 1, n.limiters.Len())
	})
}

func TestTextIsBounded(t *testing.T) {
	r := release(func(r *v1alpha1.Release) { r.Spec.Subject = strings.Repeat("é", 2*maxText) })
	text := textOf(v1alpha1.Notification{}, r, v1alpha1.ReleaseStarted, slackText)
	require.LessOrEqual(t, len([]rune(text)), maxText)
	require.True(t, strings.HasPrefix(text, "Started: team/shop @ 4f2c9e1 éé"))
}
