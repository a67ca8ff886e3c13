package forge_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/source/forge"
)

func TestOpenPull(t *testing.T) {
	everyForge(t, func(t *testing.T, provider forge.Provider) {
		h := newHost(t, provider)
		asked := forge.PullRequest{Title: "hold cluster eu-1: " + strings.Repeat("ü", 300), Body: "one\n/merge", Head: "accord/hold", Base: "main"}
		url, err := h.forge(t).OpenPull(t.Context(), asked)
		require.NoError(t, err)
		require.Equal(t, h.server.URL+"/pull/8", url)
		want := asked
		want.Title = asked.Title[:len("hold cluster eu-1: ")] + strings.Repeat("ü", 255-len("hold cluster eu-1: ")-3) + "..."
		if provider == forge.GitLab {
			want.Body = "one\n /merge" // the forge must not execute it
		}
		require.Equal(t, []forge.PullRequest{want}, h.pulls)

		_, err = h.forge(t).OpenPull(t.Context(), asked)
		require.ErrorContains(t, err, "open a pull request from accord/hold to main of ")
		require.ErrorContains(t, err, "already exists")
	})
}

func TestOpenPullThatCannotBeMade(t *testing.T) {
	everyForge(t, func(t *testing.T, provider forge.Provider) {
		h := newHost(t, provider)
		for message, p := range map[string]forge.PullRequest{
			"needs a title":      {Head: "a", Base: "main"},
			"needs two branches": {Title: "x", Head: "main", Base: "main"},
		} {
			_, err := h.forge(t).OpenPull(t.Context(), p)
			require.ErrorContains(t, err, message)
		}
		require.Empty(t, h.asked())
		h.refuse = func(w http.ResponseWriter, _ *http.Request) { answer(w, 403, map[string]any{"message": "no " + token}) }
		_, err := h.forge(t).OpenPull(t.Context(), forge.PullRequest{Title: "x", Head: "a", Base: "main"})
		require.ErrorIs(t, err, forge.ErrDenied)
		requireNoToken(t, err.Error())
	})
}
