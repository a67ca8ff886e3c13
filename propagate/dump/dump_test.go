package dump_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/internal/golden"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/dump"
)

// cases returns the planner's test cases that have a plan, by file.
func cases(t testing.TB) map[string]propagate.Input {
	inputs := map[string]propagate.Input{}
	for _, c := range golden.Cases(t, "../testdata/*.txtar") {
		if !strings.HasPrefix(c.Name, "error_") {
			inputs[c.Name] = load(t, string(c.Text()))
		}
	}
	return inputs
}

func plan(t testing.TB, in propagate.Input) *propagate.Plan {
	t.Helper()
	p, err := propagate.New(in)
	require.NoError(t, err)
	return p
}

func load(t testing.TB, text string) propagate.Input {
	t.Helper()
	in, err := dump.Read([]byte(text))
	require.NoError(t, err)
	return in
}

func written(t *testing.T, in propagate.Input) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, dump.Write(&b, in))
	return b.String()
}

func TestDumpReadsBackAsTheSamePlan(t *testing.T) {
	for file, in := range cases(t) {
		in.Revision = "main@sha1:0123"
		text := written(t, in)
		back := load(t, text)
		require.Equal(t, in.Federation, back.Federation)
		require.Equal(t, in.Revision, back.Revision)
		require.Equal(t, plan(t, in).Digest(), plan(t, back).Digest(), file)
		require.Equal(t, withoutComments(text), withoutComments(written(t, back)), file)
	}
}

// withoutComments leaves out where manifests came from, which is in the dump itself the second time.
func withoutComments(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "# ") {
			b.WriteString(line)
		}
	}
	return b.String()
}

func TestDumpShowsNoSecret(t *testing.T) {
	in := load(t, `
-- objects.yaml --
apiVersion: v1
kind: Secret
metadata:
  name: key
  namespace: shop
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: '{"data":{"password":"aHVudGVyMg=="}}'
data:
  password: aHVudGVyMg==
  again: aHVudGVyMg==
stringData: {plain: hunter2, other: swordfish}
-- policies.yaml --
apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata: {name: key, namespace: shop}
spec:
  resourceSelectors: [{apiVersion: v1, kind: Secret}]
  overrideRules:
  - overriders:
      plaintext:
      - {path: /data/password, operator: replace, value: aHVudGVyMg==}
      - {path: /stringData, operator: replace, value: {plain: swordfish}}
      - {path: /metadata/labels/shown, operator: add, value: "yes"}
      - {path: /data/again, operator: remove}
---
apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata: {name: other, namespace: shop}
spec:
  resourceSelectors: [{apiVersion: v1, kind: ConfigMap}]
  overrideRules:
  - overriders:
      plaintext:
      - {path: /data/color, operator: replace, value: blue}
`)
	in.Objects[0].Manifest.Get().Object["data"].(map[string]any)["broken"] = "hunter2 is not base64"
	text := written(t, in)
	for _, secret := range []string{"hunter2", "aHVudGVyMg", "swordfish", "base64"} {
		require.NotContains(t, text, secret)
	}
	for _, line := range []string{
		"  again: UkVEQUNURUQtMQ==\n", "  password: UkVEQUNURUQtMQ==\n", // REDACTED-1, both
		"  plain: REDACTED-1\n", "  other: REDACTED-3\n", "plain: REDACTED-3\n",
		"value: UkVEQUNURUQtMQ==\n", "value: \"yes\"\n", "value: blue\n",
	} {
		require.Contains(t, text, line)
	}
	load(t, text)
	require.Contains(t, string(in.Overrides[0].Spec.OverrideRules[0].Overriders.Plaintext[0].Value.Raw), "aHVudGVyMg", "the input is left alone")
}

func TestDumpSaysWhereManifestsCameFrom(t *testing.T) {
	in := load(t, "-- apps/web.yaml --\n\n{apiVersion: v1, kind: ConfigMap, metadata: {name: web}}\n")
	require.Contains(t, written(t, in), "# apps/web.yaml:2\n")
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestDumpErrors(t *testing.T) {
	require.EqualError(t, dump.Write(brokenPipe{}, propagate.Input{}), "dumping the input: broken pipe")
}

func TestLoadErrors(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a path out of the archive", "-- ../a.yaml --\n", "reading the archive"},
		{"no YAML", "-- a.yaml --\na: b: c\n", "a.yaml:1"},
		{"unknown field", "-- a.yaml --\n{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: a}, spec: {regoin: eu}}\n", `did you mean "region"?`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := dump.Read([]byte(c.text))
			require.ErrorContains(t, err, c.want)
		})
	}
}

// FuzzLoad: no text makes reading, planning or rendering panic, and two plans of it are the same.
func FuzzLoad(f *testing.F) {
	for _, in := range cases(f) {
		var b bytes.Buffer
		require.NoError(f, dump.Write(&b, in))
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		in, err := dump.Read(text)
		if err != nil {
			return
		}
		p, err := propagate.New(in)
		if err != nil {
			return
		}
		require.Equal(t, p.Digest(), plan(t, in).Digest())
	})
}
