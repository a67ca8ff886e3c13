package review

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
	nethtml "golang.org/x/net/html"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/diff"
)

// hostile are words that could break out of their place in Markdown.
var hostile = []string{
	"</details><h1>planted-heading</h1>",
	"```\n\n# planted-heading\n\n````\n~~~\n",
	"a | b || c \\| d |",
	"@planted-mention and planted/mention#12 and !7",
	"<img src=x onerror=alert(1)> <script>alert(1)</script> <!-- ",
	"--> </code></pre></summary></td></tr></table>",
	"[planted-link](https://example.com) ![x](https://example.com/x.png) https://example.com <https://example.com>",
	"line\r\rone\u2028two\u202ethree\x1b[31m\x00",
	"/close\n/approve\n- [x] task\n1. one\n> quote\n---\n***",
	"*bold* _it_ ~~no~~ `code` ``more`` \\",
	"&lt;b&gt; &#64;planted-mention :smile:",
	strings.Repeat("long-", 60),
}

// hostileReview has hostile words in every place that a manifest can write to.
func hostileReview(changes int) *Review {
	word := func(i int) string { return hostile[i%len(hostile)] }
	id := func(i int) manifest.ID {
		return manifest.ID{Group: "rbac", Kind: "ClusterRole", Name: fmt.Sprintf("n%d %s", i, word(i))}
	}
	at := func(i int) manifest.Origin { return manifest.Origin{Path: "dir/" + word(i+1) + ".yaml", Line: i + 1} }
	report := &diff.Report{
		Before: diff.Version{Digest: "sha256:" + strings.Repeat("a", 64)}, After: diff.Version{Digest: "sha256:" + strings.Repeat("b", 64)},
		Totals: diff.Totals{Objects: changes, Clusters: 30, Fleet: 31},
	}
	files := []string{}
	for i := range changes {
		files = append(files, at(i).Path)
		report.Changes = append(report.Changes, diff.Change{
			Objects: []diff.Object{{ID: id(i), At: at(i)}},
			Variants: []diff.Variant{
				{Action: diff.Modify, Clusters: []string{"eu-1", "eu-2"}, Restarts: true, RestartedPods: i, Immutable: []string{word(i)}, Hunks: []diff.Hunk{
					{Path: "data[" + word(i) + "]", Op: "replace", Before: word(i), After: word(i + 3)},
					{Path: "spec", Op: "replace", Text: "@@ -1 +1 @@\n-" + strings.ReplaceAll(word(i), "\n", "\n-")},
				}},
				{Action: diff.Fail, Message: word(i + 2), Clusters: []string{"us-1 " + word(i+4)}, Objects: []manifest.ID{id(i)}},
			},
		})
		report.Effects = append(report.Effects, diff.Effect{
			Code: "moves-replicas", Severity: propagate.Warning, Message: word(i), At: at(i),
			Values: []diff.Value{{Object: id(i), Cluster: word(i + 1), Before: word(i + 2), After: word(i + 3)}},
		})
		report.Findings = append(report.Findings, diff.Finding{Severity: propagate.Note, Code: "deprecated", Origin: at(i), Message: word(i), Fix: word(i + 1)})
	}
	r := &Review{
		Federation: "shop/prod", Base: "feature/`x`|y", Head: "HEAD (1234567)", Report: report, Files: files, instance: "shop/prod", tree: &load.Tree{},
		command: []string{"accord", "plan", "--base", "it's `here`", "--federation", "a|b.yaml"},
		Notes:   hostile[:2],
	}
	r.conclude()
	return r
}

func rendered(t *testing.T, markdown string) string {
	t.Helper()
	var page bytes.Buffer
	md := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe()))
	require.NoError(t, md.Convert([]byte(markdown), &page))
	return page.String()
}

// readable are the elements that a plan is made of, and the attributes that they may have.
var readable = []string{
	"h3", "p", "strong", "code", "pre", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "br",
}

// checkPage reads a page as a browser does and checks that every element is closed where it must be, that there are none
// but those of a plan, and that text which somebody planted is in code or plain.
func checkPage(t *testing.T, page string) {
	t.Helper()
	var open []string
	cells := 0
	for z := nethtml.NewTokenizer(strings.NewReader(page)); ; {
		kind := z.Next()
		token := z.Token()
		switch kind {
		case nethtml.ErrorToken:
			require.True(t, errors.Is(z.Err(), io.EOF))
			require.Empty(t, open, "left open")
			return
		case nethtml.StartTagToken:
			require.Contains(t, readable, token.Data)
			require.Contains(t, []string{"", "class"}, attribute(token), "of %s", token)
			if token.Data == "details" {
				require.NotContains(t, open, "details", "one within another: the first was not closed")
			}
			if token.Data == "tr" {
				cells = 0
			}
			if token.Data == "td" || token.Data == "th" {
				cells++
			}
			if token.Data != "br" {
				open = append(open, token.Data)
			}
		case nethtml.EndTagToken:
			require.NotEmpty(t, open, "%s was not open", token)
			require.Equal(t, open[len(open)-1], token.Data, "in %v", open)
			open = open[:len(open)-1]
			if token.Data == "tr" {
				require.Equal(t, 4, cells, "cells of a row")
			}
		case nethtml.TextToken:
			if !slices.Contains(open, "code") {
				require.NotRegexp(t, `@[a-z]|#[0-9]|!\d|https?://`, token.Data, "in %v", open)
			}
		case nethtml.CommentToken:
			require.Equal(t, " accord:shop/prod:plan ", token.Data)
		}
	}
}

func attribute(token nethtml.Token) string {
	if len(token.Attr) == 0 {
		return ""
	}
	return token.Attr[0].Key
}

func TestMarkdownKeepsWhatWasWrittenInItsPlace(t *testing.T) {
	r := hostileReview(len(hostile))
	text := r.Markdown(MaxBudget)
	require.False(t, strings.Contains(text, "Left out"))
	page := rendered(t, text)
	checkPage(t, page)
	require.Equal(t, len(hostile)+1, strings.Count(page, "<details>"), "one for each change, one for the approval")
	require.Equal(t, 1, strings.Count(page, "<h3>"))
	require.Contains(t, page, "<table>")
	require.NotContains(t, text, "\r")
	require.NotContains(t, text, "\x1b")
	for line := range strings.Lines(text) {
		require.NotRegexp(t, `^/(close|approve)`, line, "GitLab would obey it")
	}
}

func TestMarkdownStaysWithinAnyBudget(t *testing.T) {
	r := hostileReview(60)
	whole := len(r.Markdown(1 << 24))
	require.Greater(t, whole, MaxBudget, "there must be something to leave out")
	for budget := MinBudget; budget <= MaxBudget; budget += 1 + budget/40 {
		text := r.Markdown(budget)
		require.LessOrEqual(t, len(text), budget)
		require.True(t, strings.HasPrefix(text, r.Marker()+"\n"), "found again by its first line")
		require.Contains(t, text, "60 objects in 30 of 31 clusters", "the verdict is never left out")
		require.Contains(t, text, "Left out")
		require.Contains(t, text, "accord plan", "how to see the rest")
		checkPage(t, rendered(t, text))
	}
}

func TestMarkdownLeavesOutFieldsBeforeSummaries(t *testing.T) {
	r := hostileReview(12)
	whole := r.Markdown(1 << 24)
	text := r.Markdown(len(whole) - 1000)
	require.True(t, strings.Contains(text, "fields of "))
	require.Equal(t, strings.Count(whole, "<details>"), strings.Count(text, "<details>"), "all changes")
	require.Equal(t, strings.Count(whole, "\n| "), strings.Count(text, "\n| "), "all rows of the table")
	require.Equal(t, strings.Count(whole, "moves-replicas"), strings.Count(text, "moves-replicas"), "all effects")
}

// TestClustersAndRestartsPrecedeTheFields: a phone shows the first columns of a table.
func TestClustersAndRestartsPrecedeTheFields(t *testing.T) {
	c := diff.Change{
		Objects: []diff.Object{{ID: manifest.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}}},
		Variants: []diff.Variant{
			{Action: diff.Modify, Clusters: []string{"eu-1", "eu-2"}, RestartedPods: 6, Hunks: []diff.Hunk{{Path: "spec.template.spec.containers[web].image"}}},
			{Action: diff.Modify, Clusters: []string{"us-1|<b>"}, Hunks: []diff.Hunk{{Path: "data"}}},
		},
	}
	p := (&Review{Report: &diff.Report{Changes: []diff.Change{c}}}).tablePart()
	require.Contains(t, p.Head, "| what | clusters | change |")
	require.Equal(t, "| `~`\u00a01 | `apps/Deployment shop/web` | 2 clusters, us-1\u00a6&lt;b&gt; differs, **restarts 6 pods** | `spec.template.spec.containers[web].image` |\n", p.Items[0][0])
}
