package accord_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// proseSince is the first commit whose successors have subjects of at most 72 characters.
const proseSince = "44347fb"

// relativeComment matches a comment that explains a name by a relative clause.
var relativeComment = regexp.MustCompile(`^\w+ (is|are) (what|who|where|how|whether|why)\b`)

// avoided matches words that have no subject or a standard term in their place: CONTRIBUTING.md.
var avoided = regexp.MustCompile(`(?i)\b(told|anew|whoever|hands off)\b`)

// inlineCode matches Markdown code, which may quote an avoided word.
var inlineCode = regexp.MustCompile("`[^`\n]*`")

func TestProseOfGoFiles(t *testing.T) {
	walk(t, ".", func(name string, entry fs.DirEntry) {
		if entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return
		}
		for _, fault := range goFaults(t, name) {
			t.Error(fault)
		}
	})
}

// goFaults returns the comments and strings of a Go file that break the rule, each with its position.
func goFaults(t *testing.T, name string) []string {
	set := token.NewFileSet()
	syntax, err := parser.ParseFile(set, name, nil, parser.ParseComments|parser.SkipObjectResolution)
	require.NoError(t, err)
	var faults []string
	for _, group := range syntax.Comments {
		for _, comment := range group.List {
			text := strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(comment.Text, "//"), "/*"))
			if match := relativeComment.FindString(text); match != "" {
				faults = append(faults, set.Position(comment.Pos()).String()+": comment of the form \""+match+" ...\"")
			}
			if match := avoided.FindString(text); match != "" {
				faults = append(faults, set.Position(comment.Pos()).String()+": \""+match+"\" in a comment")
			}
		}
	}
	ast.Inspect(syntax, func(node ast.Node) bool {
		if literal, ok := node.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			if match := avoided.FindString(literal.Value); match != "" {
				faults = append(faults, set.Position(literal.Pos()).String()+": \""+match+"\" in a string")
			}
		}
		return true
	})
	return faults
}

func TestProseOfDocs(t *testing.T) {
	walk(t, ".", func(name string, entry fs.DirEntry) {
		if entry.IsDir() || path.Ext(name) != ".md" || !strings.HasPrefix(name, "docs/") && strings.Contains(name, "/") {
			return
		}
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for i, line := range strings.Split(string(text), "\n") {
			if match := avoided.FindString(inlineCode.ReplaceAllString(line, "")); match != "" {
				t.Errorf("%s:%d: %q", name, i+1, match)
			}
		}
	})
}

func TestProseFindsFaults(t *testing.T) {
	name := t.TempDir() + "/a.go"
	require.NoError(t, os.WriteFile(name, []byte("package a\n\n// b is what is told.\nvar b = \"start anew\"\n"), 0o644))
	require.Equal(t, []string{
		name + ":3:1: comment of the form \"b is what ...\"", name + ":3:1: \"told\" in a comment", name + ":4:9: \"anew\" in a string",
	}, goFaults(t, name))
}

// TestCommitSubjectsAreShort checks the commits since proseSince; in a shallow clone, which lacks that commit, only HEAD. An
// exported tree without a repository has no commits to check.
func TestCommitSubjectsAreShort(t *testing.T) {
	if _, err := os.Stat(".git"); err != nil {
		return
	}
	git := func(args ...string) (string, error) {
		out, err := exec.CommandContext(t.Context(), "git", args...).Output()
		return strings.TrimSpace(string(out)), err
	}
	revisions := []string{proseSince + "..HEAD"}
	if _, err := git("merge-base", "--is-ancestor", proseSince, "HEAD"); err != nil {
		revisions = []string{"-1", "HEAD"}
	}
	log, err := git(append([]string{"log", "--no-merges", "--format=%h %s", "--abbrev=7"}, revisions...)...)
	require.NoError(t, err)
	for line := range strings.Lines(log) {
		hash, subject, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if n := utf8.RuneCountInString(subject); n > 72 {
			t.Errorf("%s has %d characters, at most 72 are allowed: %s", hash, n, subject)
		}
	}
}
