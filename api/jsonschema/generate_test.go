package jsonschema

import (
	"cmp"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/golden"
)

// specs are the types of the kinds that have no CustomResourceDefinition.
var specs = map[string]struct {
	spec    reflect.Type
	purpose string
}{
	"RecoveryPlan": {reflect.TypeFor[policy.RecoverySpec](), "RecoveryPlan names the standby cluster that follows a live cluster, and the site that is active."},
	"RolloutPolicy": {reflect.TypeFor[policy.RolloutSpec](), "RolloutPolicy is the order in which clusters get a change, and the " +
		"conditions before the next clusters do. Without metadata.namespace it applies to the whole fleet, with it to the objects of that namespace."},
	"PropagationPolicy":                {reflect.TypeFor[policy.PolicySpec](), "PropagationPolicy sends the selected objects of its namespace to clusters."},
	"ClusterPropagationPolicy":         {reflect.TypeFor[policy.PolicySpec](), "ClusterPropagationPolicy sends the selected objects of all namespaces to clusters."},
	"OverridePolicy":                   {reflect.TypeFor[policy.OverrideSpec](), "OverridePolicy changes the selected objects of its namespace on some clusters."},
	"ClusterOverridePolicy":            {reflect.TypeFor[policy.OverrideSpec](), "ClusterOverridePolicy changes the selected objects of all namespaces on some clusters."},
	"ClusterTaintPolicy":               {reflect.TypeFor[policy.TaintPolicySpec](), "ClusterTaintPolicy taints clusters by their conditions."},
	"ResourceInterpreterCustomization": {reflect.TypeFor[policy.CustomizationSpec](), "ResourceInterpreterCustomization interprets one kind with Lua scripts."},
	"WorkloadRebalancer":               {reflect.TypeFor[policy.RebalancerSpec](), "WorkloadRebalancer requests a new placement of some workloads."},
}

// TestDefectF27SchemasAreCurrent compares schemas/ with the Go types; -update writes the files.
func TestDefectF27SchemasAreCurrent(t *testing.T) {
	g := generator{docs: map[string]doc{}}
	g.readDocs(t, "../policy")
	var want []string
	for _, k := range All() {
		path := filepath.Join("schemas", k.Path())
		want = append(want, path)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		text, err := json.MarshalIndent(g.kind(t, k), "", "  ")
		require.NoError(t, err)
		golden.File(t, path, string(text)+"\n", "go test ./api/jsonschema -run SchemasAreCurrent -update")
	}
	files, err := filepath.Glob("schemas/*/*")
	require.NoError(t, err)
	require.ElementsMatch(t, want, files)
}

// schema is a JSON schema, with encoding/json's order of keys.
type schema = map[string]any

// generator writes schemas from Go types and their comments.
type generator struct {
	docs map[string]doc // by "Type" and "Type.Field"
}

// doc is a comment: its text in one line for each paragraph, and its markers, "Minimum" -> "1".
type doc struct {
	text    string
	markers map[string]string
}

func (g *generator) kind(t *testing.T, k Kind) schema {
	var root schema
	if s, own := specs[k.Name]; own {
		root = schema{"description": s.purpose, "type": "object", "properties": schema{"spec": g.field(s.spec, g.docs[s.spec.Name()])}}
	} else {
		root = fromCRD(t, k)
	}
	properties := root["properties"].(schema)
	properties["apiVersion"] = schema{"description": "APIVersion of the manifest.", "type": "string", "enum": []string{k.APIVersion()}}
	properties["kind"] = schema{"description": "Kind of the manifest.", "type": "string", "enum": []string{k.Name}}
	metadata := g.field(reflect.TypeFor[metav1.ObjectMeta](), doc{text: "Metadata identifies the object."})
	metadata["required"] = []string{"name"}
	properties["metadata"] = metadata
	properties["status"] = schema{"description": "Status is written by accord, not by people.", "type": "object"}
	root["$schema"], root["title"], root["additionalProperties"] = "http://json-schema.org/draft-07/schema#", k.Name, false
	root["required"] = []string{"apiVersion", "kind", "metadata", "spec"}
	return root
}

// field returns the schema of a field with this type and comment.
func (g *generator) field(t reflect.Type, d doc) schema {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	s := g.valueOf(t)
	if text := cmp.Or(d.text, g.docs[t.Name()].text); text != "" {
		s["description"] = text
	}
	for name, value := range d.markers {
		number, _ := strconv.Atoi(value)
		switch name {
		case "Enum":
			s["enum"] = strings.Split(value, ";")
		case "items:Enum":
			s["items"].(schema)["enum"] = strings.Split(value, ";")
		case "MinItems", "Minimum", "MaxLength":
			s[strings.ToLower(name[:1])+name[1:]] = number
		default:
			panic("no such marker: " + name)
		}
	}
	return s
}

// restricted are the values of fields of Kubernetes' types that accord accepts. A NodeSelectorRequirement is that of a
// FieldSelector.
var restricted = map[string][]string{
	"LabelSelectorRequirement.operator": {"In", "NotIn", "Exists", "DoesNotExist"},
	"NodeSelectorRequirement.key":       {"provider", "region", "zone"},
	"NodeSelectorRequirement.operator":  {"In", "NotIn"},
	"Toleration.operator":               {"", "Equal", "Exists"},
}

func (g *generator) valueOf(t reflect.Type) schema {
	switch t {
	case reflect.TypeFor[policy.Amount]():
		return schema{"anyOf": []schema{{"type": "integer", "minimum": 0}, {"type": "string", "pattern": "^([0-9]+|(100|[0-9]{1,2})%)$"}}}
	case reflect.TypeFor[policy.Duration]():
		return schema{"type": "string", "pattern": "^(0|([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+)$"}
	case reflect.TypeFor[apiextensionsv1.JSON]():
		return schema{}
	case reflect.TypeFor[metav1.Time]():
		return schema{"type": []string{"string", "null"}, "format": "date-time"}
	case reflect.TypeFor[metav1.FieldsV1]():
		return schema{"type": "object"}
	}
	switch t.Kind() {
	case reflect.String:
		return schema{"type": "string"}
	case reflect.Bool:
		return schema{"type": "boolean"}
	case reflect.Int, reflect.Int32, reflect.Int64:
		return schema{"type": "integer"}
	case reflect.Slice:
		return schema{"type": "array", "items": g.field(t.Elem(), doc{})}
	case reflect.Map:
		return schema{"type": "object", "additionalProperties": g.field(t.Elem(), doc{})}
	case reflect.Struct:
		return g.structOf(t)
	}
	panic("no schema for " + t.String())
}

func (g *generator) structOf(t reflect.Type) schema {
	s := schema{"type": "object", "additionalProperties": false}
	properties, required := schema{}, []string{}
	var kubernetes map[string]string
	if documented, ok := reflect.Zero(t).Interface().(interface{ SwaggerDoc() map[string]string }); ok {
		kubernetes = documented.SwaggerDoc()
		s["description"] = kubernetes[""]
	}
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" { // inline
			for key, inlined := range g.structOf(f.Type)["properties"].(schema) {
				properties[key] = inlined
			}
			continue
		}
		d := g.docs[t.Name()+"."+f.Name]
		if kubernetes != nil {
			d = doc{text: kubernetes[name]}
			if values := restricted[t.Name()+"."+name]; values != nil {
				d.markers = map[string]string{"Enum": strings.Join(values, ";")}
			}
		}
		properties[name] = g.field(f.Type, d)
		if !strings.Contains(options, "omitempty") {
			required = append(required, name)
		}
	}
	s["properties"] = properties
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

var (
	marker    = regexp.MustCompile(`^\+kubebuilder:validation:([A-Za-z:]+)=(.*)$`)
	reference = regexp.MustCompile(` ?\((Karmada §[^)]*|B\d+)\)`) // for readers of the code
)

// readDocs reads the comments of the types of a package.
func (g *generator) readDocs(t *testing.T, dir string) {
	paths, err := filepath.Glob(dir + "/*.go")
	require.NoError(t, err)
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			decl, ok := n.(*ast.GenDecl)
			if !ok || decl.Tok != token.TYPE || len(decl.Specs) != 1 {
				return true
			}
			declared := decl.Specs[0].(*ast.TypeSpec)
			g.docs[declared.Name.Name] = comment(decl.Doc)
			if s, ok := declared.Type.(*ast.StructType); ok {
				for _, f := range s.Fields.List {
					for _, name := range f.Names {
						g.docs[declared.Name.Name+"."+name.Name] = comment(f.Doc)
					}
				}
			}
			return false
		})
	}
}

func comment(group *ast.CommentGroup) doc {
	d := doc{markers: map[string]string{}}
	if group == nil {
		return d
	}
	var lines []string
	for line := range strings.SplitSeq(strings.TrimSpace(group.Text()), "\n") {
		if m := marker.FindStringSubmatch(line); m != nil {
			d.markers[m[1]] = m[2]
		} else {
			lines = append(lines, line)
		}
	}
	d.text = reference.ReplaceAllString(strings.Join(lines, " "), "")
	return d
}

// fromCRD returns the schema of a kind that has a CustomResourceDefinition.
func fromCRD(t *testing.T, k Kind) schema {
	crds, err := v1alpha1.CRDs()
	require.NoError(t, err)
	i := slices.IndexFunc(crds, func(crd *apiextensionsv1.CustomResourceDefinition) bool { return crd.Spec.Names.Kind == k.Name })
	require.GreaterOrEqual(t, i, 0, k.Name)
	text, err := json.Marshal(crds[i].Spec.Versions[0].Schema.OpenAPIV3Schema)
	require.NoError(t, err)
	var root schema
	require.NoError(t, json.Unmarshal(text, &root))
	standard(root)
	return root
}

// standard replaces the extensions of Kubernetes: objects without x-kubernetes-preserve-unknown-fields are closed.
func standard(s schema) {
	open := s["x-kubernetes-preserve-unknown-fields"] == true
	for key := range s {
		if strings.HasPrefix(key, "x-kubernetes-") {
			delete(s, key)
		}
	}
	if text, ok := s["description"].(string); ok {
		s["description"] = reference.ReplaceAllString(text, "")
	}
	if s["nullable"] == true {
		delete(s, "nullable")
		s["type"] = []any{s["type"], "null"}
	}
	if properties, ok := s["properties"].(schema); ok {
		for _, field := range properties {
			standard(field.(schema))
		}
		if !open {
			s["additionalProperties"] = false
		}
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if below, ok := s[key].(schema); ok {
			standard(below)
		}
	}
}

// TestDefectF27EveryFieldHasADescription: an editor shows the description of the field under the cursor.
func TestDefectF27EveryFieldHasADescription(t *testing.T) {
	for _, k := range All() {
		text, err := k.Schema()
		require.NoError(t, err)
		var root schema
		require.NoError(t, json.Unmarshal(text, &root))
		requireDescriptions(t, k.Name, root)
	}
}

func requireDescriptions(t *testing.T, path string, s schema) {
	t.Helper()
	properties, _ := s["properties"].(schema)
	for name, field := range properties {
		require.NotEmpty(t, field.(schema)["description"], "%s.%s", path, name)
		requireDescriptions(t, path+"."+name, field.(schema))
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if below, ok := s[key].(schema); ok {
			requireDescriptions(t, path+"[]", below)
		}
	}
}

func TestFind(t *testing.T) {
	for name, want := range map[string]string{
		"RolloutPolicy": "accord.dev/rolloutpolicy_v1alpha1.json", "rolloutpolicy": "accord.dev/rolloutpolicy_v1alpha1.json",
		"Cluster": "accord.dev/cluster_v1alpha1.json", "cluster.cluster.karmada.io": "cluster.karmada.io/cluster_v1alpha1.json",
	} {
		k, err := Find(All(), name)
		require.NoError(t, err)
		require.Equal(t, want, k.Path())
	}
	_, err := Find(All(), "RoloutPolicy")
	require.EqualError(t, err, `there is no schema of kind "RoloutPolicy"; did you mean "RolloutPolicy"?`)
	_, err = Find(All(), "Deployment")
	require.EqualError(t, err, `there is no schema of kind "Deployment"; "accord schema" lists the kinds`)
}
