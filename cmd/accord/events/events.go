// Package events lists the events about a Federation: those of its records on the hub, and those of its objects on members.
package events

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/owned"
	"github.com/accord-dev/accord/cmd/accord/text"
)

// Options select the events.
type Options struct {
	Hub hub.Flags
	// Clusters are the members whose events are read, too.
	Clusters []string
	// Warnings leaves out normal events.
	Warnings bool
}

// Event is one event.
type Event struct {
	// Cluster is empty on the hub.
	Cluster string      `json:"cluster,omitempty"`
	Last    metav1.Time `json:"lastTimestamp"`
	Count   int32       `json:"count,omitempty"`
	Type    string      `json:"type"`
	Reason  string      `json:"reason"`
	Object  string      `json:"object"`
	Message string      `json:"message"`
}

// Read returns the events, the oldest first.
func Read(ctx context.Context, o Options, h *hub.Hub, fed *v1alpha1.Federation) ([]Event, error) {
	if err := h.CheckClusters(ctx, o.Clusters); err != nil {
		return nil, err
	}
	objects := &v1alpha1.FederatedObjectList{}
	if err := h.List(ctx, objects, hub.ListOptions(fed)...); err != nil {
		return nil, h.Wrap("listing the objects", err)
	}
	records, err := records(ctx, h, fed, objects)
	if err != nil {
		return nil, err
	}
	list := &corev1.EventList{}
	if err := h.List(ctx, list, client.InNamespace(fed.Namespace)); err != nil {
		return nil, h.Wrap("listing the events", err)
	}
	all := o.about(list.Items, records, "")
	for _, name := range o.Clusters {
		found, err := o.ofCluster(ctx, name, objects.Items)
		if err != nil {
			return nil, fmt.Errorf("reading the events of cluster %s: %w", name, err)
		}
		all = append(all, found...)
	}
	slices.SortStableFunc(all, func(a, b Event) int { return a.Last.Compare(b.Last.Time) })
	return all, nil
}

// records returns the objects of the hub that belong to the Federation.
func records(ctx context.Context, h *hub.Hub, fed *v1alpha1.Federation, objects *v1alpha1.FederatedObjectList) (map[manifest.ID]bool, error) {
	known := map[manifest.ID]bool{}
	add := func(kind, name string) {
		known[manifest.ID{Group: v1alpha1.GroupVersion.Group, Kind: kind, Namespace: fed.Namespace, Name: name}] = true
	}
	add("Federation", fed.Name)
	for i := range objects.Items {
		add("FederatedObject", objects.Items[i].Name)
	}
	releases, deliveries := &v1alpha1.ReleaseList{}, &v1alpha1.DeliveryList{}
	if err := h.List(ctx, releases, hub.ListOptions(fed)...); err != nil {
		return nil, h.Wrap("listing the releases", err)
	}
	if err := h.List(ctx, deliveries, hub.ListOptions(fed)...); err != nil {
		return nil, h.Wrap("listing the deliveries", err)
	}
	for i := range releases.Items {
		add("Release", releases.Items[i].Name)
	}
	for i := range deliveries.Items {
		add("Delivery", deliveries.Items[i].Name)
	}
	return known, nil
}

// ofCluster returns the events of the delivered objects of a cluster, and of those that controllers created for them.
func (o Options) ofCluster(ctx context.Context, name string, objects []v1alpha1.FederatedObject) ([]Event, error) {
	cfg, err := o.Hub.Getter("", hub.ProxyPath(name)).ToRESTConfig()
	if err != nil {
		return nil, err
	}
	cfg.Timeout = hub.RequestTimeout
	delivered, namespaces := deliveredTo(name, objects)
	family, err := owned.Read(ctx, cfg, namespaces)
	if err != nil {
		return nil, err
	}
	known := map[manifest.ID]bool{}
	for _, id := range delivered {
		addFamily(known, family, id)
	}
	return o.inNamespaces(ctx, cfg, name, namespaces, known)
}

func (o Options) inNamespaces(ctx context.Context, cfg *rest.Config, cluster string, namespaces []string, known map[manifest.ID]bool) ([]Event, error) {
	c, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return nil, err
	}
	var all []Event
	for _, ns := range namespaces {
		list, err := c.CoreV1().Events(ns).List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, err
		}
		all = append(all, o.about(list.Items, known, cluster)...)
	}
	return all, nil
}

// deliveredTo returns the objects that were decided for a cluster, and their namespaces.
func deliveredTo(cluster string, objects []v1alpha1.FederatedObject) (delivered []manifest.ID, namespaces []string) {
	for i := range objects {
		chosen := slices.ContainsFunc(objects[i].Spec.Results, func(r v1alpha1.Result) bool { return slices.Contains(r.Clusters, cluster) })
		id := objects[i].Spec.Template.ID()
		if !chosen {
			continue
		}
		delivered = append(delivered, id)
		if ns := id.Namespace; ns != "" && !slices.Contains(namespaces, ns) {
			namespaces = append(namespaces, ns)
		}
	}
	return delivered, namespaces
}

// addFamily adds an object and all that it owns.
func addFamily(known map[manifest.ID]bool, f *owned.Family, id manifest.ID) {
	known[id] = true
	for _, c := range f.Of(id) {
		addFamily(known, f, c.ID)
	}
}

// about returns the events about the known objects.
func (o Options) about(events []corev1.Event, known map[manifest.ID]bool, cluster string) []Event {
	var all []Event
	for i := range events {
		e := &events[i]
		about := e.InvolvedObject
		gk := schema.FromAPIVersionAndKind(about.APIVersion, about.Kind).GroupKind()
		id := manifest.ID{Group: gk.Group, Kind: gk.Kind, Namespace: about.Namespace, Name: about.Name}
		if !known[id] || o.Warnings && e.Type != corev1.EventTypeWarning {
			continue
		}
		all = append(all, Event{cluster, lastSeen(e), timesSeen(e), e.Type, e.Reason, id.Kind + " " + id.Name, e.Message})
	}
	return all
}

// lastSeen returns the time of the last event of a series. Newer clients set other fields than older ones.
func lastSeen(e *corev1.Event) metav1.Time {
	switch {
	case e.Series != nil:
		return metav1.Time{Time: e.Series.LastObservedTime.Time}
	case !e.LastTimestamp.IsZero():
		return e.LastTimestamp
	case !e.EventTime.IsZero():
		return metav1.Time{Time: e.EventTime.Time}
	}
	return e.CreationTimestamp
}

func timesSeen(e *corev1.Event) int32 {
	if e.Series != nil {
		return e.Series.Count
	}
	return cmp.Or(e.Count, 1)
}

// Write writes a table of events.
func Write(out io.Writer, events []Event, now time.Time) error {
	if len(events) == 0 {
		_, err := fmt.Fprintln(out, "no events: the API server keeps them for an hour by default")
		return err
	}
	rows := [][]string{{"LAST-SEEN", "CLUSTER", "TYPE", "REASON", "OBJECT", "MESSAGE"}}
	for _, e := range events {
		message := strings.TrimSpace(e.Message)
		if e.Count > 1 {
			message += fmt.Sprintf(" (%d times)", e.Count)
		}
		rows = append(rows, []string{text.Age(&e.Last, now), cmp.Or(e.Cluster, "Hub"), e.Type, e.Reason, e.Object, message})
	}
	return text.Table(out, "", rows)
}
