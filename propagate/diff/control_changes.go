package diff

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/control"
	"github.com/accord-dev/accord/propagate/diff/hunk"
)

// controlLimit is the maximum length in characters of a value of a control manifest: a reviewer reads whole scripts.
const controlLimit = 40_000

// controlChanges compares the control manifests of two inputs. before is empty without a plan before.
func controlChanges(before, after propagate.Input, key []byte) []ControlChange {
	was, now := byTitle(before.Control()), byTitle(after.Control())
	titles := maps.Clone(was)
	maps.Copy(titles, now)
	var all []ControlChange
	for _, title := range slices.Sorted(maps.Keys(titles)) {
		a, known := was[title]
		b, there := now[title]
		c := ControlChange{Kind: titles[title].Kind, Name: titles[title].Name, At: titles[title].At}
		switch {
		case !known:
			c.Action = Create
		case !there:
			c.Action = Delete
		case reflect.DeepEqual(a.Content, b.Content):
			continue
		default:
			c.Action = Modify
		}
		for _, h := range hunk.Compare(controlObject(a), controlObject(b), hunk.Options{Key: key, Limit: controlLimit}) {
			c.Hunks = append(c.Hunks, Hunk(h))
		}
		all = append(all, c)
	}
	return all
}

func byTitle(items []control.Item) map[string]control.Item {
	all := make(map[string]control.Item, len(items))
	for _, i := range items {
		all[i.Title()] = i
	}
	return all
}

// controlObject returns the content of a control manifest as an object without a kind: only its fields are compared.
func controlObject(i control.Item) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{}}
	for name, value := range i.Content {
		if name == "labels" {
			name, value = "metadata", map[string]any{"labels": value}
		}
		if value != nil {
			u.Object[name] = value
		}
	}
	return u.DeepCopy()
}

// Title returns "RolloutPolicy shop/web".
func (c ControlChange) Title() string { return strings.TrimSpace(c.Kind + " " + c.Name) }
