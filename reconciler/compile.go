package reconciler

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/render"
	"github.com/accord-dev/accord/source"
)

// pruneTrailer lifts the prune brake for the commit whose message has it.
const pruneTrailer = "Accord-Prune: allow"

// checkout is one state of all sources of a federation.
type checkout struct {
	sources   []v1alpha1.Source
	snapshots []source.Snapshot // in the order of sources
}

// fetch reads every source. One that cannot be read fails the whole: what is missing is never read as empty.
func fetch(ctx context.Context, cache *source.Cache, fed *v1alpha1.Federation, secret func(ctx context.Context, name string) (map[string][]byte, error)) (checkout, error) {
	c := checkout{sources: fed.Spec.Sources}
	for _, s := range c.sources {
		o := source.Options{URL: s.URL, Timeout: s.Timeout.Duration}
		if s.Ref != nil {
			o.Ref = source.Ref{Branch: s.Ref.Branch, Tag: s.Ref.Tag, SemVer: s.Ref.SemVer, Commit: s.Ref.Commit}
		}
		if s.SecretRef != nil {
			data, err := secret(ctx, s.SecretRef.Name)
			if err != nil {
				return checkout{}, fmt.Errorf("source %q: secret %q: %w", s.Name, s.SecretRef.Name, err)
			}
			o.Auth = authOf(data)
		}
		snap, err := cache.Fetch(ctx, o)
		if err != nil {
			return checkout{}, fmt.Errorf("source %q: %w", s.Name, err)
		}
		c.snapshots = append(c.snapshots, snap)
	}
	return c, nil
}

// authOf reads the keys that Flux users know from their Git secrets.
func authOf(data map[string][]byte) *source.Auth {
	return &source.Auth{
		Username: string(data["username"]), Password: string(data["password"]), BearerToken: string(data["bearerToken"]),
		CA: data["ca.crt"], Identity: data["identity"], IdentityPassphrase: string(data["password"]), KnownHosts: data["known_hosts"],
	}
}

// revision is the one revision of a single source, or the digest of several.
func (c checkout) revision() string {
	if len(c.snapshots) == 1 {
		return c.snapshots[0].Revision
	}
	h := sha256.New()
	for i, s := range c.snapshots {
		fmt.Fprintf(h, "%s %s\n", c.sources[i].Name, s.Commit)
	}
	return fmt.Sprintf("multi@sha256:%x", h.Sum(nil))
}

// short is the first twelve digits of the revision, which a Release is named by.
func (c checkout) short() string {
	_, hash, _ := strings.Cut(c.revision()[strings.LastIndexByte(c.revision(), '@')+1:], ":")
	return hash[:12]
}

// trees identifies the content of all sources: the same trees need no second compilation.
func (c checkout) trees() string {
	var b strings.Builder
	for i, s := range c.snapshots {
		fmt.Fprintf(&b, "%s %s %s\n", c.sources[i].Name, c.sources[i].Path, s.Tree)
	}
	return b.String()
}

// newest is the snapshot that was committed last: the one a multi-source Release is described by.
func (c checkout) newest() source.Snapshot {
	newest := c.snapshots[0]
	for _, s := range c.snapshots[1:] {
		if s.Time.After(newest.Time) {
			newest = s
		}
	}
	return newest
}

// allowsPrune says whether a commit carries the trailer that lifts the prune brake.
func (c checkout) allowsPrune() bool {
	for _, s := range c.snapshots {
		for line := range strings.Lines(s.Message) {
			if strings.TrimSpace(line) == pruneTrailer {
				return true
			}
		}
	}
	return false
}

// parts is what the sources contain; before is what is remembered of them, nil for nothing.
func (c checkout) parts(before *builds) (propagate.Parts, error) {
	var objects []render.Object
	var errs []error
	for i, s := range c.sources {
		name := s.Name
		if len(c.sources) == 1 {
			name = ""
		}
		built, err := before.build(c, i, render.Options{Source: name, Dir: s.Path})
		objects = append(objects, built...)
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return propagate.Parts{}, err
	}
	return propagate.Sort(objects)
}

// input is all that the plan depends on.
func (c checkout) input(fed *v1alpha1.Federation, parts propagate.Parts, members []v1alpha1.Cluster, previous []propagate.Previous) propagate.Input {
	in := parts.Input().WithFederation(fed)
	in.Revision, in.Fleet = c.revision(), fleetOf(members, parts.Origins)
	in.Previous, in.Now = previous, time.Now()
	return in
}

// release is the Release of this checkout, without a plan yet.
func (c checkout) release(fed *v1alpha1.Federation) *v1alpha1.Release {
	newest := c.newest()
	r := &v1alpha1.Release{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: fed.Namespace, Name: fed.Name + "-" + c.short(),
			Labels: map[string]string{v1alpha1.FederationLabel: fed.Name},
		},
		Spec: v1alpha1.ReleaseSpec{
			Federation: fed.Name, Revision: c.revision(),
			Author: newest.Author, Subject: newest.Subject,
			CommittedAt: &metav1.Time{Time: newest.Time.Truncate(time.Second).UTC()},
		},
	}
	for i, s := range c.snapshots {
		r.Labels[v1alpha1.RevisionLabelPrefix+c.sources[i].Name] = s.Commit
		r.Spec.Sources = append(r.Spec.Sources, v1alpha1.SourceRevision{Name: c.sources[i].Name, Revision: s.Revision})
	}
	return r
}

// fleetOf is the clusters as the planner sees them; origins has those that Git declares.
func fleetOf(members []v1alpha1.Cluster, origins map[string]manifest.Origin) []fleet.Cluster {
	values := make([]fleet.Cluster, len(members))
	for i, m := range members {
		values[i] = fleet.From(m, origins[m.Name])
	}
	return values
}
