package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/apiserver"
	"github.com/accord-dev/accord/apiserver/bundles"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/clusters/search"
	"github.com/accord-dev/accord/reconciler/store"
)

const (
	viewPath      = "/apis/search.karmada.io/v1alpha1/proxying/all/proxy"
	viewUser      = "alice"
	viewNamespace = "accord-system"
)

// view is accord's API server behind a hub, and a client of the view of all clusters.
type view struct {
	client *http.Client
	stop   context.CancelFunc
	ended  chan error
}

// openView declares ten clusters, which are one API server, and serves their pods.
func openView(ctx context.Context, f *fleet) (_ *view, err error) {
	hub, member := f.configs[hubName], f.configs["tenth"]
	if err := store.Install(ctx, hub); err != nil {
		return nil, err
	}
	if err := declareTenth(ctx, hub, member); err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	bundled := bundles.New(bundles.CompressedLimit)
	bundled.Open()
	v := &view{ended: make(chan error, 1)}
	serving, stop := context.WithCancel(ctx)
	v.stop = stop
	go func() {
		v.ended <- apiserver.Run(serving, hub, apiserver.Options{
			Bundles: bundled, Listener: listener, Namespace: viewNamespace, SecretsNamespace: viewNamespace, Local: true, Log: slog.New(slog.DiscardHandler),
		})
	}()
	defer func() {
		if err != nil {
			v.close()
		}
	}()
	user := rest.CopyConfig(hub)
	user.Impersonate = rest.ImpersonationConfig{UserName: viewUser, Groups: []string{"system:authenticated"}}
	v.client, err = rest.HTTPClientFor(user)
	if err != nil {
		return nil, err
	}
	next := v.client.Transport
	v.client.Transport = roundTripper(func(r *http.Request) (*http.Response, error) { // viewPath has no host
		at, err := http.NewRequestWithContext(r.Context(), r.Method, hub.Host+r.URL.RequestURI(), r.Body)
		if err != nil {
			return nil, err
		}
		at.Header = r.Header
		return next.RoundTrip(at)
	})
	var last error
	if err := wait.PollUntilContextTimeout(ctx, 200*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		var n int
		n, last = listPods(ctx, v.client, viewPath)
		return n > 0 && last == nil, nil
	}); err != nil {
		return nil, fmt.Errorf("waiting for the view of all clusters: %w: %w", err, last)
	}
	return v, nil
}

type roundTripper func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func (v *view) close() {
	v.stop()
	<-v.ended
}

// declareTenth creates what accord needs on the hub and on the member: ten Clusters, their ResourceRegistry, and the rights of the user.
func declareTenth(ctx context.Context, hub, member *rest.Config) error {
	scheme := runtime.NewScheme()
	if err := errors.Join(clientscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)); err != nil {
		return err
	}
	onHub, err := client.New(hub, client.Options{Scheme: scheme})
	if err != nil {
		return err
	}
	onMember, err := client.New(member, client.Options{Scheme: scheme})
	if err != nil {
		return err
	}
	c, err := kubernetes.NewForConfig(member)
	if err != nil {
		return err
	}
	admin := func(name string, subject rbacv1.Subject) error {
		return onMember.Create(ctx, &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: name}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"}, Subjects: []rbacv1.Subject{subject},
		})
	}
	user := rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: viewUser}
	if err := errors.Join(
		onMember.Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, Name: "accord"}}),
		admin("accord", rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: metav1.NamespaceDefault, Name: "accord"}), admin(viewUser, user),
		onHub.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: viewNamespace}}),
		onHub.Create(ctx, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "view-all"}, Rules: []rbacv1.PolicyRule{{APIGroups: []string{"search.karmada.io"}, Resources: []string{"proxying/proxy"}, Verbs: []string{"*"}}}}),
		onHub.Create(ctx, &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: "view-all"}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "view-all"}, Subjects: []rbacv1.Subject{user},
		}),
		onHub.Create(ctx, &v1alpha1.ResourceRegistry{
			ObjectMeta: metav1.ObjectMeta{Name: "pods"}, Spec: v1alpha1.ResourceRegistrySpec{ResourceSelectors: []v1alpha1.RegistrySelector{{APIVersion: "v1", Kind: "Pod"}}},
		}),
	); err != nil {
		return err
	}
	token, err := c.CoreV1().ServiceAccounts(metav1.NamespaceDefault).CreateToken(ctx, "accord", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	account := rest.CopyConfig(member)
	if err := rest.LoadTLSFiles(account); err != nil {
		return err
	}
	for i := range searchClusters {
		name := fmt.Sprintf("cluster-%d", i)
		if err := errors.Join(
			onHub.Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: viewNamespace, Name: name}, Type: clusters.SecretType, Data: map[string][]byte{
				clusters.ClusterKey: []byte(name), clusters.ServerKey: []byte(member.Host), clusters.TokenKey: []byte(token.Status.Token), clusters.CABundleKey: account.CAData,
			}}),
			onHub.Create(ctx, &v1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1alpha1.ClusterSpec{
				SyncMode: v1alpha1.SyncModePush, SecretRef: &v1alpha1.SecretRef{Namespace: viewNamespace, Name: name},
			}}),
		); err != nil {
			return err
		}
	}
	return nil
}

// arrivals are the times at which a watch got the changes, by the number of the change; for the view, the times of all clusters.
type arrivals struct {
	mu    sync.Mutex
	times map[string]map[string]time.Time // by the value of the change, then by cluster
}

const changeAnnotation = "bench.accord.dev/change"

// watchPods records the arrivals of a watch until ctx ends.
func watchPods(ctx context.Context, c *http.Client, url string) (*arrivals, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/api/v1/namespaces/default/pods?watch=true&fieldSelector=metadata.name%3D"+searchPod(0).Name, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/json")
	answer, err := c.Do(r)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		_ = answer.Body.Close()
		return nil, fmt.Errorf("watching pods at %s: %s", url, answer.Status)
	}
	a := &arrivals{times: map[string]map[string]time.Time{}}
	go func() { // ends with ctx
		defer answer.Body.Close()
		for events := json.NewDecoder(answer.Body); ; {
			var e struct{ Object metav1.PartialObjectMetadata }
			if err := events.Decode(&e); err != nil {
				return
			}
			a.note(e.Object.Annotations[changeAnnotation], e.Object.Annotations[search.ClusterAnnotation])
		}
	}()
	return a, nil
}

func (a *arrivals) note(change, cluster string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.times[change] == nil {
		a.times[change] = map[string]time.Time{}
	}
	a.times[change][cluster] = time.Now()
}

// of returns the arrivals of a change.
func (a *arrivals) of(change string) []time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	var times []time.Time
	for _, t := range a.times[change] {
		times = append(times, t)
	}
	return times
}

// watches changes a pod, and compares the times until direct watches, one for each cluster, and the one of all clusters have the changes.
func (f *searchFigures) watches(ctx context.Context, all *http.Client, member *rest.Config) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	own, err := rest.HTTPClientFor(member)
	if err != nil {
		return err
	}
	var direct []*arrivals
	for range searchClusters {
		one, err := watchPods(ctx, own, member.Host)
		if err != nil {
			return err
		}
		direct = append(direct, one)
	}
	merged, err := watchPods(ctx, all, viewPath)
	if err != nil {
		return err
	}
	c, err := kubernetes.NewForConfig(member)
	if err != nil {
		return err
	}
	for i := range f.changes {
		change := fmt.Sprint(i)
		patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%q}}}`, changeAnnotation, change)
		begun := time.Now()
		if _, err := c.CoreV1().Pods(metav1.NamespaceDefault).Patch(ctx, searchPod(0).Name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			return err
		}
		if err := wait.PollUntilContextTimeout(ctx, 5*time.Millisecond, 20*time.Second, true, func(context.Context) (bool, error) {
			seen := len(merged.of(change))
			for _, one := range direct {
				seen += len(one.of(change))
			}
			return seen == 2*searchClusters, nil
		}); err != nil {
			return fmt.Errorf("change %d is at %d of %d clusters: %w", i, len(merged.of(change)), searchClusters, err)
		}
		for _, one := range direct {
			f.direct = append(f.direct, one.of(change)[0].Sub(begun))
		}
		for _, t := range merged.of(change) {
			f.merged = append(f.merged, t.Sub(begun))
		}
	}
	return nil
}
