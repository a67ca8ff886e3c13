package policy_test

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"

	"github.com/accord-dev/accord/api/jsonschema"
	"github.com/accord-dev/accord/api/policy"
)

// fieldCase is one row of the tables in Karmada §1.2 to §1.7: what may be written, what is meant when nothing is, and
// how everything else is refused.
type fieldCase struct {
	field    string    // as in the table: "spec.placement.spreadConstraints[].minGroups"
	write    string    // lines of the spec that set the field of the first entry
	reads    string    // JSON of the field then
	without  string    // lines of the spec that do not set it
	defaults string    // JSON of the field then; "" is absent
	refused  []refusal // the lines of the spec are on line 6 of p.yaml, those of resourceSelectors on line 5
}

type refusal struct{ write, says string }

// fieldTable is the table of one kind.
type fieldTable struct {
	head   string
	base   string // a line that the spec has unless it is in write
	tail   string // the last line of the manifest
	spec   reflect.Type
	decode func(t *testing.T, text string) (spec any, err error)
	skip   []string // prefixes of fields that need no row
	cases  []fieldCase
}

func (f fieldTable) text(spec string) string {
	key, _, _ := strings.Cut(f.base, ":")
	if !strings.Contains(spec, key+":") {
		spec = f.base + "\n" + spec
	}
	return f.head + "spec:\n" + indent(spec) + "\n" + f.tail
}

// read is the JSON of one field of a manifest with this spec, "" when it is absent.
func (f fieldTable) read(t *testing.T, spec, field string) string {
	t.Helper()
	decoded, err := f.decode(t, f.text(spec))
	require.NoError(t, err)
	encoded, err := json.Marshal(map[string]any{"spec": decoded})
	require.NoError(t, err)
	var value any
	require.NoError(t, json.Unmarshal(encoded, &value))
	for segment := range strings.SplitSeq(field, ".") {
		name, entry, listed := strings.Cut(segment, "[]")
		require.Empty(t, entry)
		object, _ := value.(map[string]any)
		value = object[name]
		if items, _ := value.([]any); listed && len(items) > 0 {
			value = items[0]
		}
	}
	if value == nil {
		return ""
	}
	encoded, err = json.Marshal(value)
	require.NoError(t, err)
	return string(encoded)
}

func (f fieldTable) run(t *testing.T) {
	var listed []string
	for _, c := range f.cases {
		listed = append(listed, c.field)
		t.Run(c.field, func(t *testing.T) {
			if c.write != "" {
				require.JSONEq(t, c.reads, f.read(t, c.write, c.field))
				require.Empty(t, schemaErrors(t, f.text(c.write)), c.write)
			}
			require.Equal(t, c.defaults, f.read(t, c.without, c.field), "when it is not there")
			for _, r := range c.refused {
				_, err := f.decode(t, f.text(r.write))
				require.EqualError(t, err, r.says, r.write)
				if expressible.MatchString(r.says) {
					require.NotEmpty(t, schemaErrors(t, f.text(r.write)), "the schema accepts %s", r.write)
				}
			}
		})
	}
	all := slices.DeleteFunc(below("spec", f.spec), func(field string) bool {
		return slices.ContainsFunc(f.skip, func(prefix string) bool { return strings.HasPrefix(field, prefix) })
	})
	slices.Sort(listed)
	slices.Sort(all)
	require.Equal(t, all, listed, "every field has one row")
}

// expressible matches the mistakes that a JSON schema can find, too.
var expressible = regexp.MustCompile(`unknown field|is "[^"]*", expected ([\w-]+, )*[\w-]+( or [\w-]+)?($|;)|expected (a list|an object|a string)($|;)`)

// schemaErrors returns the mistakes that the JSON schema of its kind finds in a manifest.
func schemaErrors(t *testing.T, text string) []error {
	u := object(t, text)
	kind, err := jsonschema.Find(jsonschema.All(), u.GetKind())
	require.NoError(t, err)
	encoded, err := kind.Schema()
	require.NoError(t, err)
	var s spec.Schema
	require.NoError(t, json.Unmarshal(encoded, &s))
	return validate.NewSchemaValidator(&s, nil, "", strfmt.Default).Validate(u.Object).Errors
}

// below is the path of every field of t, those of Kubernetes' own types not counted.
func below(path string, t reflect.Type) []string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct {
		return below(path+"[]", t.Elem())
	}
	if t.Kind() != reflect.Struct || t.PkgPath() != reflect.TypeFor[policy.Policy]().PkgPath() {
		return nil
	}
	var all []string
	for field := range t.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" {
			all = append(all, below(path, field.Type)...)
			continue
		}
		all = append(all, path+"."+name)
		all = append(all, below(path+"."+name, field.Type)...)
	}
	return all
}

// affinityCases are those of a ClusterAffinity (Karmada §1.3): in is its path, around its value in the lines of a spec.
func affinityCases(in string, around func(affinity string) string, checked bool) []fieldCase {
	at := strings.ReplaceAll(in, "[]", "[0]")
	cases := []fieldCase{
		{
			field: in + ".labelSelector", write: around("labelSelector: {matchLabels: {tier: edge}}"), reads: `{"matchLabels":{"tier":"edge"}}`,
			without: around("exclude: [a]"),
			refused: []refusal{{around("labelSelector: {matchLabel: {tier: edge}}"), `unknown field "matchLabel" in ` + at + `.labelSelector; did you mean "matchLabels"?`}},
		}, {
			field: in + ".fieldSelector", write: around("fieldSelector: {}"), reads: `{}`, without: around("exclude: [a]"),
			refused: []refusal{{around("fieldSelector: [region]"), at + `.fieldSelector is a list, expected an object`}},
		}, {
			field: in + ".fieldSelector.matchExpressions",
			write: around("fieldSelector: {matchExpressions: [{key: region, operator: In, values: [eu]}]}"),
			reads: `[{"key":"region","operator":"In","values":["eu"]}]`, without: around("fieldSelector: {}"),
		}, {
			field: in + ".clusterNames", write: around("clusterNames: [a, b]"), reads: `["a","b"]`, without: around("exclude: [a]"),
			refused: []refusal{
				{around(`clusterNames: "eu-1,eu-2,eu-3"`), at + `.clusterNames is the string "eu-1,eu-2,eu-3", expected a list; 3 names in one string? Write [eu-1, eu-2, eu-3]`},
				{around(`clusterName: [eu-1]`), `unknown field "clusterName" in ` + at + `; did you mean "clusterNames"?`},
			},
		}, {
			field: in + ".exclude", write: around("exclude: [a]"), reads: `["a"]`, without: around("clusterNames: [a]"),
			refused: []refusal{{around("exclude: eu-1"), at + `.exclude is the string "eu-1", expected a list; did you mean [eu-1]?`}},
		},
	}
	if checked {
		entry := at + ".fieldSelector.matchExpressions[0]"
		cases[2].refused = []refusal{
			{around("fieldSelector: {matchExpressions: [{key: regoin, operator: In}]}"), entry + `.key is "regoin", expected provider, region or zone; did you mean "region"?`},
			{around("fieldSelector: {matchExpressions: [{operator: In}]}"), entry + `.key is required`},
			{around("fieldSelector: {matchExpressions: [{key: zone, operator: Exists}]}"), entry + `.operator is "Exists", expected In or NotIn`},
			{around("fieldSelector: {matchExpressions: [{key: zone}]}"), entry + `.operator is required`},
		}
	}
	return cases
}

// onLine puts the line in front of what is refused.
func onLine(line string, cases []fieldCase) []fieldCase {
	for _, c := range cases {
		for i := range c.refused {
			c.refused[i].says = "p.yaml:" + line + ": " + c.refused[i].says
		}
	}
	return cases
}
