package check

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

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
		for _, o := range r.in.Overrides {
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
		return confidential.DescribePatch(e.plaintext.Path, e.plaintext.Value, intoSecret)
	case e.words != nil:
		return confidential.DescribeWords(e.words.Value)
	case e.metadata != nil && e.metadata.Operator != "remove":
		return confidential.Worst(func(yield func(string, any)) {
			for key, value := range e.metadata.Value {
				yield(key, value)
			}
		})
	case e.nested != nil:
		for _, op := range slices.Concat(e.nested.JSON, e.nested.YAML) {
			if what, sure = confidential.DescribePatch(op.SubPath, op.Value, intoSecret); what != "" {
				return what, sure
			}
		}
	}
	return "", false
}
