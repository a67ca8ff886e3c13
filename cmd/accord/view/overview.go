package view

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/text"
)

// DrawRollout writes the drawing of a rollout.
func DrawRollout(ctx context.Context, out io.Writer, h *hub.Hub, fed *v1alpha1.Federation, rollout string, f text.Format) error {
	rel, err := h.NewestRelease(ctx, fed)
	if err != nil {
		return err
	}
	deliveries := &v1alpha1.DeliveryList{}
	if err := h.List(ctx, deliveries, hub.ListOptions(fed)...); err != nil {
		return h.Wrap("listing the deliveries of "+fed.Name, err)
	}
	return draw(out, f, rel, deliveries.Items, rollout, time.Now())
}

// PrintOverview writes one verdict line for each federation.
func PrintOverview(ctx context.Context, out io.Writer, h *hub.Hub, all []v1alpha1.Federation, f text.Format) error {
	reports := []Status{}
	for i := range all {
		s, err := ReadStatus(ctx, h, &all[i])
		if err != nil {
			return err
		}
		reports = append(reports, s)
	}
	if f != text.AsText {
		return text.Encode(out, f, reports)
	}
	if len(all) == 0 {
		_, err := fmt.Fprintln(out, h.NoFederations())
		return err
	}
	for _, s := range reports {
		if _, err := fmt.Fprintln(out, s.Headline(time.Now())); err != nil {
			return err
		}
	}
	return nil
}
