// Package post writes a review as a comment on a pull request and as a status of its commit.
package post

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"github.com/accord-dev/accord/cmd/accord/review"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/egress"
	"github.com/accord-dev/accord/internal/version"
	"github.com/accord-dev/accord/source/forge"
)

// Flags select where a plan is posted. They replace values of the pipeline.
type Flags struct {
	Repository
	post   bool
	pull   int
	commit string
}

func (f *Flags) Register(flags *pflag.FlagSet) {
	flags.BoolVar(&f.post, "post", false, "write the plan as a comment on the pull request, and the status accord/plan on its commit")
	f.Repository.Register(flags, "that of the pipeline")
	flags.IntVar(&f.pull, "pull-request", 0, "number of the pull (merge) request (default that of the pipeline)")
	flags.StringVar(&f.commit, "commit", "", "commit to report on, all 40 digits (default the newest of the pull request)")
}

// target returns the pull request to post to.
func (f *Flags) target(getenv func(string) string) (pipeline, error) {
	p, err := thisPipeline(getenv)
	p.Options = f.options(p.Options)
	p.pull, p.commit = cmp.Or(f.pull, p.pull), cmp.Or(f.commit, p.commit)
	switch {
	case p.URL == "":
		return p, errors.New("the repository is unknown outside of a pipeline: set --forge-url")
	case p.Token == "":
		return p, errNoToken
	case p.pull > 0 && p.commit != "":
		return p, nil
	case err != nil:
		return p, err
	case p.pull <= 0:
		return p, errors.New("this pipeline does not run for a pull request: set --pull-request")
	}
	return p, errors.New("the pipeline does not name a commit: set --commit")
}

// Posting is one plan on its way to a pull request. Its errors are returned at the end, because a plan that cannot be posted is
// printed all the same.
type Posting struct {
	forge.Forge
	pipeline
	name string // of the status
	errs []error
}

// postTime limits the requests to the forge.
const postTime = 2 * time.Minute

// Open prepares posting; it returns nil without --post.
func (f *Flags) Open(getenv func(string) string, instance string) *Posting {
	if !f.post {
		return nil
	}
	p := &Posting{name: "accord/plan" + text.WithPrefix("/", instance)}
	var err error
	if p.pipeline, err = f.target(getenv); err == nil {
		p.UserAgent, p.Networks = "accord/"+version.Get().Version, egress.Everywhere()
		p.Forge, err = forge.New(p.Options)
	}
	p.note(err)
	return p
}

func (p *Posting) note(err error) {
	if err != nil {
		p.errs = append(p.errs, err)
	}
}

// Begin sets the status to pending.
func (p *Posting) Begin(ctx context.Context) {
	if p != nil {
		p.report(ctx, forge.Pending, "planning", p.run)
	}
}

// report sets the status, even if the process is being stopped.
func (p *Posting) report(ctx context.Context, state forge.State, description, target string) {
	if p.Forge == nil {
		return
	}
	ctx, end := context.WithTimeout(context.WithoutCancel(ctx), postTime)
	defer end()
	p.note(p.Report(ctx, p.commit, forge.Status{Context: p.name, State: state, Description: description, TargetURL: target}))
}

// Fail sets the status to error. The status does not have the reason, which may name things that only the log may show.
func (p *Posting) Fail(ctx context.Context) error {
	if p == nil {
		return nil
	}
	p.report(ctx, forge.Error, "accord could not make the plan: the log of the pipeline says why", p.run)
	return errors.Join(p.errs...)
}

// Finish writes the comment and the final status.
func (p *Posting) Finish(ctx context.Context, o review.Outcome, budget int) error {
	if p == nil {
		return nil
	}
	url := p.comment(ctx, o, budget)
	state := forge.Success
	if result := o.Conclusion(); result == review.Blocked || result == review.Invalid {
		state = forge.Failure
	}
	p.report(ctx, state, o.Description(), cmp.Or(url, p.run))
	return errors.Join(p.errs...)
}

// comment writes the comment and returns its URL, and "" if that failed.
func (p *Posting) comment(ctx context.Context, o review.Outcome, budget int) string {
	if p.Forge == nil {
		return ""
	}
	budget = min(budget, p.Provider.MaxComment())
	ctx, end := context.WithTimeout(ctx, postTime)
	defer end()
	url, err := p.Comment(ctx, p.pull, o.Marker(), o.Markdown(budget))
	if limit, ok := errors.AsType[*forge.RateLimitError](err); ok {
		err = fmt.Errorf("%w; run the pipeline again after that (in %s)", err, time.Until(limit.Until).Round(time.Second))
	}
	p.note(err)
	return url
}
