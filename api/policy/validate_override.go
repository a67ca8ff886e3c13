package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/accord-dev/accord/api/manifest"
)

// validate applies the rules of Karmada §1.5 and §1.6, also to the deprecated single-rule form (B9).
func (o *Override) validate(doc *manifest.Doc) {
	s := o.Spec
	checkSelectors(doc, o.Meta, s.ResourceSelectors)
	if len(s.OverrideRules) > 0 && s.TargetCluster != nil {
		doc.Errorf("spec.targetCluster", "spec.targetCluster and overrideRules are mutually exclusive; move it into the rules")
	}
	if len(s.OverrideRules) > 0 && s.Overriders != nil && !s.Overriders.empty() {
		doc.Errorf("spec.overriders", "spec.overriders and overrideRules are mutually exclusive; make it one of the rules")
	}
	s.TargetCluster.validate(doc, "spec.targetCluster")
	if s.Overriders != nil {
		s.Overriders.validate(doc, "spec.overriders")
	}
	for i, rule := range s.OverrideRules {
		field := fmt.Sprintf("spec.overrideRules[%d]", i)
		rule.TargetCluster.validate(doc, field+".targetCluster")
		doc.Require(field+".overriders", doc.Value(field+".overriders") != nil)
		rule.Overriders.validate(doc, field+".overriders")
	}
}

func (o Overriders) validate(doc *manifest.Doc, path string) {
	for i, p := range o.Plaintext {
		field := fmt.Sprintf("%s.plaintext[%d]", path, i)
		doc.Require(field+".path", doc.Value(field+".path") != nil) // "" means the whole object
		checkPointer(doc, field+".path", p.Path)
		checkOperator(doc, field, p.Operator, "add", "remove", "replace")
	}
	for i, v := range o.ImageOverrider {
		field := fmt.Sprintf("%s.imageOverrider[%d]", path, i)
		doc.Require(field+".component", v.Component != "")
		doc.OneOf(field+".component", v.Component, "Registry", "Repository", "Tag")
		checkOperator(doc, field, v.Operator, "add", "remove", "replace")
		if v.Predicate != nil {
			doc.Require(field+".predicate.path", v.Predicate.Path != "")
			checkPointer(doc, field+".predicate.path", v.Predicate.Path)
		}
	}
	checkCommands(doc, path+".commandOverrider", o.CommandOverrider)
	checkCommands(doc, path+".argsOverrider", o.ArgsOverrider)
	checkMetadata(doc, path+".labelsOverrider", o.LabelsOverrider, checkLabels)
	checkMetadata(doc, path+".annotationsOverrider", o.AnnotationsOverrider, checkAnnotations)
	for i, f := range o.FieldOverrider {
		f.validate(doc, fmt.Sprintf("%s.fieldOverrider[%d]", path, i))
	}
}

func checkOperator(doc *manifest.Doc, in, operator string, allowed ...string) {
	doc.Require(in+".operator", operator != "")
	doc.OneOf(in+".operator", operator, allowed...)
}

// checkPointer records a mistake unless pointer is a JSON pointer (RFC 6901).
func checkPointer(doc *manifest.Doc, field, pointer string) {
	if pointer != "" && !strings.HasPrefix(pointer, "/") {
		doc.Errorf(field, "%s is %q, expected a JSON pointer (\"/spec/replicas\")", field, pointer)
	}
	for i := range len(pointer) {
		if pointer[i] == '~' && !strings.HasPrefix(pointer[i:], "~0") && !strings.HasPrefix(pointer[i:], "~1") {
			doc.Errorf(field, "%s is %q: in a JSON pointer ~ is written ~0, and ~1 means /", field, pointer)
		}
	}
}

func checkCommands(doc *manifest.Doc, path string, commands []CommandOverrider) {
	for i, c := range commands {
		field := fmt.Sprintf("%s[%d]", path, i)
		doc.Require(field+".containerName", c.ContainerName != "")
		checkOperator(doc, field, c.Operator, "add", "remove")
	}
}

func checkMetadata(doc *manifest.Doc, path string, entries []MetadataOverrider, check func(*manifest.Doc, string, map[string]string)) {
	for i, e := range entries {
		field := fmt.Sprintf("%s[%d]", path, i)
		checkOperator(doc, field, e.Operator, "add", "remove", "replace")
		doc.Require(field+".value", e.Value != nil)
		check(doc, field+".value", e.Value)
	}
}

// checkLabels validates labels; as in Karmada, even those to remove.
func checkLabels(doc *manifest.Doc, field string, labels map[string]string) {
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		checkKey(doc, field, key, key)
		if problems := validation.IsValidLabelValue(labels[key]); len(problems) > 0 {
			doc.Errorf(field+"."+key, "%s.%s is %q: %s", field, key, labels[key], strings.Join(problems, "; "))
		}
	}
}

func checkAnnotations(doc *manifest.Doc, field string, annotations map[string]string) {
	size := 0
	for _, key := range slices.Sorted(maps.Keys(annotations)) {
		checkKey(doc, field, key, strings.ToLower(key)) // annotation keys may have capitals before the slash
		size += len(key) + len(annotations[key])
	}
	if size > apivalidation.TotalAnnotationSizeLimitB {
		doc.Errorf(field, "%s has %d bytes, expected at most %d", field, size, apivalidation.TotalAnnotationSizeLimitB)
	}
}

func checkKey(doc *manifest.Doc, field, written, key string) {
	if problems := validation.IsQualifiedName(key); len(problems) > 0 {
		doc.Errorf(field+"."+written, "%s has the key %q: %s", field, written, strings.Join(problems, "; "))
	}
}

func (f FieldOverrider) validate(doc *manifest.Doc, field string) {
	doc.Require(field+".fieldPath", f.FieldPath != "")
	checkPointer(doc, field+".fieldPath", f.FieldPath)
	if (len(f.JSON) > 0) == (len(f.YAML) > 0) {
		doc.Errorf(field, "%s needs either json or yaml, with at least one operation", field)
	}
	checkOperations(doc, field+".json", f.JSON)
	checkOperations(doc, field+".yaml", f.YAML)
}

func checkOperations(doc *manifest.Doc, path string, operations []FieldOperation) {
	for i, op := range operations {
		field := fmt.Sprintf("%s[%d]", path, i)
		doc.Require(field+".subPath", doc.Value(field+".subPath") != nil) // "" means the whole string
		checkPointer(doc, field+".subPath", op.SubPath)
		checkOperator(doc, field, op.Operator, "add", "remove", "replace")
		checkValue(doc, field, op.Operator, op.Value)
	}
}

// checkValue requires a value exactly for the operations that write one.
func checkValue(doc *manifest.Doc, field, operator string, value *apiextensionsv1.JSON) {
	switch {
	case operator == "remove" && value != nil:
		doc.Errorf(field+".value", "%s.value is not allowed with operator remove", field)
	case (operator == "add" || operator == "replace") && value == nil:
		doc.Errorf(field+".value", "%s.value is required with operator %s", field, operator)
	}
}
