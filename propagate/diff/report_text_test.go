package diff_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/internal/golden"
	"github.com/accord-dev/accord/propagate/diff"
)

// TestJSON pins the names of all fields, because tools read them.
func TestJSON(t *testing.T) {
	r := report(t, golden.Read(t, "testdata/same_but_one.txtar"), nil)
	r.Before.Digest, r.After.Digest = "sha256:before", "sha256:after"
	encoded, err := json.Marshal(r)
	require.NoError(t, err)
	got, err := yaml.JSONToYAML(encoded)
	require.NoError(t, err)
	golden.File(t, "testdata/same_but_one.yaml", string(got), "go test ./propagate/diff -update")
}

// printed returns the report as text, without the digests: report compares them with those of the plans.
func printed(r *diff.Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d objects in %d of %d clusters, %d unchanged:%s\n", r.Totals.Objects, r.Totals.Clusters, r.Totals.Fleet, r.Unchanged, counts(r.Totals.Counts))
	for _, c := range r.Clusters {
		fmt.Fprintf(&b, "cluster %s:%s%s%s\n", c.Name, counts(c.Counts), mark(" joins", c.Joins), mark(" leaves", c.Leaves))
	}
	for _, c := range r.Controls {
		fmt.Fprintf(&b, "control: %s %s%s\n", c.Action, c.Title(), at(c.At))
		for _, h := range c.Hunks {
			fmt.Fprintf(&b, "  %s %s: %q -> %q%s\n", h.Op, h.Path, h.Before, h.After, h.Text)
		}
	}
	for _, c := range r.Changes {
		newChange(&b, c)
	}
	for _, e := range r.Effects {
		fmt.Fprintf(&b, "%s %s: %s%s\n", e.Severity, e.Code, e.Message, at(e.At))
		fmt.Fprintf(&b, "  %s on %s\n", names(e.Objects), strings.Join(e.Clusters, ", "))
		for _, v := range e.Values {
			fmt.Fprintf(&b, "  %s: %q -> %q\n", v.Cluster, v.Before, v.After)
		}
	}
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "finding%s %s %s: %s%s\n", mark(" new", f.New), f.Severity, f.Code, f.Message, at(f.Origin))
	}
	for _, reason := range r.Blocking() {
		fmt.Fprintf(&b, "blocks: %s\n", reason.Code)
	}
	return b.String()
}

func newChange(b *strings.Builder, c diff.Change) {
	var objects []string
	for _, o := range c.Objects {
		objects = append(objects, o.ID.String()+at(o.At))
	}
	fmt.Fprintf(b, "change of %s\n", strings.Join(objects, ", "))
	for _, v := range c.Variants {
		fmt.Fprintf(b, "  %s on %s, %d places", v.Action, strings.Join(v.Clusters, ", "), v.Places)
		if v.Objects != nil {
			fmt.Fprintf(b, ", only %s", names(v.Objects))
		}
		if v.Restarts {
			fmt.Fprintf(b, ", restarts %d pods", v.RestartedPods)
		}
		if v.Message != "" {
			fmt.Fprintf(b, ": %s", v.Message)
		}
		b.WriteString("\n")
		for _, h := range v.Hunks {
			fmt.Fprintf(b, "    %s %s: %q -> %q%s%s%s\n", h.Op, h.Path, h.Before, h.After, h.Text, mark(" secret", h.Secret), mark(" immutable", slices.Contains(v.Immutable, h.Path)))
		}
	}
}

func counts(c diff.Counts) string {
	var b strings.Builder
	for _, n := range []struct {
		of   string
		here int
	}{{"created", c.Created}, {"changed", c.Changed}, {"recreated", c.Recreated}, {"deleted", c.Deleted}, {"kept", c.Kept}, {"held", c.Held}, {"failed", c.Failed}, {"pods", c.RestartedPods}} {
		if n.here > 0 {
			fmt.Fprintf(&b, " %s %d", n.of, n.here)
		}
	}
	return b.String()
}

func names(ids []manifest.ID) string {
	var all []string
	for _, id := range ids {
		all = append(all, id.String())
	}
	return strings.Join(all, ", ")
}

func at(o manifest.Origin) string {
	if o == (manifest.Origin{}) {
		return ""
	}
	return " (" + o.String() + ")"
}

func mark(text string, set bool) string {
	if set {
		return text
	}
	return ""
}
