package drain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/exit"
	"github.com/accord-dev/accord/cmd/accord/hub"
)

// Cordon waits until the controllers have seen that a cluster is unschedulable. It waits for no object, because none leaves.
type Cordon struct {
	Hub     *hub.Hub
	Cluster string
	Timeout time.Duration
}

// Run prints a line when the controllers have seen the taint. The error has exit code 3 after the timeout.
func (c *Cordon) Run(ctx context.Context, out io.Writer) error {
	deadline := time.Now().Add(c.Timeout)
	for {
		cluster := &v1alpha1.Cluster{}
		err := c.Hub.Get(ctx, client.ObjectKey{Name: c.Cluster}, cluster)
		if err != nil && !hub.Transient(err) {
			return c.Hub.Wrap("reading cluster "+c.Cluster, err)
		}
		missing := missing(cluster)
		late := !time.Now().Before(deadline)
		switch {
		case err == nil && missing == "":
			_, err := fmt.Fprintf(out, "%s  %s: unschedulable; the objects there stay\n", time.Now().Format(time.TimeOnly), c.Cluster)
			return err
		case err != nil && late:
			return c.Hub.Wrap("reading cluster "+c.Cluster, err)
		case late:
			return &exit.Error{Code: 3, Err: fmt.Errorf("cluster %s: %s after %s; \"accord cordon %s\" waits for it again", c.Cluster, missing, c.Timeout, c.Cluster)}
		}
		select {
		case <-time.After(min(shortestInterval, max(0, time.Until(deadline)))):
		case <-ctx.Done():
			return errors.New("interrupted; \"accord cordon " + c.Cluster + "\" waits again")
		}
	}
}

// missing returns the reason why plans may still choose a cluster; empty for none. Controllers that have written the generation of the
// Cluster have it in their cache, which every plan reads.
func missing(c *v1alpha1.Cluster) string {
	switch {
	case !slices.ContainsFunc(c.Spec.Taints, func(t corev1.Taint) bool {
		return t.Key == v1alpha1.TaintUnschedulable && t.Effect == corev1.TaintEffectNoSchedule
	}):
		return "the hub does not have the taint " + v1alpha1.TaintUnschedulable
	case c.Status.ObservedGeneration < c.Generation:
		return "the controllers have not seen the taint " + v1alpha1.TaintUnschedulable
	}
	return ""
}
