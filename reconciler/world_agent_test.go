package reconciler_test

import (
	"context"
	"errors"
	"flag"
	"log/slog"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/api/delivery"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/apiserver"
	"github.com/accord-dev/accord/reconciler/agent"
)

// lines is a log that a test reads while it is written.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func (l *lines) has(text string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return unless(strings.Contains(l.text.String(), text), "the log has no line with "+text)
}

// mode is the way in which the tests that start a world connect its members.
var mode = flag.String("mode", "push", "push: the hub reaches the members; pull: an agent of each member fetches its bundle, see make test-pull")

// register makes a Cluster in pull mode and runs its agent, which has the rights of the hub in push mode. The cable lies between the agent
// and the hub.
func (w *world) register(name string) {
	w.t.Helper()
	local := rest.AnonymousClientConfig(w.planes[name].Config())
	local.BearerToken = w.account(name)
	hub := rest.CopyConfig(w.config)
	hub.Host = w.cables[name].host()
	w.declarePull(name)
	if stop := w.agents[name]; stop != nil { // that of a lost hub
		stop()
	}
	w.agents[name] = w.agent(agent.Options{Cluster: name, Hub: hub, Local: local, Log: w.logger()})
}

// declarePull makes a Cluster in pull mode.
func (w *world) declarePull(name string) {
	w.t.Helper()
	w.create(&v1alpha1.Cluster{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"name": name}}, Spec: v1alpha1.ClusterSpec{SyncMode: v1alpha1.SyncModePull},
	})
}

// agent runs an agent as an administrator of the hub with the name of the agent.
func (w *world) agent(o agent.Options) (stop func()) {
	w.t.Helper()
	o.Hub = rest.CopyConfig(o.Hub)
	o.Hub.Impersonate = rest.ImpersonationConfig{UserName: delivery.AgentUser(o.Cluster, "abcdefgh23"), Groups: []string{"system:masters"}}
	o.Health, o.Lease = health, 8*time.Second
	a, err := agent.New(o)
	require.NoError(w.t, err)
	return w.background(func(ctx context.Context) error { a.Run(ctx); return nil })
}

// serve runs the aggregated API server of the hub.
func (w *world) serve() (stop func()) {
	w.t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(w.t, err)
	return w.background(func(ctx context.Context) error {
		return apiserver.Run(ctx, w.config, apiserver.Options{Bundles: w.bundles, Listener: listener, Namespace: w.namespace, Local: true, Log: w.logger()})
	})
}

func (w *world) logger() *slog.Logger {
	if w.heard != nil {
		return slog.New(slog.NewTextHandler(w.heard, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	return slog.New(slog.NewTextHandler(w.t.Output(), nil))
}

// lost waits until the hub knows that it does not reach a member whose cable is cut: in pull mode it does not know more.
func (w *world) lost(cluster string) {
	w.t.Helper()
	if *mode == "pull" {
		w.clusterIs(cluster, metav1.ConditionUnknown, "")
		return
	}
	w.clusterIs(cluster, metav1.ConditionFalse, "")
}

// background runs a function until the returned one is called, or the test ends.
func (w *world) background(run func(context.Context) error) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			assert.NoError(w.t, err)
		}
	})
	w.t.Cleanup(stop)
	return stop
}
