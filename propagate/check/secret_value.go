package check

import (
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/check/confidential"
)

var secretValue = Check{
	Code:     "secret-value",
	Severity: propagate.Error,
	Summary:  "a password, token or key in an override",
	Why: "Every reader of the repository can read the value, also after you remove it. The finding is an error if the value is " +
		"certainly secret (a private key, a token of a known form, a URL with a password) and a warning if only the name of the " +
		"field suggests it. accord never prints the value.",
	Fix: "Keep the value in a Secret that is created on the cluster (External Secrets, SOPS, sealed secrets) and refer to it: " +
		"`secretKeyRef`, `envFrom`. Rotate the value: it is exposed.",
	Example: `
plaintext:
- path: /spec/template/spec/containers/0/env/0
  operator: replace
  value: {name: DATABASE_URL, value: "postgres://shop:hunter2@db/shop"}`,
	run: func(r *Review) []propagate.Finding {
		var findings []propagate.Finding
		for i := range r.in.Overrides {
			o := &r.in.Overrides[i]
			into := writesSecrets(o)
			eachOverrider(o, func(e overrider) {
				if what, sure := e.secret(into); what != "" {
					f := at(o.At(e.field), "refer to a Secret on the cluster, and rotate the value",
						"%s: %s writes a value that looks like %s", o.Title(), e.field, what)
					if !sure {
						f.Severity = propagate.Warning
					}
					findings = append(findings, f)
				}
			})
		}
		return findings
	},
}

// writesSecrets reports whether an override selects nothing but Secrets.
func writesSecrets(o *policy.Override) bool {
	selectors := o.Spec.ResourceSelectors
	return len(selectors) > 0 && !slices.ContainsFunc(selectors, func(s policy.ResourceSelector) bool {
		return kindOf(s) != schema.GroupKind{Kind: "Secret"}
	})
}

// secret describes the secret that an entry writes, empty when none, and reports whether it certainly is one. Every
// value in a Secret counts as one.
func (e overrider) secret(intoSecret bool) (what string, sure bool) {
	switch {
	case e.plaintext != nil:
		return secretWritten(e.plaintext.Path, e.plaintext.Value, intoSecret)
	case e.words != nil:
		return e.secretArgument()
	case e.metadata != nil && e.metadata.Operator != "remove":
		return worst(func(yield func(string, any)) {
			for key, value := range e.metadata.Value {
				yield(key, value)
			}
		})
	case e.nested != nil:
		for _, op := range slices.Concat(e.nested.JSON, e.nested.YAML) {
			if what, sure = secretWritten(op.SubPath, op.Value, intoSecret); what != "" {
				return what, sure
			}
		}
	}
	return "", false
}

// secretWritten examines the value of one operation of a patch.
func secretWritten(path string, value *apiextensionsv1.JSON, intoSecret bool) (what string, sure bool) {
	if value == nil {
		return "", false
	}
	var decoded any
	if err := json.Unmarshal(value.Raw, &decoded); err != nil {
		return "", false
	}
	if intoSecret && (strings.HasPrefix(path, "/data") || strings.HasPrefix(path, "/stringData")) && decoded != nil {
		return "a value of a Secret", false
	}
	return secretIn(path[strings.LastIndexByte(path, '/')+1:], decoded)
}

// secretIn examines a value and everything below it. In an entry like {name: DB_PASSWORD, value: ...} the name is that
// of the value.
func secretIn(name string, value any) (what string, sure bool) {
	switch v := value.(type) {
	case string:
		return confidential.Describe(name, v)
	case []any:
		return worst(func(yield func(string, any)) {
			for _, item := range v {
				yield("", item)
			}
		})
	case map[string]any:
		label, _ := v["name"].(string)
		return worst(func(yield func(string, any)) {
			for key, item := range v {
				if key == "value" && label != "" {
					key = label
				}
				yield(key, item)
			}
		})
	}
	return "", false
}

// worst returns the first certain secret of several values, or else the one whose description sorts first.
func worst(each func(yield func(name string, value any))) (what string, sure bool) {
	each(func(name string, value any) {
		w, s := secretIn(name, value)
		if w != "" && (what == "" || s && !sure || s == sure && w < what) {
			what, sure = w, s
		}
	})
	return what, sure
}

// secretArgument examines words like --password=..., and the word after --password.
func (e overrider) secretArgument() (what string, sure bool) {
	for i, word := range e.words.Value {
		name, value, joined := strings.Cut(word, "=")
		if !joined && i+1 < len(e.words.Value) && strings.HasPrefix(word, "-") && !strings.HasPrefix(e.words.Value[i+1], "-") {
			value = e.words.Value[i+1]
		}
		if what, sure = confidential.Describe(strings.TrimLeft(name, "-"), value); what != "" {
			return what, sure
		}
		if what, sure = confidential.Describe("", word); what != "" {
			return what, sure
		}
	}
	return "", false
}
