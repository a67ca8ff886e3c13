package lint

import (
	"fmt"
	"io"
	"strings"

	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/propagate"
)

// writeGitHub writes workflow commands, which GitHub shows as annotations of the files. The verdict is a line of the log.
func (r *Report) writeGitHub(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintln(&b, r.Verdict)
	for _, l := range r.Findings {
		fmt.Fprintln(&b, l.github(r.tree))
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// github returns "::error file=policies/web.yaml,line=14,col=5,title=unknown-field::message".
func (l Finding) github(t *load.Tree) string {
	properties := []string{}
	add := func(name, value string) {
		properties = append(properties, name+"="+githubProperty.Replace(value))
	}
	if l.Path != "" {
		add("file", t.RelativePath(l.Path))
	}
	if l.Line > 0 {
		add("line", fmt.Sprint(l.Line))
	}
	if l.Line > 0 && l.Column > 0 {
		add("col", fmt.Sprint(l.Column))
	}
	add("title", l.Code)
	command := map[propagate.Severity]string{propagate.Error: "error", propagate.Warning: "warning", propagate.Note: "notice"}[l.Severity]
	return fmt.Sprintf("::%s %s::%s", command, strings.Join(properties, ","), githubMessage.Replace(l.text()))
}

// text returns the message with the fix.
func (l Finding) text() string { return text.Join("\nFix: ", l.Message, l.Fix) }

// The runner unescapes the characters that would end a message or a property.
var (
	githubMessage  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
