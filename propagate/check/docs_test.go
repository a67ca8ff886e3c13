package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/internal/golden"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/check"
	"github.com/accord-dev/accord/propagate/dump"
)

const page = "../../docs/reference/checks.md"

// TestPage keeps docs/reference/checks.md what the table says; -update writes it.
func TestPage(t *testing.T) {
	golden.File(t, page, document(), "go test ./propagate/check -update")
}

func TestTable(t *testing.T) {
	all := check.All()
	require.True(t, slices.IsSortedFunc(all, func(a, b check.Check) int { return strings.Compare(a.Code, b.Code) }), "the table is sorted by code")
	for _, c := range all {
		require.Regexp(t, `^[a-z]+(-[a-z]+)+$|^[a-z]+$`, c.Code)
		require.Contains(t, []propagate.Severity{propagate.Error, propagate.Warning, propagate.Note}, c.Severity, c.Code)
		for _, text := range []string{c.Summary, c.Why, c.Fix, c.Example} {
			require.NotEmpty(t, text, c.Code)
		}
		require.NotContains(t, c.Summary, "\n", c.Code)
		require.Len(t, slices.DeleteFunc(slices.Clone(all), func(other check.Check) bool { return other.Code != c.Code }), 1, c.Code)
	}
}

// TestExamples keeps the examples of the page YAML, and those that are whole policies valid but for the one that is about that.
func TestExamples(t *testing.T) {
	for _, c := range check.All() {
		for i, text := range strings.Split(c.Example, "\n---\n") {
			var fields map[string]any
			if err := yaml.Unmarshal([]byte(text), &fields); err != nil {
				var list []any
				require.NoError(t, yaml.Unmarshal([]byte(text), &list), "%s, document %d", c.Code, i)
			}
			kind, _ := fields["kind"].(string)
			if !strings.HasSuffix(kind, "Policy") || c.Code == "invalid" {
				continue
			}
			fields["apiVersion"] = "policy.karmada.io/v1alpha1"
			whole, err := yaml.Marshal(fields)
			require.NoError(t, err)
			_, err = dump.Read(append([]byte("-- policy.yaml --\n"), whole...))
			require.NoError(t, err, "%s, document %d", c.Code, i)
		}
	}
}

func document() string {
	var b strings.Builder
	b.WriteString(`# Checks of accord lint

<!-- Made from propagate/check by go test ./propagate/check -update. -->

An **error** does not do what it declares, and merging it would be a mistake; ` + "`accord lint`" + ` exits 1. A **warning** probably does not do what its author meant. A
**note** is worth knowing. The code of a check is stable. Its severity here is the highest one, and
the text names the conditions for a lower one. The status of every Release has the findings of all checks that need no rendered objects.

| code | severity | finding |
|---|---|---|
`)
	for _, c := range check.All() {
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s |\n", c.Code, c.Code, c.Severity, c.Summary)
	}
	for _, c := range check.All() {
		fmt.Fprintf(&b, "\n## %s\n\n%s: %s.\n\n%s\n\n**Fix.** %s\n\n```yaml%s\n```\n", c.Code, strings.ToUpper(string(c.Severity[0]))+string(c.Severity[1:]),
			c.Summary, c.Why, c.Fix, c.Example)
	}
	return b.String()
}
