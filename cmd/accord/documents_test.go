package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	manifests "github.com/accord-dev/accord/api/jsonschema"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/cmd/accord/check"
	"github.com/accord-dev/accord/cmd/accord/clusterimport"
	"github.com/accord-dev/accord/cmd/accord/command"
	"github.com/accord-dev/accord/cmd/accord/deliver"
	"github.com/accord-dev/accord/cmd/accord/drain"
	"github.com/accord-dev/accord/cmd/accord/events"
	"github.com/accord-dev/accord/cmd/accord/explain"
	"github.com/accord-dev/accord/cmd/accord/interpret"
	"github.com/accord-dev/accord/cmd/accord/lint"
	"github.com/accord-dev/accord/cmd/accord/livediff"
	"github.com/accord-dev/accord/cmd/accord/progress"
	"github.com/accord-dev/accord/cmd/accord/recovery"
	"github.com/accord-dev/accord/cmd/accord/rendered"
	"github.com/accord-dev/accord/cmd/accord/review"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/cmd/accord/tree"
	"github.com/accord-dev/accord/cmd/accord/view"
	"github.com/accord-dev/accord/internal/golden"
)

// documents are the documents that commands print.
var documents = []text.Document{
	&check.Report{}, clusterimport.Report{}, clusterimport.Verification{}, command.Result{}, deliver.Report{}, drain.Progress{}, events.List{},
	&explain.ClusterReport{}, &explain.ObjectReport{}, &interpret.Report{}, &lint.Report{}, &livediff.Report{}, progress.Event{},
	&recovery.Rehearsal{}, &recovery.Report{}, &rendered.Rendering{}, &review.Batch{}, &review.Review{}, text.Versions{}, tree.Tree{},
	view.History{}, view.HubError{}, &view.PolicyList{}, view.Status{}, view.StatusList{},
}

// TestDocumentSchemas compares the schemas of the documents with their Go types; -update writes the files.
func TestDocumentSchemas(t *testing.T) {
	comments := readComments(t)
	var want []string
	for _, d := range documents {
		k := manifests.Kind{Group: text.DocumentGroup, Name: d.DocumentKind()}
		path := filepath.Join("schema", filepath.FromSlash(k.Path()))
		require.NotContains(t, want, path, "two documents have one kind")
		want = append(want, path)
		schema, err := json.MarshalIndent(schemaOf(d, comments, true), "", "  ")
		require.NoError(t, err)
		golden.File(t, path, string(schema)+"\n", "go test ./cmd/accord -run DocumentSchemas -update")
	}
	files, err := filepath.Glob("schema/" + text.DocumentGroup + "/*")
	require.NoError(t, err)
	require.ElementsMatch(t, want, files)
}

// readComments reads the comments of the types that documents have.
func readComments(t *testing.T) map[string]string {
	dir, err := os.Getwd()
	require.NoError(t, err)
	require.NoError(t, os.Chdir("../..")) // the names of the packages are their paths below this directory
	defer func() { require.NoError(t, os.Chdir(dir)) }()
	r := &jsonschema.Reflector{}
	for _, room := range []string{"api", "cmd/accord", "internal", "propagate", "reconciler"} {
		require.NoError(t, r.AddGoComments("github.com/accord-dev/accord", room))
	}
	return r.CommentMap
}

// schemaOf returns the schema of a document. An open one allows unknown fields, which a later version may have.
func schemaOf(d text.Document, comments map[string]string, open bool) *jsonschema.Schema {
	optional := map[string][]string{}
	r := &jsonschema.Reflector{
		AllowAdditionalProperties: open, Anonymous: true, ExpandedStruct: true, CommentMap: comments, Mapper: encoded,
		Namer: func(t reflect.Type) string {
			optional[t.String()] = optionalFields(t)
			return t.String()
		},
	}
	t := reflect.TypeOf(d)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	s := r.ReflectFromType(t)
	s.Title = d.DocumentKind()
	s.Description = strings.Replace(s.Description, t.Name(), s.Title, 1)
	require := func(s *jsonschema.Schema, t string) {
		s.Required = slices.DeleteFunc(s.Required, func(name string) bool { return slices.Contains(optional[t], name) })
	}
	require(s, t.String())
	for name, below := range s.Definitions {
		require(below, name)
	}
	for _, c := range [][2]string{{"kind", s.Title}, {"apiVersion", text.DocumentGroup + "/" + manifests.Version}} {
		s.Properties.Set(c[0], &jsonschema.Schema{Type: "string", Const: c[1]})
		_ = s.Properties.MoveToFront(c[0])
		s.Required = append([]string{c[0]}, s.Required...)
	}
	return s
}

// optionalFields returns the names of the fields that a document has by an embedded pointer, which may be nil.
func optionalFields(t reflect.Type) []string {
	var names []string
	if t.Kind() != reflect.Struct {
		return nil
	}
	for f := range t.Fields() {
		if !f.Anonymous || f.Type.Kind() != reflect.Pointer {
			continue
		}
		for embedded := range f.Type.Elem().Fields() {
			name, _, _ := strings.Cut(embedded.Tag.Get("json"), ",")
			names = append(names, name)
		}
	}
	return names
}

// encoded returns the schema of a type that encodes itself; nil for other types.
func encoded(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[metav1.Time]():
		return &jsonschema.Schema{Type: "string", Format: "date-time"}
	case reflect.TypeFor[policy.Duration](), reflect.TypeFor[metav1.Duration]():
		return &jsonschema.Schema{Type: "string"}
	case reflect.TypeFor[policy.Amount]():
		return &jsonschema.Schema{OneOf: []*jsonschema.Schema{{Type: "string"}, {Type: "integer"}}}
	}
	return nil
}
