package recovery

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate/importer"
)

func TestReport(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	before := func(d time.Duration) *time.Time { at := now.Add(-d); return &at }
	web := manifest.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}
	settings := manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: "settings"}
	for name, c := range map[string]struct {
		given Report
		add   []importer.Verdict
		code  int
		want  string
	}{
		"in sync": {
			given: Report{Active: policy.ProductionSite, NewestChange: before(time.Minute), Revision: "cluster@sha256:0123456789abcdef"},
			add:   []importer.Verdict{{ID: web, Beyond: []string{"metadata.labels.own"}}, {ID: settings}},
			want: `
shop: production is active; in sync: all 2 objects as the policies want them
  newest change of production on standby: 2026-03-01T11:59:00Z (0123456)
  KIND             OBJECTS  SAME  DIFFER  MISSING
  ConfigMap        1        1     0       0
  apps/Deployment  1        1     0       0
`,
		},
		"differences": {
			given: Report{Active: policy.StandbySite, Excluded: []excluded{{"no policy selects it", []string{"a", "b", "c", "d", "e", "f"}}}},
			add:   []importer.Verdict{{ID: web, Changes: []string{"spec.replicas"}}, {ID: settings, Missing: true}},
			code:  1,
			want: `
shop: standby is active; 2 of 2 objects not as production has them
  KIND             OBJECTS  SAME  DIFFER  MISSING
  ConfigMap        1        0     0       1
  apps/Deployment  1        0     1       0
differs  apps/Deployment shop/web: spec.replicas
missing  ConfigMap shop/settings
excluded a, b, c and 3 more: no policy selects it
`,
		},
		"a failure is worse than a difference": {
			given: Report{Active: policy.ProductionSite, Failed: []problem{{web.String(), "rejected:\nquota"}}},
			add:   []importer.Verdict{{ID: web, Changes: []string{"spec.replicas"}}},
			code:  1,
			want: `
shop: production is active; 1 failure of 1 object
  KIND             OBJECTS  SAME  DIFFER  MISSING
  apps/Deployment  1        0     1       0
differs  apps/Deployment shop/web: spec.replicas
failed   apps/Deployment shop/web: rejected: quota
`,
		},
		"production does not answer": {
			given: Report{Active: policy.ProductionSite, Unread: "cluster production: no answer within 5s", UnreadSince: before(90 * time.Second)},
			code:  5,
			want: `
shop: production is active; production cannot be read: standby lacks the changes of the last 1m30s
  cluster production: no answer within 5s
`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := c.given
			r.Plan, r.Standby = "shop", "standby"
			r.add(c.add)
			r.conclude(now)
			var b strings.Builder
			require.NoError(t, r.print(&b))
			require.Equal(t, strings.TrimPrefix(c.want, "\n"), b.String())
			require.Equal(t, c.code, r.code)
		})
	}
}
