package sync

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/internal/compact"
	"github.com/accord-dev/accord/internal/egress"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/decode"
	"github.com/accord-dev/accord/propagate/previous"
	"github.com/accord-dev/accord/propagate/tenancy"
	"github.com/accord-dev/accord/reconciler/livecluster"
	"github.com/accord-dev/accord/reconciler/state/inputkey"
	"github.com/accord-dev/accord/render"
	"github.com/accord-dev/accord/source"
	"github.com/accord-dev/accord/source/verify"
	"github.com/accord-dev/accord/status"
)

// Checkout is one state of all sources of a Federation.
type Checkout struct {
	sources []v1alpha1.Source
	// declaresFederations is spec.declareFederations.
	declaresFederations bool
	snapshots           []source.Snapshot // in the order of sources
	// unchanged names the sources with the commit of the revision that was active before: their trailers do not count.
	unchanged map[string]bool
	// signers are those of the verified sources, by source.
	signers map[string][]verify.Signer
	// again is the time after which the repositories are to be read again; 0 if they were read for the checkout.
	again time.Duration
	// unread is the reason why the snapshot of a live cluster is the last one, which may be old; nil if all are the newest.
	unread error
	// partial is set if sources are not all sources of the Federation.
	partial bool
}

// Sources reads the sources of Federations.
type Sources struct {
	Git *source.Cache
	// Live reads live clusters; nil: none can be read.
	Live *livecluster.Readers

	// recent are the commits that are used again while live clusters change; nil reads repositories every time.
	recent *recentReads
	// known are the commits that are used again, by source.
	known map[string]source.Snapshot
	// plans are the RecoveryPlans of the Federations; nil: no live cluster is pinned. build is that of one reconciliation.
	plans *recoveries
	build buildPlans
}

// Fetch reads every source, and verifies its signatures. If one cannot be read, Fetch fails: a missing source is never read as empty.
func Fetch(ctx context.Context, sources Sources, fed *v1alpha1.Federation, rules *tenancy.Rules, secret secrets) (Checkout, error) {
	now := time.Now()
	known, again := sources.recent.commits(fed, rules, now)
	sources.known = known
	c, err := fetch(ctx, sources, fed, rules, secret, false)
	if err != nil {
		return Checkout{}, err
	}
	if c.again = again; known == nil {
		sources.recent.keep(fed, rules, c, now)
	}
	c.signers, err = c.verify(ctx, secret, now)
	return c, err
}

// secrets reads the Secret of a source by its name.
type secrets func(ctx context.Context, name string) (map[string][]byte, error)

// fetch reads every source; offline, from the clones on disk. A recorded revision was verified when it was fetched first.
func fetch(ctx context.Context, sources Sources, fed *v1alpha1.Federation, rules *tenancy.Rules, secret secrets, offline bool) (Checkout, error) {
	networks, err := egress.ParseNetworks(rules.Networks())
	if err != nil {
		return Checkout{}, fmt.Errorf("spec.networks of Tenant %s: %w", rules.Tenant.Name, err)
	}
	repositories := map[string]source.Snapshot{}
	for _, s := range fed.Spec.Sources {
		if s.Cluster != nil {
			continue
		}
		snap, known := sources.known[s.Name]
		if !known {
			if snap, err = sources.git(ctx, s, networks, secret, offline); err != nil {
				return Checkout{}, fmt.Errorf("source %q: %w", s.Name, err)
			}
		}
		repositories[s.Name] = snap
	}
	pins, err := sources.pins(ctx, fed, repositories)
	if err != nil {
		return Checkout{}, err
	}
	c := Checkout{sources: fed.Spec.Sources, declaresFederations: fed.Spec.DeclareFederations}
	for _, s := range c.sources {
		snap := repositories[s.Name]
		if s.Cluster != nil {
			if revision := pins[s.Name]; s.Ref == nil && revision != "" {
				s.Ref = &v1alpha1.Ref{Commit: revision} // see live
			}
			r, err := sources.live(ctx, fed, s, rules, offline)
			if err != nil {
				return Checkout{}, fmt.Errorf("source %q: %w", s.Name, err)
			}
			if snap = r.Snapshot; r.Unread != nil {
				c.unread = errors.Join(c.unread, &status.UnreadError{Err: fmt.Errorf("source %q: %w", s.Name, r.Unread)})
			}
		}
		c.snapshots = append(c.snapshots, snap)
	}
	return c, nil
}

// git reads a repository.
func (x Sources) git(ctx context.Context, s v1alpha1.Source, networks egress.Networks, secret secrets, offline bool) (source.Snapshot, error) {
	o := source.Options{URL: s.URL, Insecure: s.Insecure, Networks: networks, Timeout: s.FetchTimeout(), Offline: offline}
	if s.Ref != nil {
		o.Ref = source.Ref{Branch: s.Ref.Branch, Tag: s.Ref.Tag, SemVer: s.Ref.SemVer, Commit: s.Ref.Commit}
	}
	if s.SecretRef != nil && !offline {
		data, err := secret(ctx, s.SecretRef.Name)
		if err != nil {
			return source.Snapshot{}, fmt.Errorf("secret %q: %w", s.SecretRef.Name, err)
		}
		o.Auth = authOf(data)
	}
	return x.Git.Fetch(ctx, o)
}

// authOf reads the keys of Flux's Git Secrets.
func authOf(data map[string][]byte) *source.Auth {
	return &source.Auth{
		Username: string(data["username"]), Password: string(data["password"]), BearerToken: string(data["bearerToken"]),
		CA: data["ca.crt"], Identity: data["identity"], IdentityPassphrase: string(data["password"]), KnownHosts: data["known_hosts"],
	}
}

// Revision returns the revision of a single source, or the digest of several.
func (c Checkout) Revision() string {
	if len(c.snapshots) == 1 {
		return c.snapshots[0].Revision
	}
	h := sha256.New()
	for i, s := range c.snapshots {
		fmt.Fprintf(h, "%s %s\n", c.sources[i].Name, s.Commit)
	}
	return fmt.Sprintf("multi@sha256:%x", h.Sum(nil))
}

// short returns the first twelve digits of the revision, which name a Release.
func (c Checkout) short() string {
	_, hash, _ := strings.Cut(c.Revision()[strings.LastIndexByte(c.Revision(), '@')+1:], ":")
	return hash[:12]
}

// trees identifies the content of all sources: the same trees need no second compilation.
func (c Checkout) trees() string {
	var b strings.Builder
	for i, s := range c.snapshots {
		fmt.Fprintf(&b, "%s %s %s\n", c.sources[i].Name, c.sources[i].Path, s.Tree)
	}
	return b.String()
}

// newest returns the snapshot that was committed last. It describes the Release of several sources.
func (c Checkout) newest() source.Snapshot {
	newest := c.snapshots[0]
	for _, s := range c.snapshots[1:] {
		if s.Time.After(newest.Time) {
			newest = s
		}
	}
	return newest
}

// Parts returns the objects and policies of the sources. builds reuses earlier builds; nil builds everything. budget bounds the
// manifests of all sources; nil has no limits.
func (c Checkout) Parts(builds *Builds, budget *render.Budget) (decode.Parts, error) {
	var built [][]render.Object
	var edits []render.Edits
	var errs []error
	for i, s := range c.sources {
		name := s.Name
		if len(c.sources) == 1 && !c.partial {
			name = ""
		}
		objects, differ, err := builds.build(c, i, render.Options{Source: name, Dir: s.Path, Budget: budget})
		if limit, exceeded := errors.AsType[*render.LimitError](err); exceeded {
			return decode.Parts{}, fmt.Errorf("source %q: %w", s.Name, limit)
		}
		built, edits, errs = append(built, objects), append(edits, differ), append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return decode.Parts{}, err
	}
	if c.partial {
		return decode.Sort(slices.Concat(built...)) // the Sorter of builds keeps what it decoded of all sources
	}
	parts, err := builds.sort(built, edits)
	if err != nil || !c.declaresFederations {
		return parts, err
	}
	return parts.WithFederations()
}

// Input returns everything that the plan depends on, except evictions.
func (c Checkout) Input(fed *v1alpha1.Federation, parts decode.Parts, members []v1alpha1.Cluster, last []*previous.Decision) propagate.Input {
	in := parts.Input().WithFederation(fed)
	in.Revision, in.Fleet = c.Revision(), fleet.FromAll(members, parts.Origins)
	in.Previous, in.Now = last, time.Now()
	return in
}

// inputKey identifies everything that the plan of a checkout is made from.
func inputKey(fed *v1alpha1.Federation, c Checkout, members []v1alpha1.Cluster, view inputkey.View) inputkey.Key {
	k := inputkey.New(fed.Generation, members, view, time.Now())
	k.Revision, k.Trees, k.AllowPrune = c.Revision(), c.trees(), c.AllowsPrune()
	k.Retry = fed.Annotations[v1alpha1.RetryPoisonedAnnotation]
	return k
}

// Release returns the Release of the checkout, without a plan.
func (c Checkout) Release(fed *v1alpha1.Federation) *v1alpha1.Release {
	newest := c.newest()
	r := &v1alpha1.Release{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: fed.Namespace, Name: fed.Name + "-" + c.short(),
			Labels: map[string]string{v1alpha1.FederationLabel: fed.Name},
		},
		Spec: v1alpha1.ReleaseSpec{
			Federation: fed.Name, Revision: c.Revision(),
			Author: newest.Author, Subject: newest.Subject,
		},
	}
	if !newest.Time.IsZero() {
		r.Spec.CommittedAt = &metav1.Time{Time: newest.Time.Truncate(time.Second).UTC()}
	}
	for i, s := range c.snapshots {
		r.Labels[v1alpha1.RevisionLabelPrefix+c.sources[i].Name] = s.Commit
		r.Spec.Sources = append(r.Spec.Sources, v1alpha1.SourceRevision{
			Name: c.sources[i].Name, Revision: s.Revision, Changed: !c.unchanged[c.sources[i].Name],
		})
	}
	return r
}

// Builds caches the last build of each source of a Federation: a push changes a few files of thousands. The nil Builds caches
// nothing.
type Builds struct {
	mu       sync.Mutex
	bySource map[string]*render.Cache
	joined   render.Joined
	sorter   decode.Sorter
	texts    compact.Texts
}

// sort separates the objects of all sources. edits are the differences of each from its build before.
func (b *Builds) sort(built [][]render.Object, edits []render.Edits) (decode.Parts, error) {
	if b == nil || !b.mu.TryLock() {
		return decode.Sort(slices.Concat(built...))
	}
	defer b.mu.Unlock()
	parts, err := b.sorter.Next(b.joined.Next(built, edits))
	parts.Texts = &b.texts
	return parts, err
}

// build returns the objects of a source, and their differences from those of the build before if they are known.
func (b *Builds) build(c Checkout, i int, o render.Options) ([]render.Object, render.Edits, error) {
	if b == nil || !b.mu.TryLock() { // another build of the Federation takes long
		objects, err := render.Build(c.snapshots[i].FS, o)
		return objects, render.Edits{}, err
	}
	defer b.mu.Unlock()
	name := c.sources[i].Name
	if b.bySource == nil {
		b.bySource = map[string]*render.Cache{}
	}
	if b.bySource[name] == nil {
		b.bySource[name] = render.NewCompactCache(&b.texts)
	}
	objects, err := b.bySource[name].Build(c.snapshots[i].FS, o)
	return objects, b.bySource[name].TakeEdits(), err
}
