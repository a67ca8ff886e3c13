package v1alpha1_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/golden"
)

const apiPage = "../../docs/reference/api.md"

// TestReference compares docs/reference/api.md with the CustomResourceDefinitions; -update writes the page.
func TestReference(t *testing.T) {
	crds, err := v1alpha1.CRDs()
	require.NoError(t, err)
	var b strings.Builder
	b.WriteString(`# Resources of accord.dev/v1alpha1

<!-- Made by go test ./api/v1alpha1 -run TestReference -update. -->

` + "`kubectl explain`" + ` shows the same text on a hub. A field name with ` + "`[]`" + ` is a list, one with ` + "`{}`" + ` is a map.
Conditions are those of Kubernetes (` + "`metav1.Condition`" + `); [status](../concepts/status.md) lists their types and reasons.

| kind | scope | short names | purpose |
|---|---|---|---|
`)
	for _, crd := range crds {
		names := crd.Spec.Names
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s | %s |\n", names.Kind, strings.ToLower(names.Kind), crd.Spec.Scope,
			strings.Join(names.ShortNames, ", "), cell(schema(crd).Description))
	}
	for _, crd := range crds {
		fmt.Fprintf(&b, "\n## %s\n\n| field | type | default | description |\n|---|---|---|---|\n", crd.Spec.Names.Kind)
		for _, part := range []string{"spec", "status"} {
			if p, found := schema(crd).Properties[part]; found {
				writeField(&b, part, p, slices.Contains(schema(crd).Required, part))
			}
		}
	}
	golden.File(t, apiPage, b.String(), "go test ./api/v1alpha1 -run TestReference -update")
}

func schema(crd *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.JSONSchemaProps {
	return crd.Spec.Versions[0].Schema.OpenAPIV3Schema
}

// writeField writes the row of a field, then those of the fields below it.
func writeField(b *strings.Builder, path string, p apiextensionsv1.JSONSchemaProps, required bool) {
	fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", path, fieldType(p, required), fieldDefault(p), cell(p.Description))
	for p.Items != nil && p.Items.Schema != nil || p.AdditionalProperties != nil && p.AdditionalProperties.Schema != nil {
		if p.Items != nil {
			p, path = *p.Items.Schema, path+"[]"
		} else {
			p, path = *p.AdditionalProperties.Schema, path+"{}"
		}
	}
	if strings.HasSuffix(path, "conditions[]") && p.Properties["lastTransitionTime"].Type != "" {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(p.Properties)) {
		writeField(b, path+"."+name, p.Properties[name], slices.Contains(p.Required, name))
	}
}

// fieldType returns the type of a field, its allowed values, and whether it is required.
func fieldType(p apiextensionsv1.JSONSchemaProps, required bool) string {
	kind := p.Type
	switch {
	case p.XIntOrString:
		kind = "integer or string"
	case p.Items != nil && p.Items.Schema != nil:
		kind = "list of " + fieldType(*p.Items.Schema, false)
	case p.AdditionalProperties != nil && p.AdditionalProperties.Schema != nil:
		kind = "map of " + fieldType(*p.AdditionalProperties.Schema, false)
	case p.Format != "":
		kind += " (" + p.Format + ")"
	case kind == "":
		kind = "any"
	}
	if len(p.Enum) > 0 {
		var values []string
		for _, v := range p.Enum {
			values = append(values, "`"+strings.Trim(string(v.Raw), `"`)+"`")
		}
		kind += ": " + strings.Join(values, ", ")
	}
	if required {
		kind += ", required"
	}
	return cell(kind)
}

func fieldDefault(p apiextensionsv1.JSONSchemaProps) string {
	if p.Default == nil {
		return ""
	}
	return "`" + cell(string(p.Default.Raw)) + "`"
}

// cell returns text as the content of a cell of a Markdown table.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;").Replace(strings.Join(strings.Fields(text), " "))
}
