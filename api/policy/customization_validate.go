package policy

import (
	"errors"
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"

	"github.com/accord-dev/accord/api/manifest"
)

// maxScript bounds the size of a script in bytes: compiling takes quadratic time.
const maxScript = 64 << 10

// validate applies the rules of Karmada §7.1 and of its webhook.
func (c *Customization) validate(doc *manifest.Doc) {
	checkVersion(doc, "spec.target.apiVersion", c.Spec.Target.APIVersion)
	doc.Require("spec.target.kind", c.Spec.Target.Kind != "")
	if manifest.IsSecretKind(c.Spec.Target.APIVersion, c.Spec.Target.Kind) {
		doc.Errorf("spec.target.kind", "spec.target is Secret: scripts may not read Secrets, because what they write leaves the cluster; remove this customization")
	}
	scripts := 0
	for _, op := range Operations() {
		if c.Spec.Customizations.of(op) == nil {
			continue
		}
		scripts++
		c.validateScript(doc, op)
	}
	if scripts == 0 {
		doc.Errorf("spec.customizations", "spec.customizations needs at least one script")
	}
}

func (c *Customization) validateScript(doc *manifest.Doc, op Operation) {
	script := c.Script(op)
	if doc.Require(op.field(), script != ""); script == "" {
		return
	}
	if len(script) > maxScript {
		doc.Errorf(op.field(), "%s has %d bytes, and a script may have %d", op.field(), len(script), maxScript)
		return
	}
	if line, why := compile(script); why != "" {
		doc.Errorf(op.line(line), "%s does not compile: %s", op.field(), why)
	}
}

// compile returns the line and text of a compile error; zero values if the script compiles.
func compile(script string) (line int, why string) {
	chunk, err := parse.Parse(strings.NewReader(script), "")
	if err == nil {
		_, err = lua.Compile(chunk, "")
	}
	if err == nil {
		return 0, ""
	}
	if wrong, ok := errors.AsType[*parse.Error](err); ok {
		if wrong.Pos.Line == parse.EOF {
			return strings.Count(strings.TrimRight(script, "\n"), "\n") + 1, wrong.Message + " at its end"
		}
		return wrong.Pos.Line, wrong.Message + near(wrong.Token)
	}
	if wrong, ok := errors.AsType[*lua.CompileError](err); ok {
		return wrong.Line, wrong.Message
	}
	return 0, err.Error()
}

func near(token string) string {
	if token == "" {
		return ""
	}
	return " near " + token
}
