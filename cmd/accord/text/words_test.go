package text

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestProse(t *testing.T) {
	for in, want := range map[string]string{
		"plain words: 3 of 4":  "plain words: 3 of 4",
		"100%":                 "100%",
		"a <b> & c":            "a &lt;b&gt; &amp; c",
		"*x* [y]":              `\*x\* \[y\]`,
		"two\nlines\r\nof  it": "two lines of it",
		"\u202eturned":         `\\u202eturned`,
		"@ada":                 "@\u200bada",
	} {
		require.Equal(t, want, MarkdownText(in))
	}
}

func TestWrappedText(t *testing.T) {
	var b strings.Builder
	Wrap(&b, "note: ", strings.Repeat("word ", 30)+strings.Repeat("x", 130))
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	require.Len(t, lines, 4)
	require.Equal(t, "note: "+strings.TrimSpace(strings.Repeat("word ", 22)), lines[0])
	require.True(t, strings.HasPrefix(lines[1], "      word"))
	require.Equal(t, 130, strings.Count(b.String(), "x"), "nothing of a long word is lost")
}

func TestCommandLine(t *testing.T) {
	require.Equal(t, `accord plan --base origin/main~2 --path 'my apps' '$(x)' 'it'\''s'`,
		CommandLine([]string{"accord", "plan", "--base", "origin/main~2", "--path", "my apps", "$(x)", "it's"}))
}

func TestAge(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	at := func(d time.Duration) *metav1.Time { return &metav1.Time{Time: now.Add(-d)} }
	for want, when := range map[string]*metav1.Time{
		"-": nil, "41m": at(41 * time.Minute), "2d": at(48 * time.Hour), "0s": at(-time.Minute),
	} {
		require.Equal(t, want, Age(when, now))
	}
	require.Equal(t, "-", Age(&metav1.Time{Time: time.Unix(0, 0)}, now), "the definitions default to 1970: not known")
}

func TestWords(t *testing.T) {
	require.Equal(t, "a: c", Join(": ", "a", "", "c"))
}

func TestBrief(t *testing.T) {
	require.Equal(t, `{"a":[1,"b"]}`, Brief(map[string]any{"a": []any{int64(1), "b"}}))
	require.Equal(t, `"a < b > c & d"`, Brief("a < b > c & d"))
	require.Equal(t, "nothing", Brief(nil))
	long := Brief(strings.Repeat("ä", 200))
	require.Equal(t, `"`+strings.Repeat("ä", maxBrief-1)+"...", long)
}
