package tenancy

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/phrase"
)

// The URLs of live clusters, which spec.sources allows as those of repositories. A Secret leads to the URL of its server.
const (
	clusterScheme = "cluster://"
	inClusterURL  = "incluster://"
)

// live returns the refusals of a live cluster as source. The credentials of a Cluster and of the controllers can read more than the
// Tenant may, so the source names namespaces of the Tenant. The credentials of a Secret are those of the Tenant.
func (r *Rules) live(s v1alpha1.Source) []Refusal {
	url := ""
	switch {
	case s.Cluster.Name != "":
		url = clusterScheme + s.Cluster.Name
	case s.Cluster.InCluster:
		url = inClusterURL
	default:
		return nil
	}
	var all []Refusal
	if x := r.refusesLive(s, url); x != nil {
		all = append(all, *x)
	}
	allowed := phrase.List(r.Tenant.Spec.Namespaces, maxNamed)
	const rule, fix = "spec.namespaces", "name only namespaces of the Tenant in cluster.namespaces of the source, or ask an administrator to add them to spec.namespaces"
	if len(s.Cluster.Namespaces) == 0 && !slices.Contains(r.Tenant.Spec.Namespaces, "*") {
		all = append(all, r.refuse(rule, sourceTitle(s), "it reads every namespace of the cluster, and the Tenant has "+allowed, fix))
	}
	for _, ns := range s.Cluster.Namespaces {
		if r.namespaces.match(ns) < 0 {
			all = append(all, r.refuse(rule, sourceTitle(s), fmt.Sprintf("it reads namespace %s, which matches none of spec.namespaces (%s)", ns, allowed), fix))
		}
	}
	return all
}

func sourceTitle(s v1alpha1.Source) string { return fmt.Sprintf("source %q", s.Name) }

func (r *Rules) refusesLive(s v1alpha1.Source, url string) *Refusal {
	if r == nil || r.refusesURL(url) == "" {
		return nil
	}
	x := r.refuse("spec.sources", sourceTitle(s), fmt.Sprintf("%s matches none of spec.sources (%s)", url, phrase.List(r.Tenant.Spec.Sources, maxNamed)),
		fmt.Sprintf("use another source, or ask an administrator to add %q to spec.sources of the Tenant", url))
	return &x
}

// ReadsCluster returns the refusal of a Cluster of the hub as source; nil if the Tenant may read it.
func (r *Rules) ReadsCluster(s v1alpha1.Source, c *v1alpha1.Cluster) error {
	if r == nil || r.selects(c.Labels) {
		return nil
	}
	return r.refuse("spec.clusters", sourceTitle(s), fmt.Sprintf("spec.clusters does not select Cluster %s", c.Name), "read another cluster, or ask an administrator to label the Cluster")
}

// ReadsServer returns the refusal of the server to which the Secret of a source leads; nil if the Tenant may read it.
func (r *Rules) ReadsServer(s v1alpha1.Source, server string) error {
	if x := r.refusesLive(s, server); x != nil {
		return *x
	}
	return nil
}

// ReadsKind returns the refusal of a kind that a live cluster is asked for; nil if the Tenant may read it.
func (r *Rules) ReadsKind(s v1alpha1.Source, kind schema.GroupKind, namespaced bool) error {
	if r == nil {
		return nil
	}
	text := kindText(kind)
	const fix = "remove it from cluster.kinds of the source, or ask an administrator to change the Tenant"
	switch glob := r.denied.match(kind); {
	case glob != "":
		return r.refuse(deniedRule, sourceTitle(s), fmt.Sprintf("it reads %s, which %q denies", text, glob), fix)
	case !namespaced && r.clusterScoped.match(kind) == "":
		return r.refuse("spec.kinds.clusterScoped", sourceTitle(s), fmt.Sprintf("it reads %s, which has no namespace and is not in spec.kinds.clusterScoped", text), fix)
	}
	return nil
}
