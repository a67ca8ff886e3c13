package reconciler_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// hostileHeap is how much more memory hostile input may take than what runs without it, hub and members included, which
// run in this process.
const hostileHeap = 1 << 30

// many is a text, several times over.
func many(text string, bytes int) string { return strings.Repeat(text, bytes/len(text)) }

// TestHostileFederation has one federation push what harms it in turn, while another goes on delivering.
func TestHostileFederation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	good, bad := w.federation("good"), w.federation("bad")
	deliver := func(value string) {
		sha := good.push(value, "app.yaml", configMap("good", value), "policy.yaml", policyFor("good", []string{"cluster-a"}, ""))
		w.ready(good, sha)
		require.Equal(t, value, w.configMap("cluster-a", "good").Data["key"])
	}
	deliver("before")
	w.ready(bad, bad.push("harmless", "app.yaml", configMap("bad", "1"), "policy.yaml", policyFor("bad", []string{"cluster-a"}, "")))
	bad.pushing, w.rights.repositories = nil, w.rights.repositories[:1] // what is refused needs no rights
	most := watchHeap(t)

	double := []string{"k/l0/kustomization.yaml", "resources: [a.yaml]\n", "k/l0/a.yaml", configMap("a", "1")}
	for i := range 30 {
		double = append(double, fmt.Sprintf("k/l%d/kustomization.yaml", i+1), fmt.Sprintf("resources: [../l%dx, ../l%dy]\n", i, i))
		for _, side := range []string{"x", "y"} {
			double = append(double, fmt.Sprintf("k/l%d%s/kustomization.yaml", i, side), fmt.Sprintf("namePrefix: %s\nresources: [../l%d]\n", side, i))
		}
	}
	const head = "apiVersion: v1\nkind: ConfigMap\nmetadata: {namespace: shop, name: x}\n"
	for i, c := range []struct {
		name  string
		files []string
		says  string
	}{
		{"values as many as fit", []string{"x.yaml", head + "v: [" + many("a,", 4<<20) + "a]\n"}, "values in one document, at most 500000 are allowed"},
		{"a text repeated by aliases", []string{"x.yaml", head + "v: &x " + many("x", 1<<20) + "\nw: [" + many("*x,", 3000) + "]\n"}, "including repeated aliases"},
		{"documents as many as fit", []string{"x.yaml", many("---\na\n", 4<<20)}, "more than 20000 objects"},
		{"mistakes as many as documents", []string{"x.yaml", many("---\na\n", 6*19_000)}, "x.yaml:2: is not a Kubernetes object"},
		{"bases that use each other twice", double, "counting a base as often as it is used"},
		{"a file of 50 MB", []string{"x.yaml", many("# nothing\n", 50<<20)}, "x.yaml: has 52428800 bytes, at most 16777216 are allowed"},
		{"a remote base", []string{"k/kustomization.yaml", "resources: ['https://example.org/a.yaml']\n"}, "is remote"},
		{"a huge key", []string{"x.yaml", head + "? " + many("k", 1<<20) + "\n: 1\n? " + many("k", 1<<20) + "\n: 2\n"}, "duplicate key"},
		{"a mistake in a huge policy", []string{"x.yaml", "apiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy\nmetadata: {namespace: shop, name: x}\nspec:\n  " + many("k", 1000) + ": {}\n"}, "unknown field"},
	} {
		t.Log(c.name)
		sha := bad.push(c.name, c.files...)
		release := w.condition(bad, sha, "Ready", metav1.ConditionFalse, "")
		require.Contains(t, strings.Join(release.Status.Errors, "\n"), c.says)
		require.Equal(t, "1", w.configMap("cluster-a", "bad").Data["key"], "nothing changes")
		deliver(fmt.Sprint(i))
		gone := []string{}
		for j := 0; j < len(c.files); j += 2 {
			gone = append(gone, c.files[j], "")
		}
		w.ready(bad, bad.push("harmless again", gone...))
	}

	slow := w.slowPushes(200)
	defer slow()
	w.largePushes(good, 20)
	require.Equal(t, http.StatusForbidden, w.knock(good, "nobody's key"), "the hook answers others meanwhile")
	deliver("after")
	require.Less(t, most(), uint64(hostileHeap))
}

// watchHeap samples the memory in use from now on; the function returned ends that and returns how much it grew at most.
func watchHeap(t *testing.T) func() uint64 {
	t.Helper()
	var now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&now)
	before, most := now.HeapAlloc, now.HeapAlloc
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			case <-time.After(50 * time.Millisecond):
			}
			runtime.ReadMemStats(&now)
			most = max(most, now.HeapAlloc)
		}
	}()
	end := sync.OnceFunc(func() { close(stop); <-done })
	t.Cleanup(end)
	return func() uint64 {
		end()
		t.Logf("the heap grew from %d MiB to %d MiB", before>>20, most>>20)
		return most - before
	}
}

// slowPushes opens connections to the webhook, from another address of this machine, that never send a whole request.
func (w *world) slowPushes(connections int) (stop func()) {
	w.t.Helper()
	var open []net.Conn
	from := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
	for i := range connections {
		c, err := from.DialContext(w.t.Context(), "tcp", w.hook)
		require.NoError(w.t, err)
		text := "POST /hook/demo/good HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n"
		if i%2 == 0 {
			text += "\r\nx"
		}
		_, err = io.WriteString(c, text)
		require.NoError(w.t, err)
		open = append(open, c)
	}
	return func() {
		for _, c := range open {
			c.Close()
		}
	}
}

// largePushes sends bodies that are too large, several at the same time.
func (w *world) largePushes(r *repository, senders int) {
	w.t.Helper()
	var sending sync.WaitGroup
	for range senders {
		sending.Go(func() {
			ctx, cancel := context.WithTimeout(w.t.Context(), time.Minute)
			defer cancel()
			body := io.LimitReader(zeros{}, 64<<20)
			in, err := http.NewRequestWithContext(ctx, http.MethodPost, fmt.Sprintf("http://%s/hook/%s/%s", w.hook, w.namespace, r.federation), body)
			if err != nil {
				return
			}
			if out, err := http.DefaultClient.Do(in); err == nil { // the connection may be closed on what is still being sent
				out.Body.Close()
			}
		})
	}
	sending.Wait()
}

// zeros are without an end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }
