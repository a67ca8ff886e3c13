package forge_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/source/forge"
)

const plan = marker + "\n### Federation plan\n14 clusters affected\n"

// discussion is so many comments of others.
func discussion(n int) []note {
	var notes []note
	for i := range n {
		notes = append(notes, note{id: int64(i + 1), author: other, text: "looks good"})
	}
	return notes
}

func TestComment(t *testing.T) {
	far := discussion(250)
	far[3].text = plan                                  // page 1, somebody else's
	far[230] = note{id: 231, author: me, text: "older"} // page 3, 5 at Gitea
	far[231] = note{id: 232, author: me, text: marker + "\nan earlier plan"}
	twice := discussion(120)
	twice[10] = note{id: 11, author: me, text: marker + "\nfirst"}
	twice[110] = note{id: 111, author: me, text: marker + "\nsecond"}
	cases := map[string]struct {
		notes   []note
		body    string
		created bool
		kept    int64  // ID of the remaining comment
		gone    int64  // a comment that is deleted
		text    string // its text; empty: body
		writes  int
	}{
		"there is no comment":                      {body: plan, created: true, writes: 1},
		"the comment is on page 3":                 {notes: far, body: plan, kept: 232, writes: 1},
		"the comment is up to date":                {notes: []note{{id: 5, author: me, text: plan}}, body: plan, kept: 5},
		"it is stored with other line ends":        {notes: []note{{id: 5, author: me, text: strings.ReplaceAll(plan, "\n", "\r\n")}}, body: plan, kept: 5},
		"it is stored without the last line end":   {notes: []note{{id: 5, author: me, text: strings.TrimSpace(plan)}}, body: plan, kept: 5},
		"only somebody else has the marker":        {notes: []note{{id: 5, author: other, text: plan}}, body: plan, created: true, writes: 1},
		"the account has quoted it":                {notes: []note{{id: 5, author: me, text: "> " + marker + "\n\nwhy?"}}, body: plan, created: true, writes: 1},
		"the account has another tool's comment":   {notes: []note{{id: 5, author: me, text: "<!-- accord:9999:plan -->\n"}}, body: plan, created: true, writes: 1},
		"the marker stands at the end":             {notes: []note{{id: 5, author: me, text: "plan\n" + marker}}, body: plan, kept: 5, writes: 1},
		"two runs at once have made two":           {notes: twice, body: plan, kept: 11, gone: 111, writes: 2},
		"the body comes without the marker":        {body: "a plan", text: marker + "\na plan", created: true, writes: 1},
		"the body only speaks of the marker":       {body: "see `" + marker + "`", text: marker + "\nsee `" + marker + "`", created: true, writes: 1},
		"as many comments as a page has, all read": {notes: discussion(100), body: plan, created: true, writes: 1},
	}
	everyForge(t, func(t *testing.T, provider forge.Provider) {
		for name, c := range cases {
			t.Run(name, func(t *testing.T) {
				h := newHost(t, provider, slices.Clone(c.notes)...)
				link, err := h.forge(t).Comment(t.Context(), pull, marker, c.body)
				require.NoError(t, err)

				want := slices.DeleteFunc(slices.Clone(c.notes), func(n note) bool { return n.id == c.gone })
				text := c.body
				if c.text != "" {
					text = c.text
				}
				kept := c.kept
				if c.created {
					kept = 9000 + int64(len(c.notes))
					want = append(want, note{id: kept, author: me, text: text})
				} else if at := slices.IndexFunc(want, func(n note) bool { return n.id == kept }); c.writes > 0 {
					want[at].text = text
				}
				require.Equal(t, want, h.notes)
				require.Equal(t, h.link(kept), link)
				require.Len(t, h.writes(), c.writes)
			})
		}
	})
}

func TestCommentFollowsThePlan(t *testing.T) {
	everyForge(t, func(t *testing.T, provider forge.Provider) {
		h := newHost(t, provider, discussion(3)...)
		f := h.forge(t)
		first, err := f.Comment(t.Context(), pull, marker, plan)
		require.NoError(t, err)
		second, err := f.Comment(t.Context(), pull, marker, plan+"and one more\n")
		require.NoError(t, err)
		third, err := f.Comment(t.Context(), pull, marker, plan+"and one more\n")
		require.NoError(t, err)
		require.Equal(t, first, second)
		require.Equal(t, first, third)
		require.Len(t, h.notes, 4)
		require.Equal(t, plan+"and one more\n", h.notes[3].text)
		require.Len(t, h.writes(), 2)
		asked := slices.DeleteFunc(h.asked(), func(r string) bool { return !strings.HasSuffix(r, "/user") })
		require.Len(t, asked, 1, "the account is asked for once")
	})
}

func TestCommentThatCannotBeMade(t *testing.T) {
	cases := map[string]struct {
		pull         int
		marker, body string
		message      string
	}{
		"no pull request":         {0, marker, plan, "numbered from 1"},
		"a marker of two lines":   {pull, "<!-- a\nb -->", plan, "a marker is one line"},
		"no marker":               {pull, "", plan, "a marker is one line"},
		"a marker in space":       {pull, " " + marker, plan, "a marker is one line"},
		"a body that is too long": {pull, marker, strings.Repeat("ä", 1_000_001), "characters, the limit is"},
	}
	everyForge(t, func(t *testing.T, provider forge.Provider) {
		for name, c := range cases {
			t.Run(name, func(t *testing.T) {
				h := newHost(t, provider)
				_, err := h.forge(t).Comment(t.Context(), c.pull, c.marker, c.body)
				require.ErrorContains(t, err, c.message)
				require.Empty(t, h.asked(), "nothing is asked")
			})
		}
	})
}

func TestCommentOfExactlyTheLength(t *testing.T) {
	everyForge(t, func(t *testing.T, provider forge.Provider) {
		limit := provider.MaxComment()
		body := marker + "\n" + strings.Repeat("ä", limit-len(marker)-1)
		h := newHost(t, provider)
		_, err := h.forge(t).Comment(t.Context(), pull, marker, body)
		require.NoError(t, err)
		_, err = h.forge(t).Comment(t.Context(), pull, marker, body+"ä")
		require.ErrorContains(t, err, "characters, the limit is")
	})
}

// An app's token, as every workflow has one, may not read /user.
func TestCommentWithAnAppsToken(t *testing.T) {
	h := newHost(t, forge.GitHub, note{id: 5, author: other, text: plan}, note{id: 6, author: me, text: marker})
	h.app = true
	link, err := h.forge(t).Comment(t.Context(), pull, marker, plan)
	require.NoError(t, err)
	require.Equal(t, h.link(6), link)
	require.Contains(t, h.asked(), "POST /api/graphql")
}

// Gitea's list of comments has no pages today, whatever page one asks for.
func TestCommentAmongAllAtOnce(t *testing.T) {
	notes := discussion(180)
	notes[170] = note{id: 171, author: me, text: marker}
	h := newHost(t, forge.Gitea, notes...)
	h.pageSize = 0
	link, err := h.forge(t).Comment(t.Context(), pull, marker, plan)
	require.NoError(t, err)
	require.Equal(t, h.link(171), link)
	require.Len(t, h.notes, 180)
}

func TestCommentIsNoCommandToGitLab(t *testing.T) {
	body := "/approve\n" + marker + "\nthe value is\n/merge\n```\n/close\n```\n\r/label ~ok\na /path\n"
	h := newHost(t, forge.GitLab)
	f := h.forge(t)
	_, err := f.Comment(t.Context(), pull, marker, body)
	require.NoError(t, err)
	require.Equal(t, " /approve\n"+marker+"\nthe value is\n /merge\n```\n /close\n```\n\r /label ~ok\na /path\n", h.notes[0].text)
	_, err = f.Comment(t.Context(), pull, marker, body)
	require.NoError(t, err)
	require.Len(t, h.writes(), 1, "what was changed on the way is still the same text")
}

func TestCommentIsNoneThatGitLabMade(t *testing.T) {
	h := newHost(t, forge.GitLab, note{id: 5, author: me, text: plan, system: true})
	link, err := h.forge(t).Comment(t.Context(), pull, marker, plan)
	require.NoError(t, err)
	require.Equal(t, h.link(9001), link)
}

func TestGitLabGroupsInGroupsAreEscaped(t *testing.T) {
	h := newHost(t, forge.GitLab)
	_, err := h.forge(t).Comment(t.Context(), pull, marker, plan)
	require.NoError(t, err)
	require.Equal(t, []string{"POST /api/v4/projects/acme%2Fplatform%2Ffleet/merge_requests/7/notes"}, h.writes())
}
