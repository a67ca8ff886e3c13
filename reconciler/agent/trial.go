package agent

import (
	"context"
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/propagate/bundle"
	"github.com/accord-dev/accord/propagate/scripts"
	"github.com/accord-dev/accord/reconciler/apply"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/reconciler/state/delivery"
)

// trialTimeout bounds one answer of the API server in a dry-run.
const trialTimeout = 10 * time.Second

// try begins the trials that are new in an index.
func (a *Agent) try(ctx context.Context, index *bundle.Index, contents bundle.Contents) {
	for i := range index.Trials {
		t := &index.Trials[i]
		if a.questions.open[t.ID] == nil {
			run := a.prepare(t, contents)
			a.questions.begin(ctx, t.ID, func(ctx context.Context) {
				result, err := run(ctx)
				a.answer(ctx, verdictOf(t.ID, result, err))
			})
		}
	}
}

// ofTrials returns the contents of the trials of an index.
func ofTrials(index *bundle.Index, contents bundle.Contents) bundle.Contents {
	of := bundle.Contents{}
	for _, name := range (&bundle.Index{Trials: index.Trials}).Names() {
		if content := contents[name]; content != nil {
			of[name] = content
		}
	}
	return of
}

// prepare decodes a trial. It returns the function that tries it.
func (a *Agent) prepare(t *bundle.Trial, contents bundle.Contents) func(context.Context) (live.DryRunResult, error) {
	fail := func(err error) func(context.Context) (live.DryRunResult, error) {
		return func(context.Context) (live.DryRunResult, error) { return live.DryRunResult{}, err }
	}
	target, err := t.Part.Target(a.Cluster, contents, a.executor.rendered)
	if err != nil {
		return fail(err)
	}
	interpreters, known := a.executor.scripts[t.Part.Scripts]
	if !known {
		if interpreters, err = t.Part.Interpreters(contents, scripts.Interpreters{}); err != nil {
			return fail(err)
		}
	}
	var only map[manifest.ID]bool
	for _, entry := range t.Only {
		id, err := manifest.ParseEntry(entry)
		if err != nil {
			return fail(err)
		}
		if only == nil {
			only = map[manifest.ID]bool{}
		}
		only[id] = true
	}
	key := types.NamespacedName{Namespace: t.Part.Namespace, Name: t.Part.Name}
	observed := delivery.Trial{Target: target}
	if f := a.registry.Federation(key); f != nil {
		observed = f.DryRunTarget(target)
	}
	return func(ctx context.Context) (result live.DryRunResult, err error) {
		why, err := a.pool.Ask(ctx, a.Cluster, func(m *clusters.Member) error {
			result, err = apply.DryRun(ctx, m, key.String(), target, observed.Live, observed.Inventory, apply.DryRunOptions{
				Difference: observed.Difference, Account: t.Part.Settings.Account, Book: interpreters.Book, Only: only, Timeout: trialTimeout,
			})
			return err
		})
		if why != "" {
			err = errors.New(why)
		}
		return result, err
	}
}

// verdictOf returns the verdict with a result, as much of it as the hub takes.
func verdictOf(id string, result live.DryRunResult, err error) bundle.Verdict {
	v := bundle.Verdict{ID: id, Checked: result.Checked}
	cut := func(message string) string { return message[:min(len(message), bundle.MaxMessage)] }
	for _, x := range result.Rejected[:min(len(result.Rejected), bundle.MaxTold)] {
		v.Rejected = append(v.Rejected, bundle.Rejected{Entry: x.ID.Entry(), Reason: x.Reason, Message: cut(x.Message)})
	}
	for _, x := range result.Unchecked[:min(len(result.Unchecked), bundle.MaxTold)] {
		v.Unchecked = append(v.Unchecked, bundle.Unchecked{Entry: x.ID.Entry(), Message: cut(x.Message)})
	}
	if err != nil {
		v.Error = cut(err.Error())
	}
	return v
}
