package page_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/cmd/accord/view/page"
	"github.com/accord-dev/accord/cmd/accord/view/picture"
)

func at(minutes int) time.Time {
	return time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC).Add(time.Duration(minutes) * time.Minute)
}

// halted is a federation of 30 clusters whose rollout stopped in its second stage.
func halted() page.Federation {
	const pull = `ImagePullBackOff: Back-off pulling image "registry.example.com/shop/api:1.8.2" (pod api-5f7c9d8b6c-x2x4q)`
	f := page.Federation{
		ID: "shop.checkout", Name: "checkout", Verdict: "HALTED", Figures: "stage 2 of 3, 11/30 clusters healthy, 1 failed, 1 unreachable", Tone: page.Bad,
		Revision: "4f2c9e1", FullRevision: "main@sha1:4f2c9e1a0b3c5d7e9f1a2b3c4d5e6f7a8b9c0d1e", Subject: "bump api to 1.8.2", Commit: "committed 32m ago by Ada",
		Next: "correct it and push; or, to try it again as it is:", Command: "accord resume standard --rollout-id 1f0c9e21aa04",
		Rollouts: []page.Rollout{{
			Name: "standard", ID: "1f0c9e21aa04", Phase: "Halted", Duration: "began 30m ago",
			Lines:   []string{"Halted: 1 of 12 clusters of stage europe is not healthy, and the stage can bear 0: eu-7: apps/Deployment shop/api: " + pull},
			Figures: []string{"1/1 on 4f2c9e1, 1/1 healthy", "3/12 on 4f2c9e1, 1/12 healthy", "0/17 on 4f2c9e1, 0/17 healthy"},
			Rollout: picture.Rollout{Title: "checkout", Begin: at(0), End: at(30), Stages: []picture.Stage{
				{Name: "canary", Note: "completed 12:15:00, soaked 10m", Clusters: []picture.Cluster{
					{Name: "eu-1", Bars: []picture.Bar{{Kind: picture.Changing, From: at(0), To: at(5)}, {Kind: picture.Soaking, From: at(5), To: at(15)}, {Kind: picture.Passed, From: at(15), To: at(30)}}},
				}},
				{Name: "europe", Note: "9 pending; 1 failing; 1 unreachable", Clusters: []picture.Cluster{
					{Name: "eu-2", Bars: []picture.Bar{{Kind: picture.Waits, From: at(0), To: at(15)}, {Kind: picture.Changing, From: at(15), To: at(15)}, {Kind: picture.Passed, From: at(15), To: at(30)}}},
					{Name: "eu-7", Bars: []picture.Bar{{Kind: picture.Waits, From: at(0), To: at(15)}, {Kind: picture.Changing, From: at(15), To: at(25)}, {Kind: picture.Failing, From: at(25), To: at(30)}}},
					{Name: "eu-8", Bars: []picture.Bar{{Kind: picture.Waits, From: at(0), To: at(15)}, {Kind: picture.Away, From: at(15), To: at(30)}}},
				}, Omitted: 9},
				{Name: "world", Note: "waits for europe", Clusters: []picture.Cluster{{Name: "us-1", Bars: []picture.Bar{{Kind: picture.Waits, From: at(0), To: at(30)}}}}, Omitted: 16},
			}},
		}},
		Clusters: []page.Cluster{
			{Name: "eu-7", State: "Failed", Tone: page.Bad, Healthy: "38/40", On: "4f2c9e1", Newest: true, Since: "5m", Note: "apps/Deployment shop/api: 1 of 2 updated, 2 of 2 available; " + pull},
			{Name: "eu-8", State: "Unreachable", Tone: page.Warn, Healthy: "40/40", On: "1b77d03", Since: "15m", Note: "last probe 15m ago: dial tcp 203.0.113.7:6443: i/o timeout"},
			{Name: "eu-9", State: "Progressing", Tone: page.Moving, Healthy: "39/40", On: "4f2c9e1", Newest: true, Since: "40s", Note: "apps/Deployment shop/api: 1 of 2 updated"},
		},
		Rest:     []string{"cluster us-99 was removed 3h ago; 2 objects left in place: v1/Namespace shop, apps/Deployment shop/api (unreachable; last probe 4h ago)"},
		Problems: []page.Problem{{Cluster: "eu-7", Object: "apps/Deployment shop/api", State: "Failed for 5m", Message: pull}},
		Notes:    []string{"2 objects of eu-1 have a value that a webhook changed"},
	}
	f.Folded = []page.Group{{On: "1b77d03"}, {On: "4f2c9e1"}}
	for i := range 17 {
		f.Folded[0].Clusters = append(f.Folded[0].Clusters, page.Cluster{Name: fmt.Sprintf("us-%d", i+1), State: "Healthy", Tone: page.Good, Healthy: "40/40", On: "1b77d03", Since: "3d"})
	}
	for i := range 13 {
		f.Folded[1].Clusters = append(f.Folded[1].Clusters, page.Cluster{Name: fmt.Sprintf("eu-%d", i+10), State: "Healthy", Tone: page.Good, Healthy: "40/40", On: "4f2c9e1", Newest: true, Since: "12m"})
	}
	return f
}

// rolledBack is a federation whose clusters were given back their last version.
func rolledBack() page.Federation {
	return page.Federation{
		ID: "shop.search", Name: "search", Verdict: "ROLLED BACK", Figures: "stage 1 of 2, 3/3 clusters healthy", Tone: page.Bad,
		Revision: "9ac01f2", FullRevision: "main@sha1:9ac01f2", Subject: "search: new index", Commit: "committed 2h ago by Grace",
		Rollouts: []page.Rollout{{
			Name: "shop/search", ID: "77aa9e21aa04", Phase: "RolledBack", Duration: "began 2h ago", Lines: []string{"RolledBack: 1b77d03 runs, 9ac01f2 does not: eu-1 was not healthy in time", "given back: 1b77d03"},
			Figures: []string{"0/2 on 9ac01f2, 0/2 healthy", "0/1 on 9ac01f2, 0/1 healthy"},
			Rollout: picture.Rollout{Begin: at(0), End: at(120), Stages: []picture.Stage{
				{Name: "canary", Clusters: []picture.Cluster{
					{Name: "eu-1", Bars: []picture.Bar{{Kind: picture.Had, From: at(0), To: at(30)}, {Kind: picture.Restored, From: at(30), To: at(120)}}},
					{Name: "eu-2", Bars: []picture.Bar{{Kind: picture.Waits, From: at(0), To: at(10)}, {Kind: picture.Had, From: at(10), To: at(30)}, {Kind: picture.Restored, From: at(30), To: at(120)}}},
				}},
				{Name: "world", Note: "waits for canary", Clusters: []picture.Cluster{{Name: "us-1", Bars: []picture.Bar{{Kind: picture.Waits, From: at(0), To: at(120)}}}}},
			}},
		}},
		Clusters: []page.Cluster{
			{Name: "eu-1", State: "Healthy", Tone: page.Good, Healthy: "12/12", On: "1b77d03", Since: "1h", Note: "rolled back"},
			{Name: "eu-2", State: "Held", Tone: page.Warn, Healthy: "12/12", On: "1b77d03", Since: "1h", Note: "rolled back; 3/12 objects held"},
		},
	}
}

// hostile has long and strange words in every place.
func hostile() page.Federation {
	long, script := strings.Repeat("w", 253), "</svg></style><script>planted()</script>\x00\u202e"
	f := halted()
	f.Name, f.Subject, f.Message, f.Errors = long, script+long, script, []string{long, script}
	f.Rollouts[0].Name, f.Rollouts[0].Stages[0].Name, f.Rollouts[0].Stages[0].Note = "ns/"+long, long, strings.Repeat("no message is short ", 50)
	f.Rollouts[0].Stages[1].Clusters[1].Name, f.Clusters[0].Name, f.Clusters[0].Note = long+script, long, script+long
	f.Problems[0].Object, f.Problems[0].Message, f.Next = "apps/Deployment "+long+"/"+long, script+long, script
	f.Command = "accord why " + long
	return f
}

// overview has several federations.
func overview() page.Page {
	return page.Page{Now: at(32), Federations: []page.Federation{
		halted(), rolledBack(),
		{ID: "infra.platform", Name: "platform", Verdict: "READY", Figures: "30/30 clusters healthy", Tone: page.Good, Revision: "c0ffee1", Subject: "upgrade ingress", Commit: "committed 6d ago by Linus"},
		{ID: "bank.payments-and-settlement-of-accounts", Name: "payments-and-settlement-of-accounts", Verdict: "WAITING FOR APPROVAL", Figures: "stage 1 of 4, 2/30 clusters healthy", Tone: page.Warn, Revision: "deadbee", Subject: "raise limits", Commit: "committed 1h ago by Mary", Command: "accord approve --rollout-id 99aa"},
		{ID: "shop.new", Name: "new", Verdict: "NOT SEEN YET", Figures: "no commit was read so far", Tone: page.Idle},
	}}
}

func one(f page.Federation) page.Page {
	return page.Page{Now: at(32), Federations: []page.Federation{f}}
}

func written(t *testing.T, p page.Page) string {
	var b bytes.Buffer
	require.NoError(t, p.Write(&b))
	return b.String()
}

func TestPageIsOneFile(t *testing.T) {
	for name, p := range map[string]page.Page{"one": one(halted()), "hostile": one(hostile()), "overview": overview(), "none": {Empty: "no federations in namespace shop"}} {
		t.Run(name, func(t *testing.T) {
			got := written(t, p)
			require.NotContains(t, got, "<script")
			require.NotRegexp(t, `(?i)src=|href="[^#]|url\((?:"|')?http|@import|javascript:|[^\x{20}-\x{10ffff}\n]|\x{202e}`, got)
		})
	}
}

func TestPageIsLoadedAgain(t *testing.T) {
	p := overview()
	require.NotContains(t, written(t, p), "http-equiv")
	p.Refresh = 90 * time.Second
	require.Contains(t, written(t, p), `<meta http-equiv="refresh" content="90">`)
}

func TestIndexLeadsToEachFederation(t *testing.T) {
	got := written(t, overview())
	require.Contains(t, got, "<title>1 of 5 federations ready</title>")
	require.Contains(t, got, `<a href="#shop.checkout">checkout</a>`)
	require.Contains(t, got, `id="shop.checkout"`)
	require.Contains(t, written(t, page.Page{Empty: "no federations in namespace shop"}), "<p>no federations in namespace shop</p>")
	alone := written(t, one(halted()))
	require.Contains(t, alone, "<title>HALTED: checkout</title>")
	require.NotContains(t, alone, "Federations")
}

func TestBarsHaveTheirShareOfTheTime(t *testing.T) {
	got := written(t, one(halted()))
	require.Contains(t, got, `<rect class="soaking" x="16.67%" width="33.33%"`)
	require.Contains(t, got, `<rect class="changing" x="50.00%" width="0.60%"`, "what took no time can be seen")
	require.Contains(t, got, `aria-label="eu-7: waits for 15m, 12:00:00 to 12:15:00 UTC; eu-7: changing for 10m`)
	require.Contains(t, got, `<span class="now">failing, 5m</span>`)
	require.NotContains(t, got, "<b>restored</b>", "the legend has what the timeline shows")
}
