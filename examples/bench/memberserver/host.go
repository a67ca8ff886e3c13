package memberserver

import (
	"net/http"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/endpoints/request"
)

// A Host holds the parts that all servers of a process share, so that one more costs little: the answers to discovery,
// the mergers of server-side apply, and counters. NewHost makes it.
type Host struct {
	catalog   catalog
	addresses request.RequestInfoFactory
	metrics   http.Handler
	counts    counts

	mu      sync.Mutex
	mergers map[schema.GroupVersionKind]*managedfields.FieldManager
	created map[creation]*unstructured.Unstructured // see merge
}

// counts are served as /metrics by every server, each for all of the process, as it is with real API servers in one
// process. Requests and watches have the names and labels that API servers give them.
type counts struct {
	requests *prometheus.CounterVec // about objects, by verb, group, resource and code
	others   *prometheus.CounterVec // by path
	watches  *prometheus.GaugeVec   // under way, by resource
	objects  *prometheus.GaugeVec   // by namespace and resource
	written  prometheus.Gauge       // when an object last changed, Unix time
}

// NewHost reads the discovery that the servers serve.
func NewHost() (*Host, error) {
	catalog, err := readCatalog()
	if err != nil {
		return nil, err
	}
	h := &Host{
		catalog: catalog,
		addresses: request.RequestInfoFactory{
			APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api"),
		},
		mergers: map[schema.GroupVersionKind]*managedfields.FieldManager{},
		created: map[creation]*unstructured.Unstructured{},
		counts: counts{
			requests: prometheus.NewCounterVec(prometheus.CounterOpts{
				Name: "apiserver_request_total", Help: "Requests about objects that were answered.",
			}, []string{"verb", "group", "resource", "code"}),
			others: prometheus.NewCounterVec(prometheus.CounterOpts{
				Name: "memberserver_other_requests_total", Help: "Requests for the version and for discovery.",
			}, []string{"path"}),
			watches: prometheus.NewGaugeVec(prometheus.GaugeOpts{
				Name: "apiserver_longrunning_requests", Help: "Watches under way.",
			}, []string{"verb", "group", "resource"}),
			objects: prometheus.NewGaugeVec(prometheus.GaugeOpts{
				Name: "memberserver_objects", Help: "Objects that are there.",
			}, []string{"namespace", "resource"}),
			written: prometheus.NewGauge(prometheus.GaugeOpts{
				Name: "memberserver_last_write_timestamp_seconds", Help: "When an object last changed.",
			}),
		},
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(h.counts.requests, h.counts.others, h.counts.watches, h.counts.objects, h.counts.written)
	h.metrics = promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	return h, nil
}
