package tenancy

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// everything is the glob that matches every URL.
const everything = "**"

// globs are the patterns of one field.
type globs []*regexp.Regexp

// compile returns the patterns of globs: "**" stands for any characters, "*" for any of a class.
func compile(texts []string, class string) globs {
	all := make(globs, len(texts))
	for i, text := range texts {
		pattern := strings.ReplaceAll(regexp.QuoteMeta(text), `\*\*`, ".*")
		all[i] = regexp.MustCompile(`(?s)^` + strings.ReplaceAll(pattern, `\*`, class+"*") + `$`)
	}
	return all
}

// match returns the index of the first glob that matches; -1 if none does.
func (g globs) match(text string) int {
	return slices.IndexFunc(g, func(r *regexp.Regexp) bool { return r.MatchString(text) })
}

// Characters that "*" stands for.
const (
	anyCharacter = "."
	inURLSegment = `[^/?#@:\\]`
)

// kindText returns a kind as Tenants write it: "Kind" for the core group, otherwise "group/Kind".
func kindText(gk schema.GroupKind) string {
	if gk.Group == "" {
		return gk.Kind
	}
	return gk.Group + "/" + gk.Kind
}

// kindGlobs are the globs of kinds.
type kindGlobs struct {
	texts  []string
	groups globs
	kinds  globs
}

func compileKinds(texts []string) kindGlobs {
	k := kindGlobs{texts: texts}
	groups, kinds := make([]string, len(texts)), make([]string, len(texts))
	for i, text := range texts {
		group, kind, found := strings.Cut(text, "/")
		switch {
		case text == "*":
			group, kind = "*", "*"
		case !found:
			group, kind = "", text
		}
		groups[i], kinds[i] = group, kind
	}
	k.groups, k.kinds = compile(groups, anyCharacter), compile(kinds, anyCharacter)
	return k
}

// match returns the glob that matches a kind, "" if none does.
func (k kindGlobs) match(gk schema.GroupKind) string {
	for i, text := range k.texts {
		if k.groups[i].MatchString(gk.Group) && k.kinds[i].MatchString(gk.Kind) {
			return text
		}
	}
	return ""
}

// canonicalURL returns a URL with its scheme and host in lower case, for a comparison with globs. ok is false for a URL that a server
// may read as another path than it shows: with a step "." or "..", an encoded slash, a backslash, a query or a fragment.
func canonicalURL(raw string) (canonical string, ok bool) {
	canonical, path := raw, raw
	if scheme, rest, found := strings.Cut(raw, "://"); found {
		authority, below, _ := strings.Cut(rest, "/")
		path = below
		user, host := "", authority
		if at := strings.LastIndexByte(authority, '@'); at >= 0 {
			user, host = authority[:at+1], authority[at+1:]
		}
		canonical = strings.ToLower(scheme) + "://" + user + strings.ToLower(host) + strings.TrimPrefix(rest, authority)
	}
	for step := range strings.FieldsFuncSeq(path, func(r rune) bool { return r == '/' || r == ':' }) {
		decoded, err := url.PathUnescape(step)
		if err != nil || decoded == "." || decoded == ".." || strings.ContainsAny(decoded, "/\\?#") {
			return canonical, false
		}
	}
	return canonical, true
}
