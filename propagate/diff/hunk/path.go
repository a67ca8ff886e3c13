package hunk

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// plainKey matches field names that need no quotes in a path, plainItem names of items.
var (
	plainKey  = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$-]*$`)
	plainItem = regexp.MustCompile(`^[A-Za-z0-9_$*./:@+-]*[A-Za-z_$*./:@+-][A-Za-z0-9_$*./:@+-]*$`)
)

// join returns the path of a field below path.
func join(path, key string) string {
	switch {
	case !plainKey.MatchString(key):
		return path + "[" + quote(key) + "]"
	case path == "":
		return key
	}
	return path + "." + key
}

// itemLabel returns a name as it is written in the brackets of a path. It quotes digits, which would be an index.
func itemLabel(name string) string {
	if plainItem.MatchString(name) {
		return name
	}
	return quote(name)
}

// quote returns s in quotes on one line.
func quote(s string) string { return strconv.Quote(s) }

// step is one part of a path.
type step struct {
	name   string
	item   bool // an item of a list
	quoted bool // a field or an item
}

// parsePath reads a path in the format of Hunk.Path.
func parsePath(path string) ([]step, error) {
	if path == "" {
		return nil, errors.New("the path is empty")
	}
	var out []step
	for rest := path; rest != ""; {
		s, after, err := parseStep(rest)
		if err != nil {
			return nil, fmt.Errorf("path %q: %w", path, err)
		}
		out = append(out, s)
		rest = after
		if dotted, ok := strings.CutPrefix(after, "."); ok {
			if dotted == "" || dotted[0] == '[' {
				return nil, fmt.Errorf("path %q: expected a name after a dot", path)
			}
			rest = dotted
		}
	}
	return out, nil
}

// parseStep reads the first step of text.
func parseStep(text string) (s step, after string, err error) {
	if inside, ok := strings.CutPrefix(text, "["); ok {
		return parseBracket(inside)
	}
	end := strings.IndexAny(text, ".[")
	if end < 0 {
		end = len(text)
	}
	if end == 0 {
		return step{}, "", errors.New("expected a name before a dot")
	}
	return step{name: text[:end]}, text[end:], nil
}

// parseBracket reads a step from behind its opening bracket.
func parseBracket(text string) (s step, after string, err error) {
	quoted, err := strconv.QuotedPrefix(text)
	if err != nil || quoted[0] != '"' {
		label, after, closed := strings.Cut(text, "]")
		if !closed || label == "" {
			return step{}, "", fmt.Errorf("expected a name in brackets at %q", "["+text)
		}
		return step{name: label, item: true}, after, nil
	}
	name, err := strconv.Unquote(quoted)
	if err != nil {
		return step{}, "", fmt.Errorf("reading %s: %w", quoted, err)
	}
	after, closed := strings.CutPrefix(text[len(quoted):], "]")
	if !closed {
		return step{}, "", fmt.Errorf("missing closing bracket after %s", quoted)
	}
	return step{name: name, quoted: true}, after, nil
}
