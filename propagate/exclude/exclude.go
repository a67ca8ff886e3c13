// Package exclude decides which objects accord never propagates, whatever the policies select: by Karmada's rules, by
// those of accord, and by the settings of the Federation.
package exclude

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/applyset"
)

// Skip lists namespaces and APIs that a Federation never propagates, in the syntax of Karmada's flags (Karmada §8.2).
// They add to the defaults and never replace them.
type Skip struct {
	// Namespaces are regular expressions, each for a whole name.
	Namespaces []string `json:"skippedNamespaces,omitempty"`
	// APIs are tokens: "group", "group/version", "group/version/KindA,KindB", "v1/KindA,KindB"; several in one string
	// are separated by semicolons, as in the flag. Kinds are compared without regard to case (B31).
	APIs []string `json:"skippedAPIs,omitempty"`
}

// Rules are the parsed rules of a Skip, with the defaults.
type Rules struct {
	skip       Skip
	namespaces []namespaceRule
	apis       []apiRule
}

type namespaceRule struct {
	pattern *regexp.Regexp
	why     string
}

// apiRule is one token. Empty fields match everything.
type apiRule struct {
	token, group, version string
	kinds                 []string
}

// Rules returns the rules of the settings. The error joins a *SettingError for every setting that cannot be parsed.
func (s Skip) Rules() (Rules, error) {
	r := Rules{skip: s, namespaces: []namespaceRule{{regexp.MustCompile(`^kube-.*$`), "matches kube-.*, which is never propagated (Karmada §8.2)"}}}
	var errs []error
	for i, text := range s.Namespaces {
		pattern, err := regexp.Compile("^(?:" + text + ")$")
		if err != nil {
			errs = append(errs, &SettingError{fmt.Sprintf("skippedNamespaces[%d]", i), fmt.Errorf("%q is not a regular expression: %w", text, err)})
			continue
		}
		r.namespaces = append(r.namespaces, namespaceRule{pattern, fmt.Sprintf("matches %q in skippedNamespaces of the Federation", text)})
	}
	for i, tokens := range s.APIs {
		for token := range strings.SplitSeq(tokens, ";") {
			rule, err := parseAPI(strings.TrimSpace(token))
			if err != nil {
				errs = append(errs, &SettingError{fmt.Sprintf("skippedAPIs[%d]", i), err})
				continue
			}
			r.apis = append(r.apis, rule)
		}
	}
	return r, errors.Join(errs...)
}

// SettingError is a setting that cannot be parsed.
type SettingError struct {
	Field string // of the spec of a Federation: "skippedAPIs[0]"
	Err   error
}

// Error returns the field and the mistake.
func (e *SettingError) Error() string { return e.Field + ": " + e.Err.Error() }

func (e *SettingError) Unwrap() error { return e.Err }

// Equal reports whether two rules come from equal settings.
func (r Rules) Equal(other Rules) bool { return reflect.DeepEqual(r.skip, other.skip) }

// parseAPI reads one token of Karmada's --skipped-propagating-apis.
func parseAPI(token string) (apiRule, error) {
	rule := apiRule{token: token}
	parts := strings.Split(token, "/")
	core := strings.HasPrefix(parts[0], "v1")
	switch {
	case slices.Contains(parts, ""), len(parts) > 3, core && len(parts) > 2:
		return rule, fmt.Errorf("%q is not \"group\", \"group/version\", \"group/version/KindA,KindB\" or \"v1/KindA,KindB\"", token)
	case core && len(parts) == 2:
		rule.version, rule.kinds = parts[0], strings.Split(parts[1], ",")
	case len(parts) == 3:
		rule.group, rule.version, rule.kinds = parts[0], parts[1], strings.Split(parts[2], ",")
	case len(parts) == 2:
		rule.group, rule.version = parts[0], parts[1]
	default:
		rule.group = parts[0]
	}
	return rule, nil
}

func (r apiRule) matches(id manifest.ID, version string) bool {
	return r.group == id.Group && (r.version == "" || r.version == version) && (r.kinds == nil ||
		slices.ContainsFunc(r.kinds, func(kind string) bool { return strings.EqualFold(strings.TrimSpace(kind), id.Kind) }))
}

// Namespace returns the reason why accord propagates nothing in a namespace; empty if it may.
func (r Rules) Namespace(name string) string {
	switch {
	case name == "":
		return ""
	case name == "karmada-system", name == "karmada-cluster", strings.HasPrefix(name, "karmada-es-"):
		return fmt.Sprintf("namespace %s belongs to Karmada and is never propagated (Karmada §8.1)", name)
	case name == applyset.InventoryNamespace:
		return fmt.Sprintf("namespace %s belongs to accord and is never propagated", name)
	}
	for _, rule := range r.namespaces {
		if rule.pattern.MatchString(name) {
			return fmt.Sprintf("namespace %s %s", name, rule.why)
		}
	}
	return ""
}

// api returns the reason why accord does not propagate a kind; empty if it may.
func (r Rules) api(id manifest.ID, version string) string {
	for _, rule := range r.apis {
		if rule.matches(id, version) {
			return fmt.Sprintf("%q in skippedAPIs of the Federation is never propagated", rule.token)
		}
	}
	return ""
}

// Object returns the reason why accord does not propagate an object; empty if it may (Karmada §8.1, and the configured
// rules of §8.2). Objects that configure a federation are not its workloads. Leases and events differ from Karmada:
// Generated decides about them.
func (r Rules) Object(id manifest.ID, u *unstructured.Unstructured) string {
	switch {
	case id.Group == v1alpha1.GroupVersion.Group:
		return "kinds of group " + id.Group + " configure accord itself and are never propagated"
	case policy.Configures(id.Group):
		return fmt.Sprintf("kinds of group %s configure Karmada and are never propagated", id.Group)
	case manifest.Label(u, claimedByLabel) != "":
		return fmt.Sprintf("the label %s assigns it to another owner (Karmada §8.1)", claimedByLabel)
	}
	namespace := id.Namespace
	if id.Group == "" && id.Kind == "Namespace" {
		namespace = id.Name
	}
	return cmp.Or(r.Namespace(namespace), r.api(id, u.GroupVersionKind().Version))
}

const claimedByLabel = "resourcetemplate.karmada.io/claimed-by"
