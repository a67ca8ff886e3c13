package charts

import (
	"embed"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"text/template"

	"sigs.k8s.io/yaml"
)

// templates has the charts of the controllers, in the folder accord, and of the agent, in accord-agent.
//
//go:embed accord accord-agent
var templates embed.FS

// functions are those of Helm that the templates call.
var functions = template.FuncMap{
	"b64enc": func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) },
	"fail":   func(message string) (string, error) { return "", errors.New(message) },
	"append": func(list any, more any) []any {
		all, _ := list.([]any)
		return append(slices.Clone(all), more)
	},
	"uniq": func(list []any) (unique []any) {
		for _, x := range list {
			if !slices.Contains(unique, x) {
				unique = append(unique, x)
			}
		}
		return unique
	},
	"sortAlpha": func(list []any) []string {
		var texts []string
		for _, x := range list {
			texts = append(texts, fmt.Sprint(x))
		}
		slices.Sort(texts)
		return texts
	},
	"toYaml": func(v any) (string, error) {
		text, err := yaml.Marshal(v)
		return strings.TrimSuffix(string(text), "\n"), err
	},
	"nindent": func(spaces int, text string) string {
		margin := strings.Repeat(" ", spaces)
		return "\n" + margin + strings.ReplaceAll(text, "\n", "\n"+margin)
	},
}

// release has the fields of a Helm release that the templates read.
type release struct{ Name, Namespace string }

// Accord returns the manifests of the chart accord as YAML documents, as Helm makes them.
func Accord(namespace string, v *Values) (string, error) {
	if err := v.check(namespace); err != nil {
		return "", err
	}
	return manifests("accord", namespace, v)
}

// manifests renders the templates of a chart as YAML documents. The release has the name of the chart.
func manifests(chart, namespace string, values any) (string, error) {
	tree, err := treeOf(values)
	if err != nil {
		return "", err
	}
	files, err := fs.Glob(templates, chart+"/templates/*.yaml")
	if err != nil {
		return "", err
	}
	var documents []string
	for _, file := range files {
		text, err := render(file, map[string]any{"Values": tree, "Release": release{chart, namespace}})
		if err != nil {
			return "", err
		}
		if text != "" {
			documents = append(documents, text+"\n")
		}
	}
	return strings.Join(documents, "---\n"), nil
}

// render returns the manifests of a template, "" for none.
func render(file string, data any) (string, error) {
	text, err := templates.ReadFile(file)
	if err != nil {
		return "", err
	}
	t, err := template.New(path.Base(file)).Funcs(functions).Parse(string(text))
	if err != nil {
		return "", fmt.Errorf("reading the built-in manifests: %w", err)
	}
	var b strings.Builder
	if err := t.Execute(&b, data); err != nil {
		return "", fmt.Errorf("rendering the built-in manifests: %w", err)
	}
	return strings.TrimSpace(b.String()), nil
}
