package recovery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/cmd/accord/gitrepo"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/recovery"
)

// siteTimeout is the time in which a cluster must answer a first request to count as reachable.
const siteTimeout = 5 * time.Second

// ways selects the Federation, and the credentials of the two clusters.
type ways struct {
	facts               load.Flags
	production, standby string // contexts
}

func (w *ways) register(flags *pflag.FlagSet) {
	flags.StringVarP(&w.facts.FederationName, "federation", "f", "", "name of the Federation on the hub (default the only one)")
	flags.StringVar(&w.production, "production-context", "", "context of your kubeconfig for production (default the credentials of the hub)")
	flags.StringVar(&w.standby, "standby-context", "", "context of your kubeconfig for the standby (default the credentials of the hub)")
}

// scene is a RecoveryPlan in the work tree, with its Federation and Clusters on the hub.
type scene struct {
	*ways
	dir      string
	repo     *gitrepo.Repository
	file     gitrepo.ManifestFile
	plan     policy.RecoverySpec
	live     *load.LiveHub
	clusters []v1alpha1.Cluster
	source   v1alpha1.Source
}

// open finds the RecoveryPlan of a name, or the only one, and reads the hub.
func (w *ways) open(ctx context.Context, to *hub.Flags, dir, name string) (*scene, error) {
	s := &scene{ways: w, dir: dir}
	var err error
	s.repo, s.file, err = gitrepo.FindManifest(dir, named(name))
	if err != nil {
		return nil, err
	}
	field := func(name string) string { v, _ := s.file.Get("spec", name); return v }
	s.plan = policy.RecoverySpec{Source: field("source"), Standby: field("standby"), Active: cmp.Or(field("active"), policy.ProductionSite), Revision: field("revision")}
	if s.live, err = w.facts.ConnectHub(ctx, to, false); err != nil {
		return nil, err
	} else if s.live == nil {
		return nil, fmt.Errorf("a switch needs the hub: name it with --kubeconfig or $%s", hub.KubeconfigEnv)
	} else if err := s.live.Err; err != nil {
		return nil, err
	}
	at := slices.IndexFunc(s.live.Federation.Spec.Sources, func(x v1alpha1.Source) bool { return x.Name == s.plan.Source && x.Cluster != nil })
	if at < 0 {
		return nil, fmt.Errorf("%s (%s): spec.source is %q, which is no live cluster of Federation %s/%s", s.file.Title(), s.file.Place(), s.plan.Source, s.live.Federation.Namespace, s.live.Federation.Name)
	}
	s.source = s.live.Federation.Spec.Sources[at]
	snapshot, err := load.ClustersOf(ctx, s.live.Hub)
	if err != nil {
		return nil, err
	}
	s.clusters = snapshot.Clusters
	w.facts.Live = &load.Live{Dial: func(ctx context.Context, x v1alpha1.Source) (*rest.Config, string, error) {
		cfg, err := s.config(ctx, w.production, x.Cluster.Name)
		return cfg, cmp.Or(x.Cluster.Name, x.Name), err
	}}
	return s, nil
}

// named selects a RecoveryPlan.
func named(name string) gitrepo.Selector {
	return gitrepo.Selector{Noun: "RecoveryPlan", Name: name, Kinds: map[string][]string{policy.RolloutGroup: {"RecoveryPlan"}}}
}

// Names returns the names of the RecoveryPlans in the work tree; none if it cannot be read.
func Names() []string {
	names, _ := gitrepo.ManifestNames(named(""))
	return names
}

// config returns the way to a cluster: a context of the user, or the credentials of the hub.
func (s *scene) config(ctx context.Context, context, cluster string) (*rest.Config, error) {
	if context != "" {
		return hub.ClientConfig(hub.Loader("", context))
	}
	at := slices.IndexFunc(s.clusters, func(c v1alpha1.Cluster) bool { return c.Name == cluster })
	if at < 0 {
		return nil, errors.New("it has not joined the hub: name a context of your kubeconfig with --production-context or --standby-context")
	}
	return s.live.MemberConfig(ctx, &s.clusters[at])
}

// site connects to production or the standby, and reports as an error that it does not answer.
func (s *scene) site(ctx context.Context, of string) (*clusters.Member, error) {
	name, context := cmp.Or(s.source.Cluster.Name, s.source.Name), s.production
	if of == policy.StandbySite {
		name, context = s.plan.Standby, s.standby
	}
	cfg, err := s.config(ctx, context, name)
	if err != nil {
		return nil, fmt.Errorf("cluster %s: %w", name, err)
	}
	m, err := clusters.Connect(cfg, name)
	if err != nil {
		return nil, err
	}
	if err := answers(ctx, m); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

// answers returns an error unless a cluster answers within siteTimeout.
func answers(ctx context.Context, m *clusters.Member) error {
	ctx, cancel := context.WithTimeoutCause(ctx, siteTimeout, fmt.Errorf("no answer within %s", siteTimeout))
	defer cancel()
	err := clusters.Ping(ctx, m)
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("cluster %s: %w", m.Name, context.Cause(ctx))
	}
	return err
}

// tree reads the manifests of the work tree and the objects of production as they are now.
func (s *scene) tree(ctx context.Context) (*load.PlannedTree, error) {
	return s.facts.Plan(ctx, s.dir, s.live)
}

// as returns the plan of the standby with another active site.
func (s *scene) as(t *load.PlannedTree, active string) (*propagate.Plan, error) {
	in := t.Input
	in.Recoveries = recovery.With(in.Recoveries, s.file.Name, active)
	return propagate.New(in)
}

// switched returns the plan in which the standby is active, with the objects of production as they are now.
func (s *scene) switched(ctx context.Context) (*propagate.Plan, error) {
	t, err := s.tree(ctx)
	if err != nil {
		return nil, err
	}
	return s.as(t, policy.StandbySite)
}

// reached returns the revision of production that the standby has, and the Release that brought it; empty without one.
func (s *scene) reached(ctx context.Context) (revision string, release *v1alpha1.Release, delivery *v1alpha1.Delivery, err error) {
	k, err := s.live.Snapshot(ctx)
	if err != nil {
		return "", nil, nil, err
	}
	at := slices.IndexFunc(k.Deliveries, func(d v1alpha1.Delivery) bool { return d.Spec.Cluster == s.plan.Standby })
	if at < 0 {
		return "", nil, nil, fmt.Errorf("the Federation delivers nothing to %s", s.plan.Standby)
	}
	delivery = &k.Deliveries[at]
	for i := range k.Releases {
		if k.Releases[i].Spec.Revision == delivery.Status.LastAppliedRevision {
			release = &k.Releases[i]
		}
	}
	if release == nil {
		return "", nil, delivery, nil
	}
	for _, x := range release.Spec.Sources {
		if x.Name == s.plan.Source {
			revision = x.Revision
		}
	}
	return revision, release, delivery, nil
}
