package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// drawRollout writes the picture of a rollout.
func drawRollout(ctx context.Context, out io.Writer, h *hub, fed *v1alpha1.Federation, rollout string, f format) error {
	rel, err := h.newestRelease(ctx, fed)
	if err != nil {
		return err
	}
	deliveries := &v1alpha1.DeliveryList{}
	if err := h.List(ctx, deliveries, of(fed)...); err != nil {
		return h.explain("listing the deliveries of "+fed.Name, err)
	}
	return draw(out, f, rel, deliveries.Items, rollout, time.Now())
}

// printOverview has one verdict line for each federation.
func printOverview(ctx context.Context, out io.Writer, h *hub, all []v1alpha1.Federation, f format) error {
	reports := []statusReport{}
	for i := range all {
		s, err := readStatus(ctx, h, &all[i])
		if err != nil {
			return err
		}
		reports = append(reports, s)
	}
	if f != asText {
		return encode(out, f, reports)
	}
	if len(all) == 0 {
		_, err := fmt.Fprintf(out, "no federations on %s\n", h.config.Host)
		return err
	}
	for _, s := range reports {
		if _, err := fmt.Fprintln(out, s.headline(time.Now())); err != nil {
			return err
		}
	}
	return nil
}
