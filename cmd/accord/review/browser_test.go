//go:build browser

// The test of this file opens a comment in a real browser; make test-browser runs it.
package review

import (
	"encoding/json"
	"html"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/internal/browser"
	"github.com/accord-dev/accord/propagate/diff"
)

// forge lays out tables as forges do: they scroll, and paths of fields do not break.
const forge = `<!doctype html><style>body{margin:0;padding:16px;font:14px/1.5 system-ui,sans-serif;overflow-wrap:break-word}
table{border-collapse:collapse;display:block;width:max-content;max-width:100%;overflow:auto}td,th{padding:6px 13px;border:1px solid}
code{padding:.2em .4em;font:85% monospace;white-space:break-spaces}pre{overflow:auto}</style>`

// measure writes the right edges of the cells, by column.
const measure = `<script>
const edges = {Scroll: document.documentElement.scrollWidth, Width: innerWidth, Columns: [...document.querySelectorAll('table')].map(t =>
  [...t.querySelectorAll('tr:last-child td')].map(c => c.getBoundingClientRect().right))};
const pre = parent.document.createElement('pre'); pre.id = 'edges'; pre.textContent = JSON.stringify(edges); parent.document.body.append(pre);
</script>`

func TestAPhoneShowsClustersAndRestarts(t *testing.T) {
	c := diff.Change{
		Objects: []diff.Object{{ID: manifest.ID{Group: "apps", Kind: "StatefulSet", Namespace: "payments-production", Name: "settlement-ledger-writer"}}},
		Variants: []diff.Variant{
			{Action: diff.Modify, Clusters: []string{"eu-1", "eu-2"}, RestartedPods: 128, Hunks: []diff.Hunk{{Path: "spec.template.spec.containers[settlement-ledger-writer].env[LEDGER].value"}}},
			{Action: diff.Modify, Clusters: []string{"us-1"}, Hunks: []diff.Hunk{{Path: "data"}}},
		},
	}
	r := &Review{Federation: "payments/ledger", Base: "main", Head: "pull/1", Report: &diff.Report{Changes: []diff.Change{c}}}
	r.conclude()
	page := forge + rendered(t, r.Markdown(MaxBudget)) + measure
	frame := `<!doctype html><iframe width="360" height="800" frameborder="0" srcdoc="` + html.EscapeString(page) + `"></iframe>`
	dom := string(browser.Open(t, frame, "--dump-dom", "--window-size=800,900"))
	found := regexp.MustCompile(`(?s)<pre id="edges">(.*?)</pre>`).FindStringSubmatch(dom)
	require.NotNil(t, found, dom)
	var edges struct {
		Scroll, Width float64
		Columns       [][]float64
	}
	require.NoError(t, json.Unmarshal([]byte(html.UnescapeString(found[1])), &edges))
	require.Equal(t, 360.0, edges.Width)
	require.LessOrEqual(t, edges.Scroll, edges.Width, "the comment scrolls sideways")
	require.Len(t, edges.Columns, 1)
	require.Len(t, edges.Columns[0], 4)
	require.LessOrEqual(t, edges.Columns[0][2], edges.Width, "the clusters are on the screen")
}
