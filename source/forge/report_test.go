package forge_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/source/forge"
)

func TestReport(t *testing.T) {
	states := map[forge.State][3]string{ // GitHub, GitLab, Gitea
		forge.Pending:    {"pending", "pending", "pending"},
		forge.Success:    {"success", "success", "success"},
		forge.Failure:    {"failure", "failed", "failure"},
		forge.Error:      {"error", "failed", "error"},
		forge.Superseded: {"error", "canceled", "error"},
	}
	column := map[forge.Provider]int{forge.GitHub: 0, forge.GitLab: 1, forge.Gitea: 2}
	everyForge(t, func(t *testing.T, provider forge.Provider) {
		for state, words := range states {
			t.Run(string(state), func(t *testing.T) {
				h := newHost(t, provider)
				err := h.forge(t).Report(t.Context(), commit, forge.Status{
					Context: "accord/rollout", State: state, Description: "eu 12/14 healthy, 1 held, 1 unreachable", TargetURL: "https://accord.example/r/1",
				})
				require.NoError(t, err)
				require.Equal(t, []reported{{
					commit, "accord/rollout", words[column[provider]], "eu 12/14 healthy, 1 held, 1 unreachable", "https://accord.example/r/1",
				}}, h.statuses)
			})
		}
	})
}

func TestReportCutsTheDescription(t *testing.T) {
	everyForge(t, func(t *testing.T, provider forge.Provider) {
		cases := map[string]struct{ given, shown string }{
			"short":            {"ok", "ok"},
			"empty":            {"", ""},
			"of the length":    {strings.Repeat("ü", 140), strings.Repeat("ü", 140)},
			"one more than it": {strings.Repeat("ü", 141), strings.Repeat("ü", 137) + "..."},
		}
		for name, c := range cases {
			t.Run(name, func(t *testing.T) {
				h := newHost(t, provider)
				require.NoError(t, h.forge(t).Report(t.Context(), commit, forge.Status{Context: "accord/plan", State: forge.Success, Description: c.given}))
				require.Equal(t, []reported{{commit, "accord/plan", "success", c.shown, ""}}, h.statuses)
			})
		}
	})
}

func TestReportTwiceTheSame(t *testing.T) {
	everyForge(t, func(t *testing.T, provider forge.Provider) {
		h := newHost(t, provider)
		f := h.forge(t)
		for _, state := range []forge.State{forge.Pending, forge.Pending, forge.Success, forge.Success, forge.Pending, forge.Failure} {
			require.NoError(t, f.Report(t.Context(), commit, forge.Status{Context: "accord/rollout", State: state}))
		}
		require.Len(t, h.writes(), 6)
		require.Contains(t, []string{"failure", "failed"}, h.statuses[0].state)
	})
}

func TestReportThatCannotBeMade(t *testing.T) {
	good := forge.Status{Context: "accord/plan", State: forge.Success}
	cases := map[string]struct {
		commit  string
		status  forge.Status
		message string
	}{
		"a short commit":        {commit[:12], good, "40 hex digits"},
		"a branch":              {"main", good, "40 hex digits"},
		"a way out of the path": {"../../../user/" + commit[:26], good, "40 hex digits"},
		"no context":            {commit, forge.Status{State: forge.Success}, "needs a context"},
		"a state of its own":    {commit, forge.Status{Context: "accord/plan", State: "running"}, `unknown state "running"`},
	}
	everyForge(t, func(t *testing.T, provider forge.Provider) {
		for name, c := range cases {
			t.Run(name, func(t *testing.T) {
				h := newHost(t, provider)
				require.ErrorContains(t, h.forge(t).Report(t.Context(), c.commit, c.status), c.message)
				require.Empty(t, h.asked(), "nothing is asked")
			})
		}
	})
}

func TestAllAtTheSameTime(t *testing.T) {
	everyForge(t, func(t *testing.T, provider forge.Provider) {
		h := newHost(t, provider, note{id: 5, author: me, text: marker})
		f := h.forge(t)
		var callers sync.WaitGroup
		for range 8 {
			callers.Go(func() {
				if _, err := f.Comment(t.Context(), pull, marker, plan); err != nil {
					t.Error(err)
				}
			})
			callers.Go(func() {
				if err := f.Report(t.Context(), commit, forge.Status{Context: "accord/plan", State: forge.Success}); err != nil {
					t.Error(err)
				}
			})
		}
		callers.Wait()
		require.Len(t, h.notes, 1)
		require.Len(t, h.statuses, 8)
	})
}
func TestGitLabsTransitions(t *testing.T) {
	h := newHost(t, forge.GitLab)
	h.refuse = refusal{code: 400, body: `{"message":"Cannot transition status via :run from :running"}`}.ServeHTTP
	f := h.forge(t)
	require.NoError(t, f.Report(t.Context(), commit, forge.Status{Context: "accord/rollout", State: forge.Pending}))
	for _, state := range []forge.State{forge.Success, forge.Failure, forge.Error, forge.Superseded} {
		err := f.Report(t.Context(), commit, forge.Status{Context: "accord/rollout", State: state})
		require.ErrorContains(t, err, "Cannot transition", "an outcome that is not shown is not passed over")
	}
}
