package policy

import (
	"bytes"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
)

// DecodeCustomization decodes a ResourceInterpreterCustomization strictly and validates it. A script that does not
// compile is a mistake at the line of the file where Lua reports the error (Karmada §7.1). Text and error are as in
// Decode.
func DecodeCustomization(u *unstructured.Unstructured, text []byte, origin manifest.Origin) (Customization, error) {
	written, doc := read[CustomizationSpec](u, text, origin)
	c := Customization{Meta: written.meta(doc, ""), Spec: written.Spec}
	c.indexScripts(text)
	written.check(doc, ConfigGroup, "ResourceInterpreterCustomization")
	c.validate(doc)
	return c, doc.Err()
}

// blockHeader matches the end of a line after which a literal block begins, "luaScript: |-  # comment".
var blockHeader = regexp.MustCompile(`:[ \t]+(?:[!&]\S+[ \t]+)*\|[-+0-9]*[ \t]*(?:#.*)?\r?$`)

// indexScripts records the positions of script lines. Only in a literal block does each line of a script have a line
// of the file.
func (c *Customization) indexScripts(text []byte) {
	lines := bytes.Split(text, []byte("\n"))
	for _, op := range Operations() {
		at, known := c.Lines[op.field()]
		i := at.Line - c.Origin.Line
		if !known || i < 0 || i >= len(lines) || !blockHeader.Match(lines[i]) {
			continue
		}
		for n := range strings.Count(c.Script(op), "\n") + 1 {
			if i+1+n < len(lines) {
				c.Lines[op.line(n+1)] = manifest.Position{Line: at.Line + 1 + n}
			}
		}
	}
}
