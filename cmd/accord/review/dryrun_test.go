package review

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/propagate/tenancy"
	applied "github.com/accord-dev/accord/reconciler/apply/live"
)

// TestLiveReport: the report does not depend on the order of the answers.
func TestLiveReport(t *testing.T) {
	id := func(name string) manifest.ID { return manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: name} }
	quota := applied.Rejection{ID: id("web"), Reason: applied.QuotaExceeded, Message: "exceeded quota"}
	webhook := applied.Rejection{ID: id("api"), Reason: applied.AdmissionDenied, Message: `admission webhook "w" denied the request`}
	fresh := applied.Unchecked{ID: id("new"), Message: "its namespace is new"}
	colour := []applied.Change{{ID: id("api"), Fields: []string{"data.colour"}}}
	answers := map[string]struct {
		trial applied.DryRunResult
		err   error
	}{
		"eu-1": {applied.DryRunResult{Checked: 3, Compared: 2, Changed: colour, Rejected: []applied.Rejection{quota}, Unchecked: []applied.Unchecked{fresh}}, nil},
		"eu-2": {applied.DryRunResult{Checked: 2, Rejected: []applied.Rejection{webhook, quota}}, nil},
		"eu-3": {applied.DryRunResult{Checked: 1, Compared: 1, Changed: colour, Unchecked: []applied.Unchecked{fresh}}, errors.New("cluster eu-3: no answer to everything within 10s")},
		"us-1": {applied.DryRunResult{}, nil},
	}
	want := &DryRunReport{
		Verdict: "tried 6 objects on 3 of 4 clusters; a delivery changes fields of 2 of 3 objects that exist", Clusters: 4, Asked: 3, Tried: 6,
		Compared: 3, Changed: []ChangedObject{{"ConfigMap shop/api", []string{"data.colour"}, []string{"eu-1", "eu-3"}}},
		Refused: []Rejection{
			{"ConfigMap shop/web", "QuotaExceeded", "exceeded quota", []string{"eu-1", "eu-2"}},
			{"ConfigMap shop/api", "AdmissionDenied", `admission webhook "w" denied the request`, []string{"eu-2"}},
		},
		Unreachable: []UnreachableCluster{{"eu-3", "no answer to everything within 10s"}},
		Untried:     []UntriedObjects{{"its namespace is new", []string{"ConfigMap shop/new"}}},
	}
	for range 8 { // maps come in any order
		l := &DryRunReport{}
		for cluster, a := range answers {
			l.add(cluster, a.trial, a.err)
		}
		l.conclude()
		require.Equal(t, want, l)
	}
	var b strings.Builder
	(&Review{Live: want}).dryRun().text(&b, &load.Tree{})
	require.Equal(t, "live     tried 6 objects on 3 of 4 clusters; a delivery changes fields of 2 of 3 objects that exist\n"+
		"error    eu-1, eu-2 refuse ConfigMap shop/web: exceeded quota\n"+
		"error    eu-2 refuses ConfigMap shop/api: admission webhook \"w\" denied the request\n"+
		"warning  eu-3 could not be asked: no answer to everything within 10s\n"+
		"note     ConfigMap shop/api on eu-1, eu-3: a delivery changes data.colour\n"+
		"note     cannot be tried yet, its namespace is new: ConfigMap shop/new\n\n", b.String())
}

// TestLiveTimeout asks a cluster that accepts connections and never answers.
func TestLiveTimeout(t *testing.T) {
	hole, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, hole.Close()) })
	dir := t.TempDir()
	for file, text := range map[string]string{
		"cluster.yaml": "apiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: eu-1}\nspec: {syncMode: Push}\n",
		"web.yaml":     "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web, namespace: shop}\n",
		"policy.yaml": "apiVersion: policy.karmada.io/v1alpha1\nkind: ClusterPropagationPolicy\nmetadata: {name: all}\n" +
			"spec: {resourceSelectors: [{apiVersion: v1, kind: ConfigMap}], placement: {}}\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600))
	}
	p, err := (&load.Flags{Paths: []string{"."}}).Plan(t.Context(), dir, nil)
	require.NoError(t, err)
	f := &DryRunFlags{timeout: 300 * time.Millisecond}
	began := time.Now()
	trial, err := f.tryOn(t.Context(), "default/shop", tenancy.Account{}, p.Plan, "eu-1", func(context.Context, string) (*rest.Config, error) {
		return &rest.Config{Host: "https://" + hole.Addr().String()}, nil
	})
	require.ErrorContains(t, err, "timeout after 300ms")
	require.Zero(t, trial.Checked)
	require.Less(t, time.Since(began), 20*time.Second)
}
