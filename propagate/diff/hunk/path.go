package hunk

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// plainKey are field names that stand in a path as they are, plainItem names of items; all others are quoted.
var (
	plainKey  = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$-]*$`)
	plainItem = regexp.MustCompile(`^[A-Za-z0-9_$*./:@+-]*[A-Za-z_$*./:@+-][A-Za-z0-9_$*./:@+-]*$`)
)

// join is the path of a field below path.
func join(path, key string) string {
	switch {
	case !plainKey.MatchString(key):
		return path + "[" + quote(key) + "]"
	case path == "":
		return key
	}
	return path + "." + key
}

// itemLabel is a name as it stands between the brackets of a path. A name of digits alone is no index and is quoted.
func itemLabel(name string) string {
	if plainItem.MatchString(name) {
		return name
	}
	return quote(name)
}

// quote is in one line, whatever s is.
func quote(s string) string { return strconv.Quote(s) }

// step is one part of a path.
type step struct {
	name   string
	item   bool // of a list
	quoted bool // a field, or an item
}

// steps reads a path as Hunk.Path has it.
func steps(path string) ([]step, error) {
	if path == "" {
		return nil, errors.New("the path is empty")
	}
	var out []step
	for rest := path; rest != ""; {
		s, after, err := cutStep(rest)
		if err != nil {
			return nil, fmt.Errorf("path %q: %w", path, err)
		}
		out = append(out, s)
		rest = after
		if dotted, ok := strings.CutPrefix(after, "."); ok {
			if dotted == "" || dotted[0] == '[' {
				return nil, fmt.Errorf("path %q: no name behind a dot", path)
			}
			rest = dotted
		}
	}
	return out, nil
}

// cutStep reads the first step of text.
func cutStep(text string) (s step, after string, err error) {
	if inside, ok := strings.CutPrefix(text, "["); ok {
		return cutBracket(inside)
	}
	end := strings.IndexAny(text, ".[")
	if end < 0 {
		end = len(text)
	}
	if end == 0 {
		return step{}, "", errors.New("no name before a dot")
	}
	return step{name: text[:end]}, text[end:], nil
}

// cutBracket reads what stands between brackets, the opening one left out.
func cutBracket(text string) (s step, after string, err error) {
	quoted, err := strconv.QuotedPrefix(text)
	if err != nil || quoted[0] != '"' {
		label, after, closed := strings.Cut(text, "]")
		if !closed || label == "" {
			return step{}, "", fmt.Errorf("no name between brackets at %q", "["+text)
		}
		return step{name: label, item: true}, after, nil
	}
	name, err := strconv.Unquote(quoted)
	if err != nil {
		return step{}, "", fmt.Errorf("reading %s: %w", quoted, err)
	}
	after, closed := strings.CutPrefix(text[len(quoted):], "]")
	if !closed {
		return step{}, "", fmt.Errorf("no bracket closes behind %s", quoted)
	}
	return step{name: name, quoted: true}, after, nil
}
