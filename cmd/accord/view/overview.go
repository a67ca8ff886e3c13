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

// report is the status of a federation with the objects that it was made of.
type report struct {
	status     Status
	release    *v1alpha1.Release
	deliveries []v1alpha1.Delivery
}

// readReport reads the status of one federation from the hub.
func readReport(ctx context.Context, h *hub.Hub, fed *v1alpha1.Federation) (report, error) {
	rel, err := h.NewestRelease(ctx, fed)
	if err != nil {
		return report{}, err
	}
	deliveries := &v1alpha1.DeliveryList{}
	if err := h.List(ctx, deliveries, hub.ListOptions(fed)...); err != nil {
		return report{}, h.Wrap("listing the deliveries of "+fed.Name, err)
	}
	r := report{NewStatus(fed, rel, deliveries.Items), rel, deliveries.Items}
	r.status.title = h.Title(fed)
	return r, nil
}

// ReadStatus reads the status of one federation from the hub.
func ReadStatus(ctx context.Context, h *hub.Hub, fed *v1alpha1.Federation) (Status, error) {
	r, err := readReport(ctx, h, fed)
	return r.status, err
}

// DrawRollout writes the drawing of a rollout.
func DrawRollout(ctx context.Context, out io.Writer, h *hub.Hub, fed *v1alpha1.Federation, rollout string) error {
	r, err := readReport(ctx, h, fed)
	if err != nil {
		return err
	}
	return draw(out, r.release, r.deliveries, rollout, time.Now())
}

// WritePage writes the status of federations as an HTML page. Several federations get an index.
func WritePage(ctx context.Context, out io.Writer, h *hub.Hub, all []v1alpha1.Federation, o PageOptions) error {
	reports := make([]report, len(all))
	for i := range all {
		r, err := readReport(ctx, h, &all[i])
		if err != nil {
			return err
		}
		if o.Rollout != "" {
			if err := r.checkRollout(o.Rollout); err != nil {
				return err
			}
		}
		reports[i] = r
	}
	return writePage(out, reports, o, h.NoFederations(), time.Now())
}

// checkRollout returns an error if the federation has no rollout of that policy.
func (r report) checkRollout(policy string) error {
	if r.release == nil {
		return errNothingToDraw
	}
	_, err := findRollout(r.release, policy)
	return err
}

// StatusList is the status of several federations.
type StatusList struct {
	Federations []Status `json:"federations"`
}

// DocumentKind implements text.Document.
func (StatusList) DocumentKind() string { return "FederationStatusList" }

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
		return text.Encode(out, f, StatusList{reports})
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
