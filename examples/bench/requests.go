package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"k8s.io/client-go/discovery"
)

// requests counts by "verb resource", as the API servers count them: no proxy that would cost time. Those that an API server has no time
// for are counted apart. Watches are left out, because API servers renew their own all the time.
type requests map[string]int

// writes are the verbs that change something.
var writes = []string{"APPLY", "PATCH", "POST", "PUT", "DELETE", "DELETECOLLECTION"}

// ownResources are the resources that an API server reads and writes by itself. Their counts do not show the requests of
// others.
var ownResources = []string{
	"leases", "endpoints", "endpointslices", "services", "apiservices", "flowschemas", "prioritylevelconfigurations",
	"servicecidrs", "ipaddresses", "roles", "rolebindings", "clusterroles", "clusterrolebindings", "priorityclasses",
}

// count returns the requests to all control planes of a fleet so far. They share a process and so their counters, which
// any of them serves.
func (f *fleet) count(ctx context.Context) (requests, error) {
	for name, config := range f.configs {
		c, err := discovery.NewDiscoveryClientForConfig(config)
		if err != nil {
			return nil, fmt.Errorf("metrics of %s: %w", name, err)
		}
		text, err := c.RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
		if err != nil {
			return nil, fmt.Errorf("metrics of %s: %w", name, err)
		}
		return parseCounters(text)
	}
	return requests{}, nil
}

// parseCounters reads Prometheus's text format.
func parseCounters(text []byte) (requests, error) {
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("metrics: %w", err)
	}
	r := requests{}
	for _, metric := range families["apiserver_request_total"].GetMetric() {
		labels := map[string]string{}
		for _, pair := range metric.GetLabel() {
			labels[pair.GetName()] = pair.GetValue()
		}
		verb, resource := labels["verb"], labels["resource"]
		if resource != "" && verb != "WATCH" && !slices.Contains(ownResources, resource) {
			what := verb + " " + resource
			if labels["code"] == strconv.Itoa(http.StatusTooManyRequests) {
				what += " (refused)"
			}
			r[what] += int(metric.GetCounter().GetValue())
		}
	}
	return r, nil
}

// since returns the requests after an earlier count.
func (r requests) since(before requests) requests {
	more := requests{}
	for what, n := range r {
		if n > before[what] {
			more[what] = n - before[what]
		}
	}
	return more
}

// changing returns the number of writes among them.
func (r requests) changing() int {
	sum := 0
	for what, n := range r {
		if verb, _, _ := strings.Cut(what, " "); slices.Contains(writes, verb) {
			sum += n
		}
	}
	return sum
}

// reading returns the number of reads among them.
func (r requests) reading() int {
	return r.total() - r.changing()
}

func (r requests) total() int {
	sum := 0
	for _, n := range r {
		sum += n
	}
	return sum
}

// withoutProbes leaves out what asks a member whether it is there and how many nodes it has: that happens every few
// seconds, whatever is reconciled.
func (r requests) withoutProbes() requests {
	rest := maps.Clone(r)
	delete(rest, "LIST nodes")
	return rest
}

// String is "3 GET deployments, 1 LIST nodes", or "none".
func (r requests) String() string {
	if len(r) == 0 {
		return "none"
	}
	var parts []string
	for _, what := range slices.Sorted(maps.Keys(r)) {
		parts = append(parts, fmt.Sprintf("%d %s", r[what], what))
	}
	return strings.Join(parts, ", ")
}
