package search

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/clusters/proxy"
)

// metrics is the API of metrics-server, which "kubectl top" reads. Nobody can watch it, so that no cache has its objects: the view of all
// clusters asks the clusters at each request. The hub needs no metrics-server.
var metrics = schema.GroupVersion{Group: "metrics.k8s.io", Version: "v1beta1"}

const (
	groupsPath = "/apis"
	// aggregated is the form of discovery that has groups and resources in one answer.
	aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
)

var metricsResources = []metav1.APIResource{
	{Name: "nodes", Kind: "NodeMetrics", Verbs: metav1.Verbs{"get", "list"}},
	{Name: "pods", Kind: "PodMetrics", Namespaced: true, Verbs: metav1.Verbs{"get", "list"}},
}

// discover answers requests for the groups of the view: those of the hub, and metrics. It reports whether the request is such a one.
func (s *Server) discover(w http.ResponseWriter, r *http.Request) bool {
	var answer any
	switch strings.TrimSuffix(r.URL.Path, "/") {
	case groupsPath:
		s.discoverGroups(w, r)
		return true
	case groupsPath + "/" + metrics.Group:
		answer = metricsGroup()
	case groupsPath + "/" + metrics.String():
		answer = metav1.APIResourceList{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "APIResourceList"}, GroupVersion: metrics.String(), APIResources: metricsResources,
		}
	default:
		return false
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer) // the caller may be gone
	return true
}

func metricsGroup() metav1.APIGroup {
	version := metav1.GroupVersionForDiscovery{GroupVersion: metrics.String(), Version: metrics.Version}
	return metav1.APIGroup{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "APIGroup"}, Name: metrics.Group, Versions: []metav1.GroupVersionForDiscovery{version}, PreferredVersion: version,
	}
}

// discoverGroups answers with the groups of the hub and metrics, in the form that the client accepts.
func (s *Server) discoverGroups(w http.ResponseWriter, r *http.Request) {
	ask, err := http.NewRequestWithContext(r.Context(), http.MethodGet, "https://hub"+groupsPath, nil)
	if err != nil {
		proxy.Refuse(w, apierrors.NewInternalError(err))
		return
	}
	ask.Header.Set("Accept", "application/json")
	if accept := strings.ReplaceAll(strings.Join(r.Header.Values("Accept"), ","), " ", ""); strings.Contains(accept, aggregated) {
		ask.Header.Set("Accept", aggregated+",application/json")
	}
	answer, err := s.AsCaller.RoundTrip(ask)
	if err == nil && answer.StatusCode != http.StatusOK {
		_ = answer.Body.Close()
		err = fmt.Errorf("the hub answers %s", answer.Status)
	}
	if err != nil {
		proxy.Refuse(w, apierrors.NewInternalError(fmt.Errorf("reading the groups of the hub: %w", err)))
		return
	}
	defer answer.Body.Close()
	var groups any
	if strings.Contains(answer.Header.Get("Content-Type"), "APIGroupDiscoveryList") {
		var all apidiscoveryv2.APIGroupDiscoveryList
		err = json.NewDecoder(answer.Body).Decode(&all)
		if !slices.ContainsFunc(all.Items, func(g apidiscoveryv2.APIGroupDiscovery) bool { return g.Name == metrics.Group }) {
			all.Items = append(all.Items, metricsDiscovery())
		}
		groups = all
	} else {
		var all metav1.APIGroupList
		err = json.NewDecoder(answer.Body).Decode(&all)
		if !slices.ContainsFunc(all.Groups, func(g metav1.APIGroup) bool { return g.Name == metrics.Group }) {
			all.Groups = append(all.Groups, metricsGroup())
		}
		groups = all
	}
	if err != nil {
		proxy.Refuse(w, apierrors.NewInternalError(fmt.Errorf("reading the groups of the hub: %w", err)))
		return
	}
	w.Header().Set("Content-Type", answer.Header.Get("Content-Type"))
	_ = json.NewEncoder(w).Encode(groups) // the caller may be gone
}

func metricsDiscovery() apidiscoveryv2.APIGroupDiscovery {
	version := apidiscoveryv2.APIVersionDiscovery{Version: metrics.Version, Freshness: apidiscoveryv2.DiscoveryFreshnessCurrent}
	for _, r := range metricsResources {
		scope := apidiscoveryv2.ScopeCluster
		if r.Namespaced {
			scope = apidiscoveryv2.ScopeNamespace
		}
		kind := metav1.GroupVersionKind{Group: metrics.Group, Version: metrics.Version, Kind: r.Kind}
		version.Resources = append(version.Resources, apidiscoveryv2.APIResourceDiscovery{Resource: r.Name, ResponseKind: &kind, Scope: scope, Verbs: r.Verbs})
	}
	return apidiscoveryv2.APIGroupDiscovery{ObjectMeta: metav1.ObjectMeta{Name: metrics.Group}, Versions: []apidiscoveryv2.APIVersionDiscovery{version}}
}
