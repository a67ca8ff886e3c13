package override

import (
	"fmt"
	"slices"
	"strings"

	"github.com/accord-dev/accord/api/policy"
)

// command edits the command of all containers with the given name (Karmada §3.4).
func (r ruleRun) command(o policy.CommandOverrider) error { return r.stringList("command", o) }

// args edits the args of all containers with the given name.
func (r ruleRun) args(o policy.CommandOverrider) error { return r.stringList("args", o) }

// stringList edits a list of strings in containers. A missing container, or a missing list on remove, is a no-op (B7).
func (r ruleRun) stringList(field string, o policy.CommandOverrider) error {
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
		edited, err := editStrings(old, o.Operator, o.Value)
		if err != nil {
			return err
		}
		if len(edited) != len(old) {
			before := c.fields[field]
			c.fields[field] = edited
			r.recordChange(change{path: c.pointer + "/" + field, before: before, after: c.fields[field]})
		}
	}
	return nil
}

func describeCommand(o policy.CommandOverrider) (operation, path string) {
	return describeStringList("command", o), ""
}

func describeArgs(o policy.CommandOverrider) (operation, path string) {
	return describeStringList("args", o), ""
}

func describeStringList(field string, o policy.CommandOverrider) string {
	preposition := "to"
	if o.Operator == "remove" {
		preposition = "from"
	}
	return fmt.Sprintf("%s %s %s %s of container %s", o.Operator, strings.Join(o.Value, " "), preposition, field, o.ContainerName)
}

// editStrings appends values, or removes all occurrences of values.
func editStrings(old []any, operator string, words []string) ([]any, error) {
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
