package publish

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/internal/compact"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/bundle"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/reconciler/state/reachability"
)

var web, api = manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: "web"}, manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: "api"}

// trialOf returns a plan with web and api, of which only web is to be tried.
func trialOf() Trial {
	placed := func(id manifest.ID) propagate.Placed {
		return propagate.Placed{Rendered: &propagate.Rendered{ID: id, Body: compact.Whole([]byte(`{"name":"` + id.Name + `"}`))}}
	}
	return Trial{
		Federation: types.NamespacedName{Namespace: "shop", Name: "web"},
		Target:     propagate.ClusterPlan{Cluster: "eu", Objects: []propagate.Placed{placed(web), placed(api)}}, Only: map[manifest.ID]bool{web: true},
	}
}

// trying calls agent with the index that has the trial, and returns the result of the dry-run.
func trying(t *testing.T, agent func(p *Publisher, index *bundle.Index)) (result live.DryRunResult, why string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p, store := newPublisher(&hub{version: "77"})
		p.registry.SetAgent("eu", true)
		p.SetAgent("eu", "uid", "")
		running, stop := context.WithCancel(t.Context())
		defer stop()
		go p.Run(running)
		alive(p, "eu")
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		go func() {
			synctest.Wait()
			index := indexOf(t, store)
			require.Len(t, index.Trials, 1)
			require.Equal(t, []string{web.Entry()}, index.Trials[0].Only)
			for _, name := range index.Names() {
				found, _, _ := store.Objects("eu", []string{name})
				require.Len(t, found, 1, "the agent cannot fetch a content")
			}
			agent(p, index)
		}()
		result, why = p.DryRun(ctx, "eu", trialOf())
		synctest.Wait()
		require.Empty(t, indexOf(t, store).Trials, "the agent goes on trying")
		require.Zero(t, store.Counts().Objects, "contents of the plan stay")
	})
	return result, why
}

func answers(t *testing.T, v bundle.Verdict) (result live.DryRunResult, why string) {
	t.Helper()
	return trying(t, func(p *Publisher, index *bundle.Index) {
		v.ID = index.Trials[0].ID
		text, err := json.Marshal(v)
		require.NoError(t, err)
		require.False(t, p.store.Answer("us", v.ID, text), "the verdict of another cluster")
		require.False(t, p.store.Answer("eu", "x", text))
		require.True(t, p.store.Answer("eu", v.ID, text))
		require.False(t, p.store.Answer("eu", v.ID, text), "a second verdict")
	})
}

func TestAnAgentTriesAPlan(t *testing.T) {
	result, why := answers(t, bundle.Verdict{
		Checked: 1, Rejected: []bundle.Rejected{{Entry: web.Entry(), Reason: live.QuotaExceeded, Message: "exceeded quota"}}, Unchecked: []bundle.Unchecked{{Entry: api.Entry(), Message: "its kind is new"}},
	})
	require.Empty(t, why)
	require.Equal(t, live.DryRunResult{
		Checked: 1, Rejected: []live.Rejection{{ID: web, Reason: live.QuotaExceeded, Message: "exceeded quota"}}, Unchecked: []live.Unchecked{{ID: api, Message: "its kind is new"}},
	}, result)

	_, why = answers(t, bundle.Verdict{Error: "cluster eu: timeout"})
	require.Equal(t, "cluster eu: timeout", why)
}

// An agent that somebody else controls can refuse the objects of its cluster, and harm nothing else.
func TestAHostileVerdict(t *testing.T) {
	many := make([]bundle.Unchecked, 3*bundle.MaxTold)
	for i := range many {
		many[i] = bundle.Unchecked{Entry: api.Entry()}
	}
	result, _ := answers(t, bundle.Verdict{
		Checked: 1 << 40, Unchecked: many,
		Rejected: []bundle.Rejected{{Entry: "shop_other__Secret", Reason: "Forbidden"}, {Entry: web.Entry(), Reason: "no reason\n", Message: strings.Repeat("ü", 2*bundle.MaxMessage)}},
	})
	require.Equal(t, 2, result.Checked)
	require.Len(t, result.Unchecked, bundle.MaxTold)
	require.Len(t, result.Rejected, 1)
	require.Equal(t, live.InvalidObject, result.Rejected[0].Reason, "the reason of a condition has a form")
	require.Len(t, result.Rejected[0].Message, bundle.MaxMessage)

	_, why := trying(t, func(p *Publisher, index *bundle.Index) {
		require.True(t, p.store.Answer("eu", index.Trials[0].ID, []byte("[]")))
	})
	require.Equal(t, "the answer of its agent cannot be read", why)
}

func TestAnAgentThatDoesNotAnswer(t *testing.T) {
	result, why := trying(t, func(*Publisher, *bundle.Index) {})
	require.Zero(t, result.Checked)
	require.Equal(t, "its agent did not answer in time", why)

	_, why = trying(t, func(p *Publisher, _ *bundle.Index) {
		p.registry.RecordProbe("eu", reachability.Probe{Known: true, Failure: "its agent is away", At: time.Now()})
	})
	require.Contains(t, why, "its agent is away")
}
