// Package review compares the plans of two states of a repository and prints the difference as text, Markdown and JSON.
package review

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/gitrepo"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/lint"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/cmd/accord/review/outage"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/control"
	"github.com/accord-dev/accord/propagate/diff"
	"github.com/accord-dev/accord/propagate/previous"
	"github.com/accord-dev/accord/source/trailer"
)

// Review is the result of plan and has the whole comparison.
type Review struct {
	Verdict string `json:"verdict"`
	// Result is unchanged, changed, blocked (the change must not be merged) or invalid (it cannot be planned).
	Result Result `json:"result"`
	// Federation is "<namespace>/<name>".
	Federation string   `json:"federation"`
	Base       string   `json:"base"`
	Head       string   `json:"head"`
	Notes      []string `json:"notes"`
	// Blocking are the reasons why the change must not be merged. Mistakes are the reasons why head cannot be planned; there is
	// no comparison then.
	Blocking []diff.Reason  `json:"blocking"`
	Mistakes []lint.Finding `json:"mistakes"`
	// Files are the files that differ below the paths of the Federation and in the bases of its kustomizations, sorted.
	Files []string `json:"files"`
	*diff.Report
	// Rollouts are the stages in which the change reaches the clusters, for each RolloutPolicy.
	Rollouts []Rollout `json:"rollouts,omitempty"`
	// Failover is the effect of failing clusters; absent unless the Federation enables failover, or --for requests a timeline.
	Failover *outage.Report `json:"failover,omitempty"`
	// Live is the result of the dry-run; absent without one.
	Live *DryRunReport `json:"live,omitempty"`

	tree    *load.Tree // for paths
	command []string   // that makes this review again
	// instance identifies the sticky comment.
	instance string
}

// DocumentKind implements text.Document.
func (*Review) DocumentKind() string { return "Plan" }

// Options select the two states of a repository and the facts beside them.
type Options struct {
	Tree load.Flags
	Hub  hub.Flags
	// Base and Head are revisions; empty means HEAD, and the working tree.
	Base string
	Head string
	// Instance distinguishes the comments of several plans; empty means the name of the Federation.
	Instance string
	// All reviews each Federation of the repository.
	All bool
	// HeadSelection reads live clusters with the selection of head, although head changes it.
	HeadSelection bool
	DryRun        DryRunFlags
	Simulate      SimulationFlags
	// OwnPaths: --path was given, and replaces the paths of a Federation on the hub.
	OwnPaths bool
	// opened is nil for one review.
	opened *opened
	// Command is the command line that the review names to make it again; nil means that of these options.
	Command []string
}

// Register registers the flags of a comparison.
func (f *Options) Register(c *cobra.Command) {
	flags := c.Flags()
	f.Tree.RegisterPlaces(c)
	f.Tree.RegisterFacts(c, &f.Hub)
	flags.Lookup("dump").Usage = "file for the planner's input of head; the input of base is written beside it"
	flags.Lookup("cache-dir").Usage = "directory of the Git clones, and of results for the next plan (default below the user's cache directory)"
	flags.StringVar(&f.Base, "base", "", "revision to compare with (default HEAD)")
	flags.StringVar(&f.Head, "head", "", "revision to review (default the working tree; with --repo the default branch)")
	flags.StringVar(&f.Instance, "comment-id", "", "identifier of the comment, to post several plans on one pull request (default the name of the Federation; with --all: all)")
	flags.BoolVar(&f.All, "all", false, "plan every Federation with a source in this repository: those that it declares, and those of the hub")
	for _, other := range []string{"repo", "path", "federation", "dump"} {
		c.MarkFlagsMutuallyExclusive("all", other)
	}
	flags.BoolVar(&f.HeadSelection, "read-head-selection", false, "read a live cluster with the selection of head, although head changes it: only for an author who may see everything that your context reads")
	f.DryRun.Register(flags)
	f.Simulate.Register(flags)
}

var instanceName = regexp.MustCompile(`^[A-Za-z0-9]+([-._/][A-Za-z0-9]+)*$`)

// Check returns an error for flags that are wrong or contradict each other.
func (f *Options) Check(c *cobra.Command) error {
	f.OwnPaths = c.Flags().Changed("path")
	if f.Instance != "" && !instanceName.MatchString(f.Instance) {
		return fmt.Errorf("--comment-id %q: expected letters and digits, with single - . _ / between them", f.Instance)
	}
	if err := f.Simulate.Check(c.Flags()); err != nil {
		return err
	}
	return f.DryRun.Check()
}

// gcPercent is the GOGC of a review that found the files of an earlier run decoded, unless the environment sets one: most of its memory
// is needed until its end, and looking for garbage there took a quarter of the CPU time. Decoding files leaves much garbage.
const gcPercent = 400

// Run reads both sides, plans and compares them. The error is not about a manifest.
func (f *Options) Run(ctx context.Context, dir string, stderr io.Writer) (*Review, error) {
	live, err := f.Tree.ConnectHub(ctx, &f.Hub, f.OwnPaths)
	if err != nil {
		return nil, err
	}
	store := f.openStore(stderr)
	defer func() { _ = store.Close() }() // every entry is complete
	p, err := f.read(ctx, dir, store)
	if err != nil {
		return nil, err
	}
	defer p.end()
	if p.decoded && os.Getenv("GOGC") == "" {
		defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	}
	k, err := f.snapshot(ctx, live, p.head.federation)
	if err != nil {
		return nil, err
	}
	g, err := f.Tree.Governance(p.head.federation, k)
	if err != nil {
		return nil, err
	}
	r := f.newReview(p, dir)
	now := time.Now()
	planning := text.NewProgressLine(stderr, "planning")
	planning.Start()
	p.plan(k, g, r, now)
	planning.End()
	r.Notes = append(r.Notes, f.pinned(p.head, k)...)
	r.Files = p.changedFiles()
	if err := f.dumpSides(p); err != nil {
		return nil, err
	}
	if len(r.Mistakes) == 0 {
		bar, o := text.NewProgressLine(stderr, "comparing"), p.options(k)
		o.Progress, o.Memo = bar.Set, readMemo(store, r.Federation)
		r.Report, err = diff.Compare(p.base.compared(), p.head.compared(), o)
		bar.End()
		_ = saveMemo(store, r.Federation, o.Memo) // the next run renders the objects again
		if err != nil {
			return nil, fmt.Errorf("comparing the plans: %w", err)
		}
		r.addRefusals(p.head.tree.Refusals(p.head.plan, o.AllowPrune))
		r.Rollouts = p.rollouts(k, now)
		if err := f.Simulate.play(r.Rollouts); err != nil {
			return nil, err
		}
		in, plan := p.head.tree.Input, p.head.plan
		if r.Failover, err = outage.New(in, plan, p.head.federation, f.Simulate.outage, outage.Events{
			Unreachable: f.Simulate.unreachable, HealthyAfter: f.Simulate.healthyAfter, Rollouts: rehearsed(r.Rollouts), Find: load.Finder(in, plan),
		}); err != nil {
			return nil, err
		}
		r.Notes = append(r.Notes, r.Failover.Notes()...)
	}
	if r.Live, err = f.DryRun.try(ctx, r, p.head, g.Account(), live, k, stderr); err != nil {
		return nil, err
	}
	r.conclude()
	return r, nil
}

// snapshot returns the objects of the hub or of a file, nil without either.
func (f *Options) snapshot(ctx context.Context, live *load.LiveHub, fed *v1alpha1.Federation) (*load.HubSnapshot, error) {
	switch {
	case f.Tree.FleetFile != "":
		return load.ReadFleetFile(f.Tree.FleetFile, fed)
	case live != nil:
		return live.Snapshot(ctx)
	}
	return nil, nil
}

func (f *Options) newReview(p *comparison, dir string) *Review {
	name := p.head.federation.Namespace + "/" + p.head.federation.Name
	r := &Review{
		Federation: name, Base: p.base.label, Head: p.head.label, Notes: append([]string{}, p.notes...),
		Blocking: []diff.Reason{}, Mistakes: []lint.Finding{},
		tree: p.head.tree, command: f.command(p, dir), instance: f.Instance,
	}
	if r.instance == "" {
		r.instance = name
	}
	if p.head.federation.Spec.Suspend {
		r.Notes = append(r.Notes, "the Federation is suspended: nothing is delivered until it is resumed")
	}
	return r
}

// plan plans both sides. A base with mistakes was never delivered: it counts as empty, with a note.
func (p *comparison) plan(k *load.HubSnapshot, g load.Governance, r *Review, now time.Time) {
	by := p.head.federation.Declarer()
	var last []*previous.Decision
	if !p.base.isEmpty() {
		p.base.tree.Input.Now = now
		p.base.tree.Input.Fleet, p.base.tree.Input.Previous = k.Fleet(p.base.tree, p.base.tree, by), k.Previous()
		p.base.tree.Input.Evictions = k.Evictions()
		p.base.tree.Govern(g)
		if err := p.base.decide(nil); err != nil {
			n := len(mistakesOf(err))
			r.Notes = append(r.Notes, fmt.Sprintf("base has %s and cannot be planned (accord lint shows them there): everything counts as new", phrase.Count(n, "mistake")))
			p.base.tree = nil
		} else {
			last = p.base.plan.Previous()
		}
	}
	if last == nil {
		last = k.Previous()
	}
	p.head.tree.Input.Now = now
	p.head.tree.Input.Fleet, p.head.tree.Input.Previous = k.Fleet(p.base.tree, p.head.tree, by), last
	p.head.tree.Input.Evictions = k.Evictions()
	p.head.tree.Govern(g)
	r.Mistakes = append(r.Mistakes, mistakesOf(p.head.decide(p.base.plan))...)
	if len(r.Mistakes) > 0 {
		return
	}
	if nothing := p.head.tree.NothingPlanned(); nothing != nil {
		r.Mistakes = lint.Findings([]propagate.Finding{*nothing})
	} else if len(p.head.tree.Input.Fleet) == 0 {
		r.Notes = append(r.Notes, load.NoClusters)
	}
}

// decide makes the plan, from that of the other side if there is one. The error is about manifests.
func (s *side) decide(last *propagate.Plan) error {
	if s.tree.Mistakes != nil {
		return s.tree.Mistakes
	}
	plan, err := last.Next(s.tree.Input)
	s.plan = plan
	return err
}

// mistakesOf returns the findings of an error about manifests.
func mistakesOf(err error) []lint.Finding {
	r := &lint.Report{}
	if err != nil {
		r.AddMistakes(err)
	}
	return r.Findings
}

func (s *side) compared() diff.Side { return diff.Side{Input: s.input(), Plan: s.plan} }

// options returns the options of the comparison. The key of the fingerprints is new for each comparison.
func (p *comparison) options(k *load.HubSnapshot) diff.Options {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // it never fails
	spec := p.head.federation.Spec
	var allows []string
	if p.head.label != worktreeLabel { // its message is that of the commit before
		allows = trailer.Values(p.head.Message, v1alpha1.PruneTrailer)
		if p.head.commit != nil {
			allows = append(allows, trailer.Values(gitrepo.MergedCommit(p.head.commit).Message, v1alpha1.PruneTrailer)...)
		}
	}
	return diff.Options{
		Key: key, Prune: spec.Prune, PruneLimits: spec.PruneLimits, AllowPrune: slices.Contains(allows, v1alpha1.PruneAllow),
		Observed: observations(k, time.Now()),
	}
}

// dumpSides writes the input of head to the requested file, and the input of base beside it.
func (f *Options) dumpSides(p *comparison) error {
	if f.Tree.Dump == "" {
		return nil
	}
	base := f.Tree
	base.Dump = baseDump(f.Tree.Dump)
	if p.base.tree != nil {
		if err := base.WriteDump(p.base.tree); err != nil {
			return err
		}
	}
	return f.Tree.WriteDump(p.head.tree)
}

// baseDump returns "case.base.txtar" for "case.txtar".
func baseDump(file string) string {
	stem, isArchive := strings.CutSuffix(file, ".txtar")
	if !isArchive {
		return file + ".base"
	}
	return stem + ".base.txtar"
}

// conclude sets the result and the verdict.
func (r *Review) conclude() {
	r.Result = Unchanged
	switch {
	case len(r.Mistakes) > 0:
		r.Result = Invalid
	case len(r.blocking()) > 0:
		r.Result, r.Blocking = Blocked, r.blocking()
	case r.heldObjects() > 0 || !r.Empty() || r.Before.Digest != r.After.Digest || r.sequenceChanges():
		r.Result = Changed
	}
	r.Verdict = r.verdict()
}

// verdict returns "2 policies changed, 38 objects in 30 of 31 clusters affected, 4 distinct changes".
func (r *Review) verdict() string {
	switch r.Result {
	case Invalid:
		if r.Mistakes[0].Code == load.NoClusterCode {
			return r.Mistakes[0].Message
		}
		return "cannot be planned: " + phrase.Count(len(r.Mistakes), "mistake")
	case Unchanged:
		return "nothing changes in any of " + phrase.Count(r.Totals.Fleet, "cluster")
	case Blocked:
		return "blocked by " + phrase.Count(len(r.Blocking), "error") + ": " + r.extent()
	}
	return r.extent()
}

// extent counts the changes and the affected clusters.
func (r *Review) extent() string {
	policies := ""
	if r.Policies > 0 {
		policies = phrase.Count(r.Policies, "policy") + " changed"
	}
	controls := ""
	if n := r.otherControls(); n > 0 {
		controls = phrase.Count(n, "control manifest") + " changed"
	}
	affected := "no object in any cluster affected"
	if !r.Empty() {
		affected = fmt.Sprintf("%s in %s affected, %s", phrase.Count(r.Totals.Objects, "object"),
			text.OutOf(r.Totals.Clusters, r.Totals.Fleet), phrase.Count(len(r.Changes), "distinct change"))
	}
	held := ""
	if n := r.heldObjects(); n > 0 {
		held = phrase.Count(n, "object") + " becoming held"
	}
	return text.Join(", ", policies, controls, affected, held)
}

// otherControls counts the changed control manifests that Policies does not count.
func (r *Review) otherControls() int {
	n := 0
	for _, c := range r.Controls {
		if c.Kind != control.Suspension && !strings.HasSuffix(c.Kind, "Policy") {
			n++
		}
	}
	return n
}

// heldObjects counts the objects that become held on a cluster.
func (r *Review) heldObjects() int {
	if r.Report == nil {
		return 0
	}
	held := map[manifest.ID]bool{}
	for _, e := range r.Effects {
		for _, id := range e.Objects {
			if e.Code == "becomes-held" {
				held[id] = true
			}
		}
	}
	return len(held)
}

// Print writes the review in a format.
func (r *Review) Print(out io.Writer, f text.Format, budget int) error {
	return write(out, f, budget, r)
}

// Conclusion returns the result.
func (r *Review) Conclusion() Result { return r.Result }

// Description returns the text of a commit status: "38 objects in 30 clusters, 4 distinct changes".
func (r *Review) Description() string {
	switch {
	case r.Result == Invalid, r.Result == Unchanged:
		return r.Verdict
	case r.Result == Blocked:
		return fmt.Sprintf("blocked by %s; %s", phrase.Count(len(r.Blocking), "error"), r.brief())
	}
	return r.brief()
}

func (r *Review) brief() string {
	if r.Empty() {
		return "no object in any cluster changes"
	}
	return fmt.Sprintf("%s in %s, %s", phrase.Count(r.Totals.Objects, "object"), phrase.Count(r.Totals.Clusters, "cluster"), phrase.Count(len(r.Changes), "distinct change"))
}

// Verify prints whether head has the requested digest. It returns 0 if it has, 1 if it has another one, and 2 if head cannot be
// planned.
func (r *Review) Verify(out io.Writer, want string) (code int, err error) {
	switch {
	case r.Result == Invalid:
		return 2, r.Print(out, text.AsText, MaxBudget)
	case r.After.Digest == want:
		_, err = fmt.Fprintf(out, "the plan of %s is the one asked for: %s\n", r.Head, want)
		return 0, err
	}
	_, err = fmt.Fprintf(out, "the plan of %s is another one\n  asked for  %s\n  planned    %s\n", r.Head, want, r.After.Digest)
	return 1, err
}
