package override

import (
	"fmt"
	"slices"
	"strings"

	"github.com/accord-dev/accord/api/policy"
)

// command adds to or removes from the command of the containers with one name (Karmada §3.4).
func (r run) command(o policy.CommandOverrider) error { return r.words("command", o) }

// args does the same to their args.
func (r run) args(o policy.CommandOverrider) error { return r.words("args", o) }

// words edits one list of words. No such container, or nothing to remove from, is nothing to do (B7).
func (r run) words(field string, o policy.CommandOverrider) error {
	list, err := containersOf(r.object)
	if err != nil {
		return err
	}
	for _, c := range list {
		if c.name() != o.ContainerName {
			continue
		}
		old, ok := c.fields[field].([]any)
		if !ok && c.fields[field] != nil {
			return fmt.Errorf("%s of container %q is not a list", field, o.ContainerName)
		}
		edited, err := editWords(old, o.Operator, o.Value)
		if err != nil {
			return err
		}
		if len(edited) != len(old) {
			before := c.fields[field]
			c.fields[field] = edited
			r.changed(change{path: c.pointer + "/" + field, before: before, after: c.fields[field]})
		}
	}
	return nil
}

func sayCommand(o policy.CommandOverrider) (operation, path string) {
	return sayWords("command", o), ""
}

func sayArgs(o policy.CommandOverrider) (operation, path string) { return sayWords("args", o), "" }

func sayWords(field string, o policy.CommandOverrider) string {
	preposition := "to"
	if o.Operator == "remove" {
		preposition = "from"
	}
	return fmt.Sprintf("%s %s %s %s of container %s", o.Operator, strings.Join(o.Value, " "), preposition, field, o.ContainerName)
}

// editWords appends words, or removes every one that is listed.
func editWords(old []any, operator string, words []string) ([]any, error) {
	switch operator {
	case "add":
		edited := slices.Clone(old)
		for _, word := range words {
			edited = append(edited, word)
		}
		return edited, nil
	case "remove":
		return slices.DeleteFunc(slices.Clone(old), func(have any) bool {
			word, ok := have.(string)
			return ok && slices.Contains(words, word)
		}), nil
	}
	return nil, fmt.Errorf("unknown operator %q, expected add or remove", operator)
}
