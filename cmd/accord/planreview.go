package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/diff"
)

// A review is what plan says; its JSON form is stable, and has all of the report.
type review struct {
	Verdict string `json:"verdict"`
	// Result is unchanged, changed, blocked (merging it would be a mistake) or invalid (it cannot be planned).
	Result planResult `json:"result"`
	// Federation is "<namespace>/<name>".
	Federation string   `json:"federation"`
	Base       string   `json:"base"`
	Head       string   `json:"head"`
	Notes      []string `json:"notes"`
	// Blocking is what makes merging a mistake, Mistakes what keeps head from being planned at all: there is no report then.
	Blocking []diff.Reason `json:"blocking"`
	Mistakes []lintLine    `json:"mistakes"`
	*diff.Report
	// Rollouts are the order in which what changes reaches the clusters, for each RolloutPolicy.
	Rollouts []plannedRollout `json:"rollouts,omitempty"`
	// Live is what the clusters say to it; absent without --live.
	Live *liveReport `json:"live,omitempty"`

	near    *tree    // for paths
	command []string // that makes this review again
	// instance of accord that the sticky comment is of.
	instance string
}

// planResult is a review in one word.
type planResult string

const (
	planUnchanged planResult = "unchanged"
	planChanged   planResult = "changed"
	planBlocked   planResult = "blocked"
	planInvalid   planResult = "invalid"
)

// reviewOptions name the two states of a repository that are compared, and what is known beside them.
type reviewOptions struct {
	tree treeFlags
	hub  hubFlags
	// base and head are revisions; empty: HEAD, and the working tree.
	base string
	head string
	// facts is the file with what is known of the clusters.
	facts string
	// instance tells sticky comments of several plans apart; empty: the name of the Federation.
	instance string
	live     liveFlags
	simulate simulateFlags
	// ownPaths: --path was given, and counts more than the paths of a Federation on the hub.
	ownPaths bool
}

// review reads both sides, decides and compares. The error is not about a manifest.
func (f *reviewOptions) review(ctx context.Context, dir string, stderr io.Writer) (*review, error) {
	live, err := f.tree.connect(ctx, &f.hub, f.ownPaths)
	if err != nil {
		return nil, err
	}
	p, err := f.read(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer p.end()
	k, err := f.known(ctx, live, p.head.federation)
	if err != nil {
		return nil, err
	}
	r := f.newReview(p, dir)
	now := time.Now()
	p.plan(k, r, now)
	if err := f.dumpSides(p); err != nil {
		return nil, err
	}
	if len(r.Mistakes) == 0 {
		bar := newBar(stderr)
		r.Report, err = diff.Compare(p.base.compared(), p.head.compared(), p.options(k, bar.set))
		bar.end()
		if err != nil {
			return nil, fmt.Errorf("comparing the plans: %w", err)
		}
		r.Rollouts = p.rollouts(k, now)
		if err := f.simulate.play(r.Rollouts); err != nil {
			return nil, err
		}
	}
	if r.Live, err = f.live.try(ctx, r, p.head, live, k, stderr); err != nil {
		return nil, err
	}
	r.conclude()
	return r, nil
}

// known is what a hub or a file of facts knows; nil without either.
func (f *reviewOptions) known(ctx context.Context, live *liveHub, fed *v1alpha1.Federation) (*known, error) {
	switch {
	case f.facts != "":
		return readFacts(f.facts, fed)
	case live != nil:
		return live.ask(ctx)
	}
	return nil, nil
}

func (f *reviewOptions) newReview(p *pair, dir string) *review {
	name := p.head.federation.Namespace + "/" + p.head.federation.Name
	r := &review{
		Federation: name, Base: p.base.label, Head: p.head.label, Notes: append([]string{}, p.notes...),
		Blocking: []diff.Reason{}, Mistakes: []lintLine{},
		near: p.head.tree, command: f.command(p, dir), instance: f.instance,
	}
	if r.instance == "" {
		r.instance = name
	}
	if p.head.federation.Spec.Suspend {
		r.Notes = append(r.Notes, "the Federation is suspended: nothing is delivered until it is resumed")
	}
	return r
}

// plan decides both sides. A base that has mistakes was never delivered: it counts as nothing, and a note says so.
func (p *pair) plan(k *known, r *review, now time.Time) {
	by := p.head.federation.Namespace + "." + p.head.federation.Name
	var previous []propagate.Previous
	if !p.base.nothing() {
		p.base.tree.input.Now = now
		p.base.tree.input.Fleet, p.base.tree.input.Previous = k.fleet(p.base.tree, p.base.tree, by), k.previous()
		if err := p.base.decide(); err != nil {
			n := len(mistakesOf(err))
			r.Notes = append(r.Notes, fmt.Sprintf("base has %s and cannot be planned (accord lint shows them there): everything counts as new", count(n, "mistake")))
			p.base.tree = nil
		} else {
			previous = p.base.plan.Previous()
		}
	}
	if previous == nil {
		previous = k.previous()
	}
	p.head.tree.input.Now = now
	p.head.tree.input.Fleet, p.head.tree.input.Previous = k.fleet(p.base.tree, p.head.tree, by), previous
	r.Mistakes = append(r.Mistakes, mistakesOf(p.head.decide())...)
	if len(p.head.tree.input.Fleet) == 0 && len(r.Mistakes) == 0 {
		r.Notes = append(r.Notes, noClusters)
	}
}

// decide makes the plan; the error is about manifests.
func (s *side) decide() error {
	if s.tree.mistakes != nil {
		return s.tree.mistakes
	}
	plan, err := propagate.New(s.tree.input)
	s.plan = plan
	return err
}

// mistakesOf are the lines of what is wrong with manifests.
func mistakesOf(err error) []lintLine {
	r := &lintReport{}
	if err != nil {
		r.addMistakes(err)
	}
	return r.Findings
}

func (s *side) compared() diff.Side { return diff.Side{Input: s.input(), Plan: s.plan} }

// options of the comparison. The key of the fingerprints is made for it and forgotten.
func (p *pair) options(k *known, progress func(done, total int)) diff.Options {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // it never fails
	spec := p.head.federation.Spec
	message := p.head.message
	if p.head.label == worktreeLabel {
		message = "" // of the commit before
	} else if p.head.commit != nil {
		message = merged(p.head.commit).Message + "\n" + message
	}
	return diff.Options{
		Key: key, Prune: spec.Prune, PruneLimits: spec.PruneLimits, AllowPrune: hasTrailer(message, "Accord-Prune: allow"),
		Observed: seen(k, time.Now()), Progress: progress,
	}
}

// hasTrailer says whether a line of a commit's message is the trailer.
func hasTrailer(message, trailer string) bool {
	for line := range strings.Lines(message) {
		if strings.TrimSpace(line) == trailer {
			return true
		}
	}
	return false
}

// dumpSides writes the input of head to the file that was asked for, and that of base beside it.
func (f *reviewOptions) dumpSides(p *pair) error {
	if f.tree.dump == "" {
		return nil
	}
	base := f.tree
	base.dump = baseDump(f.tree.dump)
	if p.base.tree != nil {
		if err := base.dumpInput(p.base.tree); err != nil {
			return err
		}
	}
	return f.tree.dumpInput(p.head.tree)
}

// baseDump is "case.base.txtar" for "case.txtar".
func baseDump(file string) string {
	stem, isArchive := strings.CutSuffix(file, ".txtar")
	if !isArchive {
		return file + ".base"
	}
	return stem + ".base.txtar"
}

// conclude draws the conclusions that a pipeline needs.
func (r *review) conclude() {
	r.Result = planUnchanged
	switch {
	case len(r.Mistakes) > 0:
		r.Result = planInvalid
	case len(r.blocking()) > 0:
		r.Result, r.Blocking = planBlocked, r.blocking()
	case !r.Empty() || r.Before.Digest != r.After.Digest || r.orderChanges():
		r.Result = planChanged
	}
	r.Verdict = r.verdict()
}

// verdict is "2 policies changed, 38 objects in 30 of 31 clusters affected, 4 distinct changes".
func (r *review) verdict() string {
	switch r.Result {
	case planInvalid:
		return "cannot be planned: " + count(len(r.Mistakes), "mistake")
	case planUnchanged:
		return "nothing changes in any of " + count(r.Totals.Fleet, "cluster")
	case planBlocked:
		return "blocked by " + count(len(r.Blocking), "error") + ": " + r.extent()
	}
	return r.extent()
}

// extent is how much changes, and how far.
func (r *review) extent() string {
	policies := ""
	if r.Policies > 0 {
		policies = count(r.Policies, "policy") + " changed"
	}
	affected := "no object in any cluster affected"
	if !r.Empty() {
		affected = fmt.Sprintf("%s in %s affected, %s", count(r.Totals.Objects, "object"),
			outOf(r.Totals.Clusters, r.Totals.Fleet), count(len(r.Changes), "distinct change"))
	}
	return join(", ", policies, affected)
}

// print writes the review in a format.
func (r *review) print(out io.Writer, f format, budget int) error {
	var document string
	switch f {
	case asJSON:
		return encode(out, f, r)
	case asMarkdown:
		document = r.markdown(budget)
	default:
		document = r.text()
	}
	_, err := io.WriteString(out, document)
	return err
}

// description is the plan in the length of a status: "38 objects in 30 clusters, 4 distinct changes".
func (r *review) description() string {
	switch {
	case r.Result == planInvalid, r.Result == planUnchanged:
		return r.Verdict
	case r.Result == planBlocked:
		return fmt.Sprintf("blocked by %s; %s", count(len(r.Blocking), "error"), r.brief())
	}
	return r.brief()
}

func (r *review) brief() string {
	if r.Empty() {
		return "no object in any cluster changes"
	}
	return fmt.Sprintf("%s in %s, %s", count(r.Totals.Objects, "object"), count(r.Totals.Clusters, "cluster"), count(len(r.Changes), "distinct change"))
}
