package policy

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/accord-dev/accord/api/manifest"
)

// Deprecation is a field in a deprecated form. The form works; Karmada may remove it.
type Deprecation struct {
	// Field is the path of the field in the manifest, for Meta.At.
	Field string
	// Message is a sentence that describes the deprecated form.
	Message string
	// Instead is the equivalent YAML that replaces the fields named in Message, without indentation. It has at most 4
	// KiB; a longer value appears as <as it is, 4096 characters>. Empty means to delete the fields.
	Instead string
}

// Bounds of Deprecation.Instead.
const (
	maxInstead = 4 << 10
	maxShown   = 200 // characters of one value in Instead
)

// deprecations returns those of a PropagationPolicy (Karmada §1.2, §1.4).
func deprecations(doc *manifest.Doc) []Deprecation {
	var found []Deprecation
	switch doc.Value("spec.association") {
	case true:
		found = append(found, Deprecation{
			Field:   "spec.association",
			Message: "spec.association is never read; propagateDeps is what takes dependencies along",
			Instead: "propagateDeps: true\n",
		})
	case false:
		found = append(found, Deprecation{Field: "spec.association", Message: "spec.association is never read"})
	}
	for _, of := range []string{"application", "cluster"} {
		field := "spec.failover." + of + ".purgeMode"
		if written, _ := doc.Value(field).(string); written != "" && purgeMode(written) != written {
			found = append(found, Deprecation{
				Field:   field,
				Message: fmt.Sprintf("%s: %s is the old name of %s; Karmada 1.19 refuses it", field, written, purgeMode(written)),
				Instead: "purgeMode: " + purgeMode(written) + "\n",
			})
		}
	}
	return found
}

// singleRule returns the deprecation of targetCluster and overriders in the spec of an override; together they are
// one deprecation (Karmada §1.5).
func singleRule(doc *manifest.Doc) []Deprecation {
	var fields []string
	rule, skeleton := &yaml.Node{Kind: yaml.MappingNode}, &yaml.Node{Kind: yaml.MappingNode}
	for _, name := range []string{"targetCluster", "overriders"} {
		value := doc.Value("spec." + name)
		switch {
		case value != nil:
			fields = append(fields, "spec."+name)
		case name == "overriders":
			value = map[string]any{} // a rule requires overriders
		default:
			continue
		}
		rule.Content = append(rule.Content, scalar(name), shown(value))
		skeleton.Content = append(skeleton.Content, scalar(name), scalar("<as it is>"))
	}
	instead := ruleText(rule)
	if len(instead) > maxInstead {
		instead = ruleText(skeleton)
	}
	return []Deprecation{{
		Field:   fields[0],
		Message: strings.Join(fields, " and ") + " in place of overrideRules is the old form of a single rule",
		Instead: instead,
	}}
}

// ruleText returns the YAML of overrideRules with one rule.
func ruleText(rule *yaml.Node) string {
	var b strings.Builder
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	e.CompactSeqIndent()
	if err := e.Encode(map[string][]*yaml.Node{"overrideRules": {rule}}); err != nil {
		return "" // values decoded from YAML can be encoded
	}
	return b.String()
}

// shown returns a value for Instead; a value that is too long is replaced by its length.
func shown(value any) *yaml.Node {
	n := &yaml.Node{}
	if err := n.Encode(value); err != nil {
		return scalar("<as it is>")
	}
	shorten(n)
	return n
}

func shorten(n *yaml.Node) {
	if length := utf8.RuneCountInString(n.Value); length > maxShown {
		*n = *scalar(fmt.Sprintf("<as it is, %d characters>", length))
	}
	for _, child := range n.Content {
		shorten(child)
	}
}

func scalar(text string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: text} }
