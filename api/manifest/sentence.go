package manifest

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

func (d *Doc) wrong(path, expected string, value any) {
	d.Errorf(path, "%s", WrongValue(path, expected, value))
}

// WrongValue returns the sentence about a field with a value of a wrong type, and the fix if it is a matter of quotes.
func WrongValue(field, expected string, value any) string {
	return fmt.Sprintf("%s is %s, expected %s%s", field, describe(value), expected, quotes(expected, value))
}

// WrongType is WrongValue without the value, which may be confidential.
func WrongType(field, expected string, value any) string {
	return fmt.Sprintf("%s is %s, expected %s%s", field, typeName(value), expected, quotes(expected, value))
}

// quotes returns the fix for a number or a boolean that is quoted, or a text that is not.
func quotes(expected string, value any) string {
	text, isText := value.(string)
	if !isText {
		if expected == "a string" {
			return unquoted(value)
		}
		return ""
	}
	var meant any
	if json.Unmarshal([]byte(text), &meant) != nil {
		return ""
	}
	_, isNumber := meant.(float64)
	_, isBool := meant.(bool)
	if isNumber && strings.HasPrefix(expected, "a number") || isNumber && strings.HasPrefix(expected, "a whole number") || isBool && expected == "true or false" {
		return "; write it without quotes"
	}
	return ""
}

func typeName(value any) string {
	switch value.(type) {
	case map[string]any:
		return "an object"
	case []any:
		return "a list"
	case string:
		return "a string"
	case bool:
		return "a boolean"
	case nil:
		return "null"
	}
	return "a number"
}

func describe(value any) string {
	switch v := value.(type) {
	case map[string]any:
		return "an object"
	case []any:
		return "a list"
	case string:
		return fmt.Sprintf("the string %q", short(v))
	}
	return fmt.Sprint(value)
}

// short shortens a text so that it fits into a sentence.
func short(text string) string {
	const most = 80
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most]) + "..."
}

// unquoted returns the hint for a value that YAML reads as a number or boolean although text was meant (1.20, yes).
func unquoted(value any) string {
	switch value.(type) {
	case map[string]any, []any:
		return ""
	}
	return "; write it in quotes"
}

// inOneString returns the hint for a list that is written as one string, "eu-1, eu-2".
func inOneString(value any) string {
	text, _ := value.(string)
	names := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
	list := short(strings.Join(names, ", "))
	switch len(names) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("; did you mean [%s]?", list)
	}
	return fmt.Sprintf("; %d names in one string? Write [%s]", len(names), list)
}

// either formats the allowed values: "Abort or Overwrite".
func either(allowed []string) string {
	if len(allowed) < 2 {
		return strings.Join(allowed, "")
	}
	return strings.Join(allowed[:len(allowed)-1], ", ") + " or " + allowed[len(allowed)-1]
}
