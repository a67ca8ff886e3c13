package confidential

import (
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/json"
)

// DescribeValue is Describe for a decoded JSON value and everything below it. In an entry like
// {name: DB_PASSWORD, value: ...} the name is that of the value.
func DescribeValue(name string, value any) (what string, sure bool) {
	switch v := value.(type) {
	case string:
		return Describe(name, v)
	case []any:
		return Worst(func(yield func(string, any)) {
			for _, item := range v {
				yield("", item)
			}
		})
	case map[string]any:
		label, _ := v["name"].(string)
		return Worst(func(yield func(string, any)) {
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

// Worst returns the first certain secret of several values, or else the one whose description sorts first.
func Worst(each func(yield func(name string, value any))) (what string, sure bool) {
	each(func(name string, value any) {
		w, s := DescribeValue(name, value)
		if w != "" && (what == "" || s && !sure || s == sure && w < what) {
			what, sure = w, s
		}
	})
	return what, sure
}

// DescribeWords is Describe for a list of arguments: words like --password=..., and the word after --password.
func DescribeWords(words []string) (what string, sure bool) {
	for i, word := range words {
		name, value, joined := strings.Cut(word, "=")
		if !joined && i+1 < len(words) && strings.HasPrefix(word, "-") && !strings.HasPrefix(words[i+1], "-") {
			value = words[i+1]
		}
		if what, sure = Describe(strings.TrimLeft(name, "-"), value); what != "" {
			return what, sure
		}
		if what, sure = Describe("", word); what != "" {
			return what, sure
		}
	}
	return "", false
}

// DescribePatch is Describe for the value of one operation of a patch. Every value in a Secret counts as one.
func DescribePatch(path string, value *apiextensionsv1.JSON, intoSecret bool) (what string, sure bool) {
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
	return DescribeValue(path[strings.LastIndexByte(path, '/')+1:], decoded)
}
