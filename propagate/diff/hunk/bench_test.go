package hunk

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// BenchmarkCompare measures the comparison of one object: a new image, one changed line among thousands, a list with
// thousands of items that all differ.
func BenchmarkCompare(b *testing.B) {
	file := func(change int) string {
		var text strings.Builder
		for i := range 20000 {
			fmt.Fprintf(&text, "line %d\n", i%7000)
			if i == change {
				text.WriteString("another line\n\n\n")
			}
		}
		return text.String()
	}
	list := func(from int) []any {
		items := make([]any, 3000)
		for i := range items {
			items[i] = fmt.Sprint(from + i)
		}
		return items
	}
	deployment := func(image string) any {
		var containers []any
		for i := range 4 {
			containers = append(containers, map[string]any{"name": fmt.Sprint("c", i), "image": image, "args": []any{"--a", "--b"},
				"env": []any{map[string]any{"name": "A", "value": "1"}, map[string]any{"name": "B", "value": "2"}}})
		}
		return map[string]any{"template": map[string]any{"spec": map[string]any{"containers": containers}}}
	}
	for name, spec := range map[string][2]any{
		"image":   {deployment("web:1"), deployment("web:2")},
		"nothing": {deployment("web:1"), deployment("web:1")},
		"file":    {file(10000), file(15000)},
		"list":    {list(0), list(10000)},
		"blank":   {strings.Repeat("\n", 20000), strings.Repeat("\n", 10000) + "x" + strings.Repeat("\n", 12000)},
	} {
		object := func(v any) *unstructured.Unstructured {
			return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "A", "metadata": map[string]any{"name": "a"}, "spec": v}}
		}
		before, after := object(spec[0]), object(spec[1])
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Compare(before, after, Options{})
			}
		})
	}
}
