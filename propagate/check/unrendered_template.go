package check

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/check/podspec"
)

var unrenderedTemplate = Check{
	Code:     "unrendered-template",
	Severity: propagate.Error,
	Summary:  "template text in place of a name, a number or an image",
	Why: "accord delivers Git as it is and does not evaluate `{{ .Values.x }}` or `${TAG}`. An API server rejects such a value, or a " +
		"node cannot pull the image. accord checks names, namespaces, labels, counts, images, and the selectors of policies. " +
		"Elsewhere such text is often intended.",
	Fix: "Render the chart or template in the pipeline and commit the result, or write the value. For values that differ by cluster " +
		"use an override.",
	Example: `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: ${REPLICAS}`,
	reads: func(r *Review, o *object) string { return fmt.Sprint(r.unfilled(o)) },
	run: func(r *Review) []propagate.Finding {
		var findings []propagate.Finding
		for _, o := range r.objects {
			if text := r.text(o); text == nil || mayHave(text) {
				findings = append(findings, r.unfilled(o)...)
			}
		}
		r.eachSelectors(func(m policy.Meta, title string, selectors []policy.ResourceSelector) {
			for i, s := range selectors {
				if template.MatchString(s.Name) || template.MatchString(s.Namespace) {
					field := fmt.Sprintf("spec.resourceSelectors[%d]", i)
					findings = append(findings, unfilled(m.At(field), title, field))
				}
			}
		})
		r.eachClusterList(func(l clusterList) {
			for i, name := range l.names {
				if template.MatchString(name) {
					findings = append(findings, unfilled(l.meta.At(fmt.Sprintf("%s[%d]", l.field, i)), l.title, l.field))
				}
			}
		})
		return findings
	},
}

// unfilled returns the findings about the fields of an object.
func (r *Review) unfilled(o *object) []propagate.Finding {
	var findings []propagate.Finding
	for _, e := range expected(o.manifest.Get()) {
		if template.MatchString(e.text) {
			findings = append(findings, unfilled(r.fieldOf(o, e.field), short(o.ID), e.field))
		}
	}
	return findings
}

// template matches the delimiters of common template languages around a name.
var template = regexp.MustCompile(`\{\{.*\}\}|\{%.*%\}|<%.*%>|\$\{[A-Za-z_][A-Za-z0-9_.:-]*\}`)

// mayHave reports quickly whether a manifest can contain a template.
func mayHave(manifest []byte) bool {
	return slices.ContainsFunc([]string{"{{", "{%", "<%", "${"}, func(begin string) bool { return bytes.Contains(manifest, []byte(begin)) })
}

func unfilled(place manifest.Origin, title, field string) propagate.Finding {
	return at(place, "render it first and commit the result", "%s: %s looks like a template that was not rendered", title, field)
}

// text is a scalar with its field.
type text struct{ field, text string }

// expected returns the texts of an object that must be a name, a number or an image.
func expected(u *unstructured.Unstructured) []text {
	all := []text{
		{"apiVersion", u.GetAPIVersion()}, {"kind", u.GetKind()}, {"metadata.name", u.GetName()}, {"metadata.namespace", u.GetNamespace()},
	}
	labels := u.GetLabels()
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		all = append(all, text{"metadata.labels." + key, key + " " + labels[key]})
	}
	for _, field := range []string{"replicas", "parallelism", "completions"} {
		if value, ok, _ := unstructured.NestedFieldNoCopy(u.Object, "spec", field); ok {
			all = append(all, text{"spec." + field, fmt.Sprint(value)})
		}
	}
	for _, list := range []string{"initContainers", "containers"} {
		for _, c := range podspec.Containers(u, list) {
			all = append(all, text{c.Field + ".image", c.Image}, text{c.Field + ".name", c.Name})
		}
	}
	return all
}
