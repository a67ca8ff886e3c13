package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// join changes the cluster first and the hub last, so that the hub never has credentials which do not work.
func (f *joinFlags) join(ctx context.Context, out io.Writer, name, hubID string, h *hub, c *candidate) error {
	role, err := c.makeIdentity(ctx)
	if err != nil {
		return err
	}
	t, err := c.makeToken(ctx, hubID)
	if err != nil {
		return err
	}
	rights, err := c.tryToken(ctx, t)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "  identity     ServiceAccount %s/%s, %s\n", accordNamespace, identityName, role)
	fmt.Fprintf(out, "  credentials  %s\n", t.validity())
	fmt.Fprintf(out, "  rights       %s\n", rights)
	made, err := h.enroll(ctx, name, c, t, f.traits)
	if err != nil {
		return err
	}
	if err := c.dropOldTokens(ctx, hubID, t); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "  on the hub   %s (%s)\njoined.  next: accord get clusters %s\n", made, h.config.Host, name)
	return err
}

// candidate connects to the cluster that is to join.
func (f *joinFlags) candidate() (*candidate, error) {
	shareLogger(slog.New(slog.DiscardHandler))
	loader := kubeconfigLoader(f.kubeconfig, f.context)
	cfg, err := clientConfig(loader)
	if err != nil {
		return nil, fmt.Errorf("finding the cluster: %w", err)
	}
	proxy, err := proxyURL(loader, f.context)
	if err != nil {
		return nil, err
	}
	return newCandidate(cfg, proxy)
}

// tellApart makes sure that hub and cluster can be talked to and are two, and returns what identifies the hub.
func (f *joinFlags) tellApart(ctx context.Context, h *hub, c *candidate) (string, error) {
	if err := h.List(ctx, &v1alpha1.ClusterList{}); err != nil {
		return "", h.explain("listing the clusters", err)
	}
	hubID, err := clusterID(ctx, h.config)
	if err != nil {
		return "", fmt.Errorf("reaching the hub: %w", err)
	}
	memberID, err := clusterID(ctx, c.config)
	if err != nil {
		return "", fmt.Errorf("reaching the cluster: %w", err)
	}
	if hubID == memberID && !f.allowHub {
		return "", fmt.Errorf("the cluster %s is the hub itself: name another one with --context, or another hub with --hub-kubeconfig; --allow-hub means it", c.config.Host)
	}
	return hubID, nil
}
