// Package join makes a cluster a member of a hub.
package join

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/propagate/permit"
)

// Options select the cluster, its hub and its traits.
type Options struct {
	Hub        hub.Flags
	Tree       load.Flags
	Kubeconfig string
	Context    string
	Traits     Traits
	PrintRBAC  bool
	// Admin binds accord to cluster-admin, in place of a ClusterRole with DefaultRights. Secrets and CRDs add those kinds to that role.
	Admin, Secrets, CRDs bool
	// Impersonate has the ServiceAccounts of Tenants that accord may impersonate, "namespace/name".
	Impersonate []string
	// Users and Groups of the hub may act on the cluster through the hub.
	Users, Groups []string
	// TokenLife is the life of the token, and of those with which accord renews it.
	TokenLife time.Duration
	// SecretsNamespace is the namespace of the credentials on the hub.
	SecretsNamespace string
	DryRun           bool
	AllowHub         bool
	// Replace gives the name of a Cluster to another cluster.
	Replace bool
	// Write is the file for the manifest of the Cluster, "-" for standard output; empty for none.
	Write string
}

func (f *Options) Run(ctx context.Context, out io.Writer, name, dir string) error {
	if wrong := validation.IsDNS1123Label(name); len(wrong) > 0 || len(name) > 48 {
		return fmt.Errorf("cluster name %q: expected at most 48 of a-z, 0-9 and \"-\", with a letter or digit at both ends", name)
	}
	if _, err := impersonations(f.Impersonate); err != nil {
		return err
	}
	if err := permit.CheckImpersonated(f.Users, f.Groups); err != nil {
		return err
	}
	if f.PrintRBAC {
		return f.printRights(ctx, out, name, dir)
	}
	if dir != "" || f.Tree.Repo != "" {
		return errors.New("DIR and --repo require --print-rbac")
	}
	switch {
	case f.Admin && (f.Secrets || f.CRDs):
		return errors.New("--admin is mutually exclusive with --secrets and --crds: it grants all rights")
	case f.TokenLife < clusters.MinTokenLife:
		return fmt.Errorf("--token-lifetime must be at least %s, got %s", clusters.MinTokenLife, f.TokenLife)
	}
	c, err := f.candidate()
	if err != nil {
		return err
	}
	f.Hub.Kubeconfig = cmp.Or(f.Hub.Path(), f.Kubeconfig)
	h, err := f.Hub.Connect()
	if err != nil {
		return err
	}
	hubID, err := f.identify(ctx, h, c)
	if err != nil {
		return err
	}
	if err := f.checkMembers(ctx, h, c, name); err != nil {
		return err
	}
	fmt.Fprintf(out, "cluster %s: %s\n", name, c.config.Host)
	fmt.Fprintf(out, "  found        %s\n", c.summary(ctx))
	if f.DryRun {
		_, err := fmt.Fprintf(out, "  dry run      nothing was changed; the hub is %s\n", h.Config.Host)
		return err
	}
	return f.join(ctx, out, name, hubID, h, c)
}

// join changes the cluster first and the hub last, so that the hub never has credentials that do not work.
func (f *Options) join(ctx context.Context, out io.Writer, name, hubID string, h *hub.Hub, c *candidate) error {
	role, err := c.makeIdentity(ctx, f)
	if err != nil {
		return err
	}
	t, err := c.requestToken(ctx, hubID, f.TokenLife)
	if err != nil {
		return err
	}
	rights, err := c.tryToken(ctx, t)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "  identity     ServiceAccount %s/%s, %s\n", hub.SystemNamespace, identityName, role)
	fmt.Fprintf(out, "  credentials  %s\n", t.validity())
	fmt.Fprintf(out, "  rights       %s\n", rights)
	if all := slices.Concat(f.Impersonate, f.Users, f.Groups); len(all) > 0 {
		fmt.Fprintf(out, "  impersonates %s\n", strings.Join(all, ", "))
	}
	made, err := f.enroll(ctx, h, name, c, t)
	if err != nil {
		return err
	}
	if err := c.dropOldTokens(ctx, hubID, t); err != nil {
		return err
	}
	fmt.Fprintf(out, "  on the hub   %s (%s)\n", made, h.Config.Host)
	if err := f.writeManifest(ctx, out, h, name); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "joined.  next: accord get clusters %s\n", name)
	return err
}

// candidate connects to the cluster.
func (f *Options) candidate() (*candidate, error) {
	hub.SetLogger(slog.New(slog.DiscardHandler))
	loader := hub.Loader(f.Kubeconfig, f.Context)
	cfg, err := hub.ClientConfig(loader)
	if err != nil {
		return nil, fmt.Errorf("finding the cluster: %w", err)
	}
	proxy, err := proxyURL(loader, f.Context)
	if err != nil {
		return nil, err
	}
	return newCandidate(cfg, proxy)
}

// identify reads the UID of the cluster, and returns an error if hub and cluster are the same or one cannot be reached. It returns
// the identifier of the hub.
func (f *Options) identify(ctx context.Context, h *hub.Hub, c *candidate) (hubID string, err error) {
	if err := h.List(ctx, &v1alpha1.ClusterList{}); err != nil {
		return "", h.Wrap("listing the clusters", err)
	}
	if hubID, err = identifier(ctx, h); err != nil {
		return "", err
	}
	if c.uid, err = clusterUID(ctx, c.config); err != nil {
		return "", fmt.Errorf("reaching the cluster: %w", err)
	}
	if hubID == cmp.Or(c.uid, c.config.Host) && !f.AllowHub {
		return "", fmt.Errorf("the cluster %s is the hub itself: select another cluster with --member-context or another hub with --kubeconfig, or set --allow-hub", c.config.Host)
	}
	return hubID, nil
}

// identifier returns the UID of the hub, or its address if the user may not read the UID.
func identifier(ctx context.Context, h *hub.Hub) (string, error) {
	uid, err := clusterUID(ctx, h.Config)
	if err != nil {
		return "", fmt.Errorf("reaching the hub: %w", err)
	}
	return cmp.Or(uid, h.Config.Host), nil
}
