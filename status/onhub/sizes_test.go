package onhub

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/status"
	"github.com/accord-dev/accord/status/kind"
)

const (
	fleet = 1000 // clusters, and objects on one
	bound = 64 << 10
)

var now = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// messages are long ones. Angle brackets and control characters take six bytes each where they are stored.
var messages = map[string]string{
	"plain":    strings.Repeat("admission webhook denied the request. ", 300),
	"quoted":   strings.Repeat("\"no\" & <nil>\x01\n", 800),
	"accented": strings.Repeat("\u00fcber\u2028", 2000),
	"broken":   strings.Repeat("caf\xe9 ", 2000),
}

// bad are the states of a fleet in which nothing is well.
var bad = map[string]func(c *status.Cell, message string){
	"refused":        func(c *status.Cell, m string) { c.Error = m },
	"not renderable": func(c *status.Cell, m string) { c.Want, c.Error = "", m },
	"unreachable":    func(c *status.Cell, m string) { c.Unreachable = m },
	"held":           func(c *status.Cell, m string) { c.Held = m },
	"unhealthy": func(c *status.Cell, m string) {
		c.Report = &status.Report{Digest: "new", Health: kind.Failed, Message: m, Status: status.Reflect(map[string]any{
			"replicas": int64(1), "conditions": []any{map[string]any{"type": "Available", "status": "False", "reason": "Bad", "message": m}},
			"loadBalancer": map[string]any{"ingress": []any{map[string]any{"hostname": c.Cluster + ".example.com"}}},
		})}
	},
}

// matrix are the cells of one object on all clusters, or of all objects on one, all in one state.
func matrix(state, message string, byCluster bool) []status.Cell {
	var cells []status.Cell
	for i := range fleet {
		c := status.Cell{Cluster: "east", Object: object("Deployment"), Want: "new"}
		if byCluster {
			c.Cluster = longName("c", i, 48)
		} else {
			c.Object.Name = longName("web", i, 63)
		}
		bad[state](&c, message)
		cells = append(cells, c)
	}
	return cells
}

func object(kind string) manifest.ID {
	group := map[string]string{"Deployment": "apps"}[kind]
	return manifest.ID{Group: group, Kind: kind, Namespace: strings.Repeat("n", 63), Name: "web"}
}

// longName is as long as it may be.
func longName(prefix string, i, length int) string {
	return fmt.Sprintf("%s%0*d", prefix, length-len(prefix), i)
}

// acceptsLargeFleets: at most 64 KiB, at most ten listed, the number left out is right, and the API server takes it as it is.
func (h *hub) acceptsLargeFleets(t *testing.T) {
	objects := map[string]*unstructured.Unstructured{}
	for kind := range specs {
		objects[kind] = h.create(t, kind, "large", nil)
	}
	largest := map[string]int{}
	for text, message := range messages {
		for _, s := range fleets(message) {
			u := objects[s.kind]
			about := fmt.Sprintf("%s, %s, message %s", s.kind, s.about, text)
			raw, err := json.Marshal(s.status)
			require.NoError(t, err)
			require.LessOrEqual(t, len(raw), bound, about)
			largest[s.kind] = max(largest[s.kind], len(raw))
			require.LessOrEqual(t, s.listed, 10, about)
			require.Equal(t, s.missing, s.listed+int(s.omitted), "%s: what is listed and what is left out is all there is", about)
			h.takes(t, u, s.status, about)
		}
	}
	t.Log("bytes at most:", largest)
}

// takes says that the API server stores a status as it is.
func (h *hub) takes(t *testing.T, u *unstructured.Unstructured, status any, about string) {
	t.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(status)
	require.NoError(t, err)
	h.report(t, u, content)
	require.NoError(t, h.Get(t.Context(), client.ObjectKeyFromObject(u), u))
	require.Equal(t, content, u.Object["status"], about)
}

// large is a status of a large fleet: how many items are not well, how many of them it lists and how many it left out.
type large struct {
	kind, about     string
	status          any
	missing, listed int
	omitted         int32
}

func fleets(message string) []large {
	var all []large
	for state := range bad {
		cells := matrix(state, message, true)
		for _, gk := range []schema.GroupKind{{Group: "apps", Kind: "Deployment"}, {Kind: "Service"}, {Group: "batch", Kind: "Job"}, {Kind: "ConfigMap"}} {
			o := status.Object(v1alpha1.FederatedObjectStatus{}, 1, kind.Of(gk), "", cells, now)
			all = append(all, large{"FederatedObject", gk.Kind + " " + state, &o, fleet, len(o.Clusters), o.Omitted})
		}
		d := status.Delivery(v1alpha1.DeliveryStatus{}, 1, "main@sha1:4f2c", runOf(state, message), status.CountCells(matrix(state, message, false)), now)
		all = append(all, large{"Delivery", state, &d, fleet, len(d.Problems), d.Omitted})
		var legs []status.DeliveryState
		for i := range fleet {
			legs = append(legs, status.NewDeliveryState(longName("c", i, 48), 1, d))
		}
		r := status.Release(v1alpha1.ReleaseStatus{}, 1, status.ReleaseInput{
			Objects: fleet, Deliveries: legs, Warnings: many(message), Unplaced: many(message), Retained: many(message),
		}, now)
		all = append(all, large{"Release", state, &r, fleet, len(r.NotReadyClusters), r.Omitted})
		f := status.Federation(v1alpha1.FederationStatus{RemovedClusters: left(), RemovedClustersOmitted: 3}, 1, status.FederationInput{Release: "prod-a", Revision: "main@sha1:4f2c", Newest: r}, now)
		all = append(all, large{kind: "Federation", about: state, status: &f})
	}
	broken := status.Release(v1alpha1.ReleaseStatus{}, 1, status.ReleaseInput{Errors: many(message), Warnings: many(message)}, now)
	unread := status.Federation(v1alpha1.FederationStatus{}, 1, status.FederationInput{FetchError: errors.New(message)}, now)
	lost := status.Cluster(v1alpha1.ClusterStatus{LastProbeTime: &metav1.Time{Time: now}}, 1, status.Probe{Err: errors.New(message)}, now)
	return append(all,
		large{"Release", "broken", &broken, fleet, len(broken.Errors), broken.ErrorsOmitted},
		large{kind: "Federation", about: "unread", status: &unread}, large{kind: "Cluster", about: "lost", status: &lost})
}

// left are as many clusters that left as are kept, with names as long as they may be.
func left() []v1alpha1.RemovedCluster {
	inventory := make([]string, fleet)
	for i := range inventory {
		inventory[i] = strings.Repeat("n", 63) + "_" + longName("o", i, 253) + "_" + strings.Repeat("g", 253) + "_" + strings.Repeat("K", 63)
	}
	var l status.RemovedClusters
	for i := range fleet {
		l, _ = l.Add(status.Removal{Cluster: longName("c", i, 48), Inventory: inventory, DeletedAt: now, LastProbeTime: &metav1.Time{Time: now}}, now)
	}
	return l.Clusters
}

// runOf is a delivery in which nothing is well either.
func runOf(state, message string) status.Run {
	if state == "unreachable" {
		return status.Run{Unreachable: message, InventoryCount: fleet}
	}
	return status.Run{Started: true, Finished: true, Error: message, Drift: many(message), InventoryCount: fleet}
}

func many(message string) []string {
	list := make([]string, fleet)
	for i := range list {
		list[i] = fmt.Sprint(i, " ", message)
	}
	return list
}
