package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/accord-dev/accord/clusters/proxy"
	"github.com/accord-dev/accord/clusters/search"
)

// searching holds the options of the measurement of the view of all clusters.
type searching struct {
	pods    int // of all clusters
	changes int // whose arrival at watches is measured
}

const (
	searchClusters = 10
	searchRounds   = 5
)

// searchFigures are those of the view of all clusters beside those of Kubernetes' own clients and servers.
type searchFigures struct {
	searching
	caches, informers uint64 // bytes of heap
	all, one          []time.Duration
	merged, direct    []time.Duration // from a write until each cluster's event is there
}

// runSearch measures the view of all clusters: ten clusters are one API server with a tenth of the pods, and another API server has all of them.
func runSearch(ctx context.Context, o searching, progress io.Writer) (*searchFigures, error) {
	dir, err := os.MkdirTemp("", "accord-search-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	b := &bench{dir: dir, progress: progress}
	b.say("building (the first time this compiles Kubernetes, which takes minutes)")
	programs := filepath.Join(dir, "bin")
	if err := build(ctx, programs, "members"); err != nil {
		return nil, err
	}
	b.say("starting a hub and two clusters")
	fleet, err := startFleet(dir, filepath.Join(programs, "members"), "planes", []string{hubName, "tenth", "whole"})
	if err != nil {
		return nil, err
	}
	defer fleet.stop()
	for name, n := range map[string]int{"tenth": o.pods / searchClusters, "whole": o.pods} {
		b.say("creating %d pods", n)
		if err := createPods(ctx, fleet.configs[name], n); err != nil {
			return nil, err
		}
	}
	f := &searchFigures{searching: o}
	b.say("the memory of caches")
	if err := f.memory(ctx, fleet.configs["tenth"]); err != nil {
		return nil, err
	}
	b.say("starting accord")
	view, err := openView(ctx, fleet)
	if err != nil {
		return nil, err
	}
	defer view.close()
	b.say("lists")
	if err := f.lists(ctx, view.client, fleet.configs["whole"]); err != nil {
		return nil, err
	}
	b.say("watches")
	return f, f.watches(ctx, view.client, fleet.configs["tenth"])
}

// createPods creates pods as a Deployment has them, without a scheduler.
func createPods(ctx context.Context, cfg *rest.Config, n int) error {
	c, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return err
	}
	errs := make([]error, 8)
	var all sync.WaitGroup
	for worker := range errs {
		all.Go(func() {
			for i := worker; i < n && errs[worker] == nil; i += len(errs) {
				_, errs[worker] = c.CoreV1().Pods(metav1.NamespaceDefault).Create(ctx, searchPod(i), metav1.CreateOptions{})
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

func searchPod(i int) *corev1.Pod {
	labels := map[string]string{"app": fmt.Sprintf("web-%02d", i%50), "pod-template-hash": "7c5ddbdf54", "team": fmt.Sprintf("team-%d", i%7)}
	container := corev1.Container{
		Name: "web", Image: "registry.example.com/shop/web:1.27.5", Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: 8080}},
		Env:            []corev1.EnvVar{{Name: "LOG_LEVEL", Value: "info"}, {Name: "REGION", Value: "eu-1"}},
		ReadinessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{"/bin/ready"}}}},
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("web-%02d-7c5ddbdf54-%05d", i%50, i), Labels: labels},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{container}, NodeName: fmt.Sprintf("node-%03d", i%100)},
	}
}

// heap returns the bytes that are in use.
func heap() uint64 {
	var m runtime.MemStats
	for range 3 { // finalizers and pools
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// memory compares caches of ten clusters with one informer of client-go for each of them.
func (f *searchFigures) memory(ctx context.Context, cfg *rest.Config) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	before := heap()
	var factories []informers.SharedInformerFactory
	for range searchClusters {
		c, err := kubernetes.NewForConfig(rest.CopyConfig(cfg))
		if err != nil {
			return err
		}
		factory := informers.NewSharedInformerFactory(c, 0)
		factory.Core().V1().Pods().Informer()
		factory.Start(ctx.Done())
		factories = append(factories, factory)
	}
	for _, factory := range factories {
		if informer := factory.Core().V1().Pods().Informer(); !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) || len(informer.GetStore().List()) != f.pods/searchClusters {
			return fmt.Errorf("an informer has %d pods", len(informer.GetStore().List()))
		}
	}
	f.informers = heap() - before
	runtime.KeepAlive(factories)
	cancel()
	for _, factory := range factories {
		factory.Shutdown()
	}
	factories = nil
	return f.cached(context.WithoutCancel(ctx), cfg)
}

func (f *searchFigures) cached(ctx context.Context, cfg *rest.Config) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	before := heap()
	pods := corev1.SchemeGroupVersion.WithKind("Pod")
	wanted := map[search.Key]search.Scope{}
	members := map[string]*proxy.Member{}
	for i := range searchClusters {
		name := fmt.Sprintf("cluster-%d", i)
		wanted[search.Key{Cluster: name, Kind: pods}] = nil
		m, err := proxy.New(cfg, name)
		if err != nil {
			return err
		}
		members[name] = m
	}
	set := search.NewSet(func(_ context.Context, name string) (http.RoundTripper, error) { return members[name], nil })
	set.Want(ctx, []schema.GroupVersionKind{pods}, wanted)
	caches, _ := set.Of(pods)
	if missing, stale := search.Settle(ctx, caches, nil); len(missing)+len(stale) > 0 {
		return fmt.Errorf("caches without a list: %v %v", missing, stale)
	}
	f.caches = heap() - before
	for key, state := range set.States() {
		if state.Objects != f.pods/searchClusters {
			return fmt.Errorf("the cache of %s has %d pods", key.Cluster, state.Objects)
		}
	}
	cancel()
	set.Wait()
	return nil
}

// lists compares a list of all clusters with one of the API server that has all pods.
func (f *searchFigures) lists(ctx context.Context, view *http.Client, whole *rest.Config) error {
	direct, err := rest.HTTPClientFor(whole)
	if err != nil {
		return err
	}
	for range searchRounds {
		for _, of := range []struct {
			client *http.Client
			url    string
			into   *[]time.Duration
		}{{direct, whole.Host, &f.one}, {view, viewPath, &f.all}} {
			begun := time.Now()
			items, err := listPods(ctx, of.client, of.url)
			if err != nil {
				return err
			}
			*of.into = append(*of.into, time.Since(begun))
			if items != f.pods {
				return fmt.Errorf("%s has %d pods", of.url, items)
			}
		}
	}
	return nil
}

// listPods reads all pods as a client does that decodes nothing but their number.
func listPods(ctx context.Context, c *http.Client, url string) (int, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/api/v1/namespaces/default/pods", nil)
	if err != nil {
		return 0, err
	}
	r.Header.Set("Accept", "application/json")
	answer, err := c.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("listing pods at %s: %s: %.300s", url, answer.Status, text)
	}
	if err != nil {
		return 0, err
	}
	var list struct {
		Items []struct{} `json:"items"`
	}
	err = json.Unmarshal(text, &list)
	return len(list.Items), err
}

func quantile(of []time.Duration, q float64) time.Duration {
	sorted := slices.Sorted(slices.Values(of))
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

// print prints the figures beside their bars.
func (f *searchFigures) print(w io.Writer) error {
	fmt.Fprintf(w, "the view of all clusters: %d pods on %d clusters\n\n", f.pods, searchClusters)
	memory := float64(f.caches) / float64(f.informers)
	lists := float64(middle(f.all)) / float64(middle(f.one))
	late := quantile(f.merged, 0.99) - quantile(f.direct, 0.99)
	return printRows(w, []row{
		{what: "memory of caches, beside one informer for each cluster", floor: kilobytes(f.informers), ours: kilobytes(f.caches), ratio: fmt.Sprintf("%.2f x", memory), figure: searchMemory, value: memory},
		{what: fmt.Sprintf("list of all, beside one cluster with all pods, p50 of %d", searchRounds), floor: milliseconds(middle(f.one)), ours: milliseconds(middle(f.all)), ratio: fmt.Sprintf("%.2f x", lists), figure: searchList, value: lists},
		{what: fmt.Sprintf("write until watched, beside direct watches, p50 of %d", len(f.merged)), floor: milliseconds(quantile(f.direct, 0.5)), ours: milliseconds(quantile(f.merged, 0.5))},
		{what: "write until watched, p99", floor: milliseconds(quantile(f.direct, 0.99)), ours: milliseconds(quantile(f.merged, 0.99)), ratio: "+" + milliseconds(late), figure: searchWatch, value: float64(late.Microseconds()) / 1000},
	}, f.pods, searchClusters)
}

func kilobytes(n uint64) string { return fmt.Sprintf("%d KiB", n>>10) }
