package override

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/builtin"
	"github.com/accord-dev/accord/api/manifest"
)

// checkResult returns a *manifest.Error for the first value in the changed object that an API server does not decode, with
// the place of the overrider that wrote it.
func checkResult(u *unstructured.Unstructured, edits []Edit) error {
	if len(edits) == 0 {
		return nil
	}
	for _, m := range builtin.Check(u) {
		if edit, ok := LastEdit(edits, pointerTo(m.Path)); ok {
			return &manifest.Error{Origin: edit.At, Message: fmt.Sprintf("%s would become invalid: %s", manifest.IDOf(u), m.Message)}
		}
	}
	return nil
}

// pointerTo returns the path of a mistake as a JSON pointer.
func pointerTo(path []string) string {
	var b strings.Builder
	for _, step := range path {
		if strings.HasPrefix(step, "[") {
			step = strings.Trim(step, "[]")
		}
		b.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(step))
	}
	return b.String()
}
