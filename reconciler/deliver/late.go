package deliver

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/status/kind"
	"github.com/accord-dev/accord/status/podreason"
)

const (
	// lateAfter is the time from which a workload that is not healthy is late, and lateInterval the time between two checks.
	lateAfter    = 5 * time.Second
	lateInterval = 2 * time.Second
	// lateAgain is the least time between two listings of the pods of a late workload. While the status of the workload does not change,
	// each further listing waits twice as long as the one before, up to lateMost.
	lateAgain, lateMost = 30 * time.Second, 15 * time.Minute
	// maxLate bounds the late workloads of one cluster whose pods are listed. Others keep the message of their status.
	maxLate = 20
	// maxMessage bounds a message with a reason.
	maxMessage = 256
)

// late adds to the message of a workload that does not become healthy the reason of its pods, which the status of the workload does
// not have. The zero value is ready for use.
type late struct {
	mu     sync.Mutex // also orders the observations of workloads, so that no older one replaces a newer one
	of     map[lateKey]*lateWorkload
	denied map[types.NamespacedName]bool // the account of the Federation may not list pods on the cluster
}

type lateKey struct {
	federation types.NamespacedName
	id         manifest.ID
}

// lateWorkload is a workload that is not healthy. A newer generation replaces it.
type lateWorkload struct {
	seen         state.Observation // as observed last, with the message of its status
	selector     string
	since, asked time.Time
	pause        time.Duration // from asked until the pods are listed again
	status       lateStatus
	replicas     int32
	podFacts
}

// podFacts are the facts that the pods of a late workload show. The zero value is the one before the first listing.
type podFacts struct {
	reason        string
	unschedulable v1alpha1.UnschedulableReplicas
	// most is the longest pause; zero is lateMost.
	most time.Duration
}

// lateStatus is the part of the status of a workload that changes with its pods.
type lateStatus struct {
	// observed is set when a controller of the member has observed the generation: before that the workload has no pods of it.
	observed bool
	counts   string
}

// statusOf returns the lateStatus of a workload.
func statusOf(u *unstructured.Unstructured) lateStatus {
	status, _, _ := unstructured.NestedMap(u.Object, "status")
	counts := map[string]any{}
	for field, value := range status {
		if n, is := value.(int64); is {
			counts[field] = n
		}
	}
	observed, reports := counts["observedGeneration"].(int64)
	return lateStatus{observed: len(status) > 0 && (!reports || observed >= u.GetGeneration()), counts: fmt.Sprint(counts)} // sorted by field
}

// observe takes over the status. A change shortens the time until the pods are listed again.
func (l *lateWorkload) observe(s lateStatus) {
	if l.status != s {
		l.status, l.pause = s, lateAgain
	}
}

// ask reports whether the pods have to be listed now, and records that they are.
func (l *lateWorkload) ask(now time.Time) bool {
	if !l.status.observed || now.Sub(l.since) < lateAfter || now.Sub(l.asked) < l.pause {
		return false
	}
	if !l.asked.IsZero() {
		l.pause = min(2*l.pause, cmp.Or(l.most, lateMost))
	}
	l.asked = now
	return true
}

// observation returns the observation with the reason in its message, and with its unschedulable replicas.
func (l *lateWorkload) observation() state.Observation {
	x := l.seen
	x.Report.Unschedulable = l.unschedulable
	if l.reason != "" {
		x.Report.Message = phrase.Cut(x.Report.Message+"; "+l.reason, maxMessage)
	}
	return x
}

// observe records an observation of an object in the state.
func (l *late) observe(f *state.Federation, cluster string, u *unstructured.Unstructured, x state.Observation, now time.Time) (changes.Changes, bool) {
	key := lateKey{f.Key(), manifest.IDOf(u)}
	if !hasPods(u) {
		return f.Observe(cluster, key.id, x, now)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	known := l.of[key]
	switch {
	case x.Report.Health != kind.Progressing && x.Report.Health != kind.Failed, l.denied[f.Key()]:
		delete(l.of, key)
		return f.Observe(cluster, key.id, x, now)
	case known == nil && len(l.of) >= maxLate:
		return f.Observe(cluster, key.id, x, now)
	case known == nil || known.seen.Report.Generation != x.Report.Generation:
		known = &lateWorkload{since: now}
	}
	if known.selector = podSelector(u); known.selector == "" {
		delete(l.of, key)
		return f.Observe(cluster, key.id, x, now)
	}
	known.seen, known.replicas = x, replicasOf(u)
	known.observe(statusOf(u))
	if l.of == nil {
		l.of = map[lateKey]*lateWorkload{}
	}
	l.of[key] = known
	return f.Observe(cluster, key.id, known.observation(), now)
}

// forget drops the workloads for which gone is true.
func (l *late) forget(federation types.NamespacedName, gone func(manifest.ID) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key := range l.of {
		if key.federation == federation && gone(key.id) {
			delete(l.of, key)
		}
	}
}

// question asks for the pods of a late workload. It has copies of the fields that an observation may replace meanwhile.
type question struct {
	key      lateKey
	workload *lateWorkload
	selector string
	replicas int32
}

// due returns the questions about the workloads whose pods have to be listed now.
func (l *late) due(now time.Time) []question {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []question
	for key, w := range l.of {
		if w.ask(now) {
			all = append(all, question{key, w, w.selector, w.replicas})
		}
	}
	return all
}

// askPods lists the pods of late workloads until ctx ends.
func (w *Worker) askPods(ctx context.Context) {
	tick := time.NewTicker(lateInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if !w.reachable() {
			continue
		}
		for _, q := range w.late.due(time.Now()) {
			w.askPodsOf(ctx, q)
		}
	}
}

func (w *Worker) askPodsOf(ctx context.Context, q question) {
	ctx, cancel := context.WithTimeout(ctx, clusters.RequestTimeout)
	defer cancel()
	pods, err := w.pods(ctx, q.key, q.selector)
	switch f := w.pool.registry.Federation(q.key.federation); {
	case apierrors.IsForbidden(err):
		w.late.deny(q.key.federation)
	case err == nil && f != nil:
		facts, now := podFacts{reason: podreason.Worst(pods)}, time.Now()
		facts.unschedulable, facts.most = w.pool.unschedulable(f, q, pods, now)
		if next, recorded := w.late.explain(f, w.Name(), q, facts, now); recorded {
			w.pool.Enqueue(next)
		}
	}
}

// pods lists pods with the account of the Federation.
func (w *Worker) pods(ctx context.Context, key lateKey, selector string) ([]corev1.Pod, error) {
	account, err := w.pool.account(ctx, key.federation)
	if err != nil {
		return nil, err
	}
	m, err := w.member.As(account.User())
	if err != nil {
		return nil, err
	}
	return clusters.Pods(ctx, m, key.id.Namespace, selector)
}

// explain observes a workload again with a new reason of its pods, or another number of unschedulable ones. It does nothing for a workload
// that was replaced.
func (l *late) explain(f *state.Federation, cluster string, q question, facts podFacts, now time.Time) (changes.Changes, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of[q.key] != q.workload || q.workload.podFacts == facts {
		return changes.Changes{}, false
	}
	q.workload.podFacts = facts
	return f.Observe(cluster, q.key.id, q.workload.observation(), now)
}

// deny forgets the workloads of a Federation whose account may not list pods.
func (l *late) deny(federation types.NamespacedName) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.denied == nil {
		l.denied = map[types.NamespacedName]bool{}
	}
	l.denied[federation] = true
	maps.DeleteFunc(l.of, func(key lateKey, _ *lateWorkload) bool { return key.federation == federation })
}

// hasPods reports whether an object is a workload with a selector and a pod template.
func hasPods(u *unstructured.Unstructured) bool {
	_, selector, _ := unstructured.NestedFieldNoCopy(u.Object, "spec", "selector")
	_, template, _ := unstructured.NestedFieldNoCopy(u.Object, "spec", "template", "spec", "containers")
	return selector && template
}

// podSelector returns the label selector of a workload, and "" for one that selects no pods, or all.
func podSelector(u *unstructured.Unstructured) string {
	raw, found, _ := unstructured.NestedMap(u.Object, "spec", "selector")
	if !found {
		return ""
	}
	var selector metav1.LabelSelector
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(raw, &selector); err != nil {
		return ""
	}
	parsed, err := metav1.LabelSelectorAsSelector(&selector)
	if err != nil || parsed.Empty() {
		return ""
	}
	return parsed.String()
}
