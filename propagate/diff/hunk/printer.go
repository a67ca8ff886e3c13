package hunk

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// printer writes the values of hunks.
type printer struct {
	o Options
}

// single returns the hunk of a value that was added or removed.
func (p printer) single(at place, op Op, value any) Hunk {
	h := Hunk{Path: at.path, Op: op, Secret: p.hides(at.secret, value)}
	text := p.cut(p.text(at.secret, value))
	if op == Add {
		h.After = text
	} else {
		h.Before = text
	}
	return h
}

// replace returns the hunk of a value that changed.
func (p printer) replace(at place, before, after any) Hunk {
	h := Hunk{Path: at.path, Op: Replace, Secret: p.hides(at.secret, before) || p.hides(at.secret, after)}
	b, isText := before.(string)
	a, alsoText := after.(string)
	if isText && alsoText && !h.Secret && (strings.Contains(a, "\n") || strings.Contains(b, "\n")) {
		h.Text = p.cut(visible(unifiedDiff(b, a)))
		return h
	}
	h.Before, h.After = p.cutBoth(p.text(at.secret, before), p.text(at.secret, after))
	return h
}

// move returns the hunk of a reordered list. A list of scalars is written on one line.
func (p printer) move(at place, before, after []any) Hunk {
	h := p.replace(at, before, after)
	h.Op = Move
	if !slices.ContainsFunc(before, nested) {
		b, a := p.mask(at.secret, before).([]any), p.mask(at.secret, after).([]any)
		h.Before, h.After = p.cutBoth(visible(flowOf(b)), visible(flowOf(a)))
	}
	return h
}

// text returns the value as YAML with its secrets replaced by fingerprints. A secret scalar is only its fingerprint.
func (p printer) text(secret rules, value any) string {
	if secret.all() && !nested(value) {
		return Fingerprint(p.o.Key, p.fingerprinted(secret, value))
	}
	return visible(yamlOf(p.mask(secret, value)))
}

// nested reports whether a value is a map or a list.
func nested(value any) bool {
	switch value.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}

// mask returns a copy of value with its secrets replaced, or value itself if it has none.
func (p printer) mask(secret rules, value any) any {
	if len(secret) == 0 {
		return value
	}
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key := range v {
			out[key] = p.mask(secret.key(key), v[key])
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = p.mask(secret.item(), v[i])
		}
		return out
	}
	if secret.all() {
		return cmp.Or(Fingerprint(p.o.Key, p.fingerprinted(secret, value)), Hidden)
	}
	return value
}

// hides reports whether mask replaces anything.
func (p printer) hides(secret rules, value any) bool {
	if len(secret) == 0 {
		return false
	}
	switch v := value.(type) {
	case map[string]any:
		for key := range v {
			if p.hides(secret.key(key), v[key]) {
				return true
			}
		}
		return false
	case []any:
		for i := range v {
			if p.hides(secret.item(), v[i]) {
				return true
			}
		}
		return false
	}
	return secret.all()
}

// fingerprinted returns the value to fingerprint: the same text in data and stringData of a Secret has the same
// fingerprint.
func (p printer) fingerprinted(secret rules, value any) any {
	if s, ok := value.(string); ok {
		if plain, ok := decodeBase64(s, secret); ok {
			return plain
		}
	}
	return value
}

// cut shortens a text to the limit and adds the length of the rest.
func (p printer) cut(text string) string {
	limit := cmp.Or(p.o.Limit, defaultLimit)
	total := utf8.RuneCountInString(text)
	if total <= limit {
		return text
	}
	kept := string([]rune(text)[:limit])
	if end := strings.LastIndexByte(kept, '\n'); end > len(kept)/2 { // whole lines, unless they are long
		kept = kept[:end]
	}
	return fmt.Sprintf("%s\n... (%s left out)", kept, characterCount(total-utf8.RuneCountInString(kept)))
}

// commonPrefix is the number of equal characters shown before the first difference of two long texts.
const commonPrefix = 40

// cutBoth shortens two texts so that their first difference stays visible.
func (p printer) cutBoth(before, after string) (string, string) {
	limit := cmp.Or(p.o.Limit, defaultLimit)
	if max(utf8.RuneCountInString(before), utf8.RuneCountInString(after)) <= limit {
		return before, after
	}
	x, y := []rune(before), []rune(after)
	same := 0
	for same < min(len(x), len(y)) && x[same] == y[same] {
		same++
	}
	skip := same - commonPrefix
	if skip <= limit/4 {
		return p.cut(before), p.cut(after)
	}
	head := fmt.Sprintf("(%s, the same in both) ...", characterCount(skip))
	return head + p.cut(string(x[skip:])), head + p.cut(string(y[skip:]))
}

// characterCount formats a number: "1,234 characters".
func characterCount(n int) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	if n == 1 {
		return "1 character"
	}
	return digits + " characters"
}

// visible escapes characters that control a terminal or are invisible: control characters, changes of text direction,
// spaces of no width.
func visible(text string) string {
	seen := func(r rune) bool { return r == '\n' || r == '\t' || unicode.IsPrint(r) }
	if strings.IndexFunc(text, func(r rune) bool { return !seen(r) }) < 0 && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if seen(r) {
			b.WriteRune(r)
			continue
		}
		quoted := quote(string(r))
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
}
