package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// namedLeft is how many objects of a cluster that left are named in a line; the hub has ten.
const namedLeft = 3

// leftLine is "eu-1 left 3m ago and keeps 12 objects: ConfigMap shop/web, Service shop/web, apps/Deployment shop/web and 9 more
// (it did not answer, and was last heard 2h ago)".
func leftLine(c v1alpha1.LeftCluster, now time.Time) string {
	named := c.Named[:min(len(c.Named), namedLeft)]
	line := fmt.Sprintf("%s left %s ago and keeps %s%s", c.Cluster, age(&c.Since, now), count(int(c.Objects), "object"), prefixed(": ", strings.Join(named, ", ")))
	if more := int(c.Objects) - len(named); more > 0 && len(named) > 0 {
		line += fmt.Sprintf(" and %d more", more)
	}
	switch {
	case c.Reachable:
		return line
	case c.LastHeardAt == nil:
		return line + " (it never answered)"
	}
	return line + " (it did not answer, and was last heard " + age(c.LastHeardAt, now) + " ago)"
}

// leftLines are the clusters that left, the newest first, and how many did before those.
func leftLines(left []v1alpha1.LeftCluster, omitted int32, now time.Time) []string {
	var lines []string
	for _, c := range left {
		lines = append(lines, leftLine(c, now))
	}
	if omitted > 0 {
		lines = append(lines, fmt.Sprintf("and %s that left before", count(int(omitted), "cluster")))
	}
	return lines
}

// left prints below a table of federations what stays on clusters that left them.
func (f *getFlags) left(ctx context.Context, out io.Writer, h *hub, l listing, name string) error {
	body, err := h.fetch(ctx, l, name, "application/json")
	if err != nil {
		return err
	}
	list := v1alpha1.FederationList{}
	if name == "" {
		err = json.Unmarshal(body, &list)
	} else {
		list.Items = make([]v1alpha1.Federation, 1)
		err = json.Unmarshal(body, &list.Items[0])
	}
	if err != nil {
		return fmt.Errorf("reading the answer of the hub: %w", err)
	}
	now := time.Now()
	for _, fed := range list.Items {
		for _, line := range leftLines(fed.Status.Left, fed.Status.LeftOmitted, now) {
			if _, err := fmt.Fprintf(out, "%s: %s\n", fed.Name, line); err != nil {
				return err
			}
		}
	}
	return nil
}

// staying are the clusters without those that are being removed: those have left the fleet, as the controllers see it.
func staying(clusters []v1alpha1.Cluster) []v1alpha1.Cluster {
	return slices.DeleteFunc(slices.Clone(clusters), func(c v1alpha1.Cluster) bool { return c.DeletionTimestamp != nil })
}

// leavingNote says on what a Cluster waits that is being deleted.
func leavingNote(c *v1alpha1.Cluster) string {
	if slices.Contains(c.Finalizers, v1alpha1.LeftBehindFinalizer) {
		return "goes when accord wrote down what stays there: a minute at most, if it runs"
	}
	return join(" ", "kept by", strings.Join(c.Finalizers, ", "))
}
