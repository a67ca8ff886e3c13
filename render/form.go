package render

import (
	"unique"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/internal/compact"
	"github.com/accord-dev/accord/render/decode"
)

// form is the form in which a build keeps objects.
type form struct {
	texts *compact.Texts  // has the objects in compact form; nil to have them whole
	parts *decode.Sharing // has the equal parts of whole objects once; nil for compact ones, whose trees are soon garbage
}

// formIn returns the form of a build that keeps objects in texts, which may be nil.
func formIn(texts *compact.Texts) form {
	if texts != nil {
		return form{texts: texts}
	}
	return form{parts: &decode.Sharing{}}
}

// idOf returns the ID of u. Texts that many IDs have in common are in memory once.
func idOf(u *unstructured.Unstructured) *manifest.ID {
	id := manifest.IDOf(u)
	for _, text := range []*string{&id.Group, &id.Kind, &id.Namespace} {
		*text = unique.Make(*text).Value()
	}
	return &id
}
