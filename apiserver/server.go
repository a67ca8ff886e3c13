// Package apiserver is the aggregated API server of the hub. The hub's API server forwards the requests of three groups to it: those of
// delivery.accord.dev, which agents send, are answered out of memory; those of cluster.karmada.io, which users send, go on to a cluster;
// those of search.karmada.io, which users send, are answered out of caches of all clusters.
package apiserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/sets"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"
	genericfilters "k8s.io/apiserver/pkg/server/filters"
	"k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/util/compatibility"
	"k8s.io/client-go/kubernetes"
	restclient "k8s.io/client-go/rest"

	"github.com/accord-dev/accord/api/delivery"
	"github.com/accord-dev/accord/apiserver/bundles"
	"github.com/accord-dev/accord/apiserver/clusterproxy"
	"github.com/accord-dev/accord/apiserver/registry"
	"github.com/accord-dev/accord/apiserver/search"
	"github.com/accord-dev/accord/clusters/proxy"
	"github.com/accord-dev/accord/internal/version"
)

const (
	// Service is the name of the Service, in accord's namespace on the hub, that leads to the API server of each replica.
	Service = "accord-api"
	// shutdownLimit bounds the time that a stopping server waits for requests.
	shutdownLimit = 3 * time.Second
	// streamsPerConnection lets the hub's API server send the requests of many agents over one connection.
	streamsPerConnection = 1000
)

// Options of the API server of one replica.
type Options struct {
	// Bundles are served once they are open (Store.Open). Their publisher is another loop of the process.
	Bundles *bundles.Store
	// Listener accepts connections. The server owns it.
	Listener net.Listener
	// Namespace of accord on the hub, for Service and certificates.
	Namespace string
	// SecretsNamespace is the only namespace whose Secrets are credentials of clusters.
	SecretsNamespace string
	// TunnelCheck is the time between two looks whether an agent still has the right to its tunnel; zero: tunnels.DefaultCheck.
	TunnelCheck time.Duration
	// Replica names this replica, uniquely on the hub, and Address, host:port, is the one at which other replicas reach the listener; an empty
	// Replica: there are no others.
	Replica, Address string
	// Local is set if the hub's API server runs on this machine, and reaches the listener at localhost. Otherwise the Service and its
	// endpoints exist ("accord install").
	Local bool
	Log   *slog.Logger
}

// Run serves the hub that cfg leads to until ctx ends, and keeps certificates and the APIServices of the hub current. A hub that refuses
// them is logged, and tried again.
func Run(ctx context.Context, cfg *restclient.Config, o Options) error {
	front, err := newFrontProxy(cfg)
	if err != nil {
		return errors.Join(err, o.Listener.Close())
	}
	r, err := newRegistration(cfg, o, newCertificates(Service+"."+o.Namespace+".svc"), front)
	if err != nil {
		return errors.Join(err, o.Listener.Close())
	}
	if err := r.certify(ctx); err != nil { // without a certificate nothing can be served
		return errors.Join(err, o.Listener.Close())
	}
	w := newWays(o, r.certificates, front.hub.CoordinationV1().Leases(o.Namespace))
	defer w.tunnels.Close()
	context.AfterFunc(ctx, w.tunnels.Close) // agents connect to another replica
	groups, err := newGroups(ctx, cfg, o, r, w.tunnels)
	if err != nil {
		return errors.Join(err, o.Listener.Close())
	}
	server, err := newServer(o, r.certificates, front, w, ctx.Done(), groups.storage)
	if err != nil {
		return errors.Join(fmt.Errorf("assembling the aggregated API server: %w", err), o.Listener.Close())
	}
	var running sync.WaitGroup
	defer running.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	running.Go(func() { w.run(ctx) })
	running.Go(func() {
		if err := groups.caches(ctx); err != nil && ctx.Err() == nil {
			o.Log.Error("the caches of ResourceRegistries ended: restart accord", "error", err)
		}
	})
	go front.run(ctx)
	go r.run(ctx)
	if err := server.PrepareRun().RunWithContext(ctx); err != nil {
		return fmt.Errorf("running the aggregated API server: %w", err)
	}
	return nil
}

// versioned adds the version of accord to each answer, for "accord version".
func versioned(next http.Handler) http.Handler {
	v := version.Get().Version
	return http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		out.Header().Set(delivery.VersionHeader, v)
		next.ServeHTTP(out, r)
	})
}

// newServer assembles the server. It has no store, no admission and no fairness: the hub's API server admits the requests.
func newServer(o Options, certificates *certificates, front *frontProxy, w *ways, stopping <-chan struct{}, groups map[schema.GroupVersion]map[string]rest.Storage) (*genericapiserver.GenericAPIServer, error) {
	scheme, err := newScheme()
	if err != nil {
		return nil, err
	}
	codecs := serializer.NewCodecFactory(scheme)
	c := genericapiserver.NewConfig(codecs)
	c.EffectiveVersion = compatibility.DefaultBuildEffectiveVersion()
	c.EnableIndex, c.EnableProfiling, c.EnableMetrics = false, false, false
	c.LongRunningFunc = longRunning
	c.BuildHandlerChainFunc = func(h http.Handler, c *genericapiserver.Config) http.Handler {
		authorized := w.ofLeader(clusterproxy.ReadOnly(proxy.HideDryRun(h, passedOn), codecs), o, codecs, stopping)
		return w.ofReplicas(versioned(genericapiserver.DefaultBuildHandlerChain(authorized, c)))
	}
	c.ShutdownWatchTerminationGracePeriod = time.Second // ends watches as soon as the server stops
	if err := describe(c, scheme); err != nil {
		return nil, err
	}

	secure := options.NewSecureServingOptions()
	secure.Listener, secure.HTTP2MaxStreamsPerConnection = o.Listener, streamsPerConnection
	secure.ServerCert.GeneratedCert = certificates.serving
	if err := secure.WithLoopback().ApplyTo(&c.SecureServing, &c.LoopbackClientConfig); err != nil {
		return nil, err
	}
	if err := front.applyTo(c); err != nil {
		return nil, err
	}
	if err := w.applyTo(c, certificates); err != nil {
		return nil, err
	}
	server, err := c.Complete(nil).New("accord-apiserver", genericapiserver.NewEmptyDelegate())
	if err != nil {
		return nil, err
	}
	server.ShutdownTimeout = shutdownLimit
	for gv, storage := range groups {
		group := genericapiserver.NewDefaultAPIGroupInfo(gv.Group, scheme, runtime.NewParameterCodec(scheme), codecs)
		group.VersionedResourcesStorageMap = map[string]map[string]rest.Storage{gv.Version: storage}
		if err := server.InstallAPIGroup(&group); err != nil {
			return nil, err
		}
	}
	return server, nil
}

func newScheme() (*runtime.Scheme, error) {
	s := runtime.NewScheme()
	v1 := schema.GroupVersion{Version: "v1"}
	metav1.AddToGroupVersion(s, v1)
	s.AddUnversionedTypes(v1, &metav1.Status{}, &metav1.APIVersions{}, &metav1.APIGroupList{}, &metav1.APIGroup{}, &metav1.APIResourceList{})
	return s, errors.Join(delivery.AddToScheme(s), clusterproxy.AddToScheme(s), search.AddToScheme(s))
}

var watches = genericfilters.BasicLongRunningRequestCheck(sets.NewString("watch"), sets.NewString("proxy", delivery.Attach))

// longRunning reports whether a request waits for a change, or is a connection. The limits on requests in flight and on their time do not apply to it.
func longRunning(r *http.Request, info *apirequest.RequestInfo) bool {
	return watches(r, info) || registry.Waits(info.APIGroup, info.Resource, info.Subresource, r)
}

// passedOn reports whether a request goes on to a cluster or the hub.
func passedOn(r *http.Request) bool {
	info, ok := apirequest.RequestInfoFrom(r.Context())
	return ok && info.Subresource == "proxy"
}

func newClient(cfg *restclient.Config) (*kubernetes.Clientset, error) {
	cfg = restclient.CopyConfig(cfg)
	cfg.QPS = -1
	return kubernetes.NewForConfig(cfg)
}
