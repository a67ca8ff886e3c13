package publish

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/bundle"
	"github.com/accord-dev/accord/propagate/scripts"
	"github.com/accord-dev/accord/propagate/tenancy"
	"github.com/accord-dev/accord/reconciler/apply/live"
)

// absencePoll is the interval at which a dry-run looks whether the agent is still there.
const absencePoll = time.Second

// Trial is a plan for one cluster, to be tried by its agent.
type Trial struct {
	Federation   types.NamespacedName
	Target       propagate.ClusterPlan
	Interpreters scripts.Interpreters
	Account      tenancy.Account
	// Only are the objects to try; nil: all that a delivery would write.
	Only map[manifest.ID]bool
}

// DryRun has the agent of a cluster try a plan, and returns its answer until ctx ends. why is set if the agent did not answer, or not about
// all objects. The plan and the answer are in memory only, because both may have values of Secrets or of clusters.
func (p *Publisher) DryRun(ctx context.Context, cluster string, t Trial) (result live.DryRunResult, why string) {
	if p.store == nil {
		return result, "this replica serves no bundles"
	}
	id := rand.Text()
	verdict, end := p.store.Await(cluster, id)
	defer end()
	p.setTrial(cluster, id, &t)
	defer p.setTrial(cluster, id, nil)
	text, why := p.await(ctx, cluster, verdict)
	if why != "" {
		return result, why
	}
	return read(text, t.Target)
}

// setTrial adds a trial to the bundle of a cluster; nil removes it.
func (p *Publisher) setTrial(cluster, id string, t *Trial) {
	p.mu.Lock()
	if p.trials[cluster] == nil {
		p.trials[cluster] = map[string]*Trial{}
	}
	if t != nil {
		p.trials[cluster][id] = t
	} else if delete(p.trials[cluster], id); len(p.trials[cluster]) == 0 {
		delete(p.trials, cluster)
	}
	p.mu.Unlock()
	p.queue.Add(cluster)
}

// encodeTrials returns the trials of a cluster, sorted, and adds their contents to all.
func (p *Publisher) encodeTrials(cluster string, all bundle.Contents) ([]bundle.Trial, error) {
	p.mu.Lock()
	open := maps.Clone(p.trials[cluster])
	p.mu.Unlock()
	var encoded []bundle.Trial
	for _, id := range slices.Sorted(maps.Keys(open)) {
		t := open[id]
		x := bundle.Trial{ID: id, Part: bundle.Part{Namespace: t.Federation.Namespace, Name: t.Federation.Name}, Only: bundle.Entries(t.Only)}
		x.Part.Settings.Account = t.Account
		p.encoder.AddTarget(&x.Part, t.Target, all)
		if err := bundle.AddScripts(&x.Part, t.Interpreters, all); err != nil {
			return nil, fmt.Errorf("encoding the trial of Federation %s: %w", t.Federation, err)
		}
		encoded = append(encoded, x)
	}
	return encoded, nil
}

// reasons are those that a condition may have.
var reasons = regexp.MustCompile(`^[A-Za-z]([A-Za-z0-9_,:]{0,62}[A-Za-z0-9_])?$`)

// read returns the result that a verdict has. An agent decides about the objects of its cluster and nothing else: other objects are left out.
func read(text []byte, target propagate.ClusterPlan) (result live.DryRunResult, why string) {
	var v bundle.Verdict
	if err := json.Unmarshal(text, &v); err != nil {
		return result, "the answer of its agent cannot be read"
	}
	wanted := map[string]manifest.ID{}
	for _, o := range target.Objects {
		wanted[o.ID.Entry()] = o.ID
	}
	result.Checked = min(max(v.Checked, 0), len(target.Objects))
	for _, x := range v.Rejected[:min(len(v.Rejected), bundle.MaxTold)] {
		if id, ours := wanted[x.Entry]; ours {
			if !reasons.MatchString(x.Reason) {
				x.Reason = live.InvalidObject
			}
			result.Rejected = append(result.Rejected, live.Rejection{ID: id, Reason: x.Reason, Message: cut(x.Message)})
		}
	}
	for _, x := range v.Unchecked[:min(len(v.Unchecked), bundle.MaxTold)] {
		if id, ours := wanted[x.Entry]; ours {
			result.Unchecked = append(result.Unchecked, live.Unchecked{ID: id, Message: cut(x.Message)})
		}
	}
	return result, cut(v.Error)
}

func cut(message string) string {
	return strings.ToValidUTF8(message[:min(len(message), bundle.MaxMessage)], "")
}
