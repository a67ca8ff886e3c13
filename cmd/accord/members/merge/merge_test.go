package merge_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/cmd/accord/members/merge"
)

var eu, us, hub = merge.Source{Name: "eu"}, merge.Source{Name: "us"}, merge.Source{Name: "Hub", Hub: true}

// table returns the JSON of a table. Each row is its cells; one that begins with "+" is of an object that accord delivered.
func table(columns string, rows ...string) []byte {
	t := metav1.Table{TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "Table"}, ListMeta: metav1.ListMeta{ResourceVersion: "7"}}
	for name := range strings.FieldsSeq(columns) {
		t.ColumnDefinitions = append(t.ColumnDefinitions, metav1.TableColumnDefinition{Name: name, Type: "string"})
	}
	for _, row := range rows {
		o := `{"metadata":{"name":"x","resourceVersion":"8"}}`
		if cells, delivered := strings.CutPrefix(row, "+"); delivered {
			row, o = cells, `{"metadata":{"name":"x","resourceVersion":"8","labels":{"applyset.kubernetes.io/part-of":"applyset-1"},"annotations":{"accord.dev/digest":"1"}}}`
		}
		r := metav1.TableRow{}
		for cell := range strings.FieldsSeq(row) {
			r.Cells = append(r.Cells, cell)
		}
		r.Object.Raw = []byte(o)
		t.Rows = append(t.Rows, r)
	}
	body, err := json.Marshal(t)
	if err != nil {
		panic(err)
	}
	return body
}

// text returns the columns and rows of a table.
func text(t *testing.T, body []byte) string {
	var in metav1.Table
	require.NoError(t, json.Unmarshal(body, &in))
	var b strings.Builder
	for _, c := range in.ColumnDefinitions {
		fmt.Fprintf(&b, "%s/%d ", c.Name, c.Priority)
	}
	for _, r := range in.Rows {
		fmt.Fprintf(&b, "\n%v", r.Cells)
	}
	return b.String()
}

func TestTables(t *testing.T) {
	for _, x := range []struct {
		name    string
		answers []merge.Answer
		pods    bool
		want    string
	}{
		{"one cluster", []merge.Answer{{Source: eu, Body: table("Name Data", "a 1", "+b 2")}}, false, "Name/0 Cluster/0 Data/0 Adoption/0 \n[a eu 1 N]\n[b eu 2 Y]"},
		{"the hub and clusters", []merge.Answer{{Source: hub, Body: table("Name", "a")}, {Source: us, Body: table("Name", "+a")}}, false, "Name/0 Cluster/0 Adoption/0 \n[a Hub -]\n[a us Y]"},
		{"pods show the adoption in wide tables", []merge.Answer{{Source: eu, Body: table("Name", "a")}}, true, "Name/0 Cluster/0 Adoption/1 \n[a eu N]"},
		{"columns of another version", []merge.Answer{{Source: eu, Body: table("Name Ready Age", "a 1 2d")}, {Source: us, Body: table("Name Age More", "b 3d x")}}, false, "Name/0 Cluster/0 Ready/0 Age/0 Adoption/0 \n[a eu 1 2d N]\n[b us <none> 3d N]"},
		{"a cluster without objects", []merge.Answer{{Source: eu, Body: table("Name")}, {Source: us, Body: table("Name", "b")}}, false, "Name/0 Cluster/0 Adoption/0 \n[b us N]"},
		{"the name is not the first column", []merge.Answer{{Source: eu, Body: table("Last Name", "1m a")}}, false, "Last/0 Name/0 Cluster/0 Adoption/0 \n[1m a eu N]"},
		{"pages of one cluster", []merge.Answer{{Source: eu, Body: table("Name", "a")}, {Source: eu, Body: table("Name", "b")}}, false, "Name/0 Cluster/0 Adoption/0 \n[a eu N]\n[b eu N]"},
	} {
		t.Run(x.name, func(t *testing.T) {
			body, err := merge.Documents(x.answers, x.pods)
			require.NoError(t, err)
			require.Equal(t, x.want, text(t, body))
		})
	}
}

func TestNumbersStayIntegers(t *testing.T) {
	body, err := merge.Documents([]merge.Answer{{Source: eu, Body: []byte(`{"kind":"Table","apiVersion":"meta.k8s.io/v1","columnDefinitions":[{"name":"Name"}],"rows":[{"cells":[12345678],"object":{}}]}`)}}, false)
	require.NoError(t, err)
	require.Contains(t, string(body), `[12345678,"eu","N"]`)
}

func TestLists(t *testing.T) {
	one := func(name string) []byte {
		return []byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"` + name + `","resourceVersion":"3"},"data":{"n":"<1>"}}`)
	}
	listed := func(items ...string) []byte {
		return []byte(`{"apiVersion":"v1","kind":"ConfigMapList","metadata":{"resourceVersion":"9"},"items":[` + strings.Join(items, ",") + `]}`)
	}
	item := func(name, cluster string) string {
		return `{"metadata":{"annotations":{"a":"b","resource.karmada.io/cached-from-cluster":"` + cluster + `"},"name":"` + name + `"}}`
	}
	plain := func(name string) string { return `{"metadata":{"annotations":{"a":"b"},"name":"` + name + `"}}` }
	version := func(v string) string { return merge.EncodeVersions(map[string]string{"eu": v, "us": v}) }

	body, err := merge.Documents([]merge.Answer{{Source: eu, Body: listed(plain("a"), plain("b"))}, {Source: us, Body: listed(plain("a"))}}, false)
	require.NoError(t, err)
	require.JSONEq(t, `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"`+version("9")+`"},"items":[`+item("a", "eu")+","+item("b", "eu")+","+item("a", "us")+`]}`, string(body))

	body, err = merge.Documents([]merge.Answer{{Source: eu, Body: listed()}, {Source: us, Body: []byte(`{"apiVersion":"v1","kind":"ConfigMapList","metadata":{"resourceVersion":"9"},"items":null}`)}}, false)
	require.NoError(t, err)
	require.JSONEq(t, `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"`+version("9")+`"},"items":[]}`, string(body))

	body, err = merge.Documents([]merge.Answer{{Source: eu, Body: one("a")}}, false)
	require.NoError(t, err)
	require.JSONEq(t, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","resourceVersion":"3","annotations":{"resource.karmada.io/cached-from-cluster":"eu"}},"data":{"n":"<1>"}}`, string(body), "a single object stays one")

	body, err = merge.Documents([]merge.Answer{{Source: hub, Body: one("a")}, {Source: us, Body: one("a")}}, false)
	require.NoError(t, err)
	var all struct {
		Kind  string
		Items []metav1.PartialObjectMetadata
	}
	require.NoError(t, json.Unmarshal(body, &all))
	require.Equal(t, "List", all.Kind)
	require.Empty(t, all.Items[0].Annotations, "an object of the hub is of no cluster")
	require.Equal(t, "us", all.Items[1].Annotations[merge.SourceAnnotation])

	_, err = merge.Documents([]merge.Answer{{Source: eu, Body: []byte("404 page not found")}}, false)
	require.EqualError(t, err, "eu answered with no Kubernetes object")
}

func TestVersions(t *testing.T) {
	of, err := merge.DecodeVersions(merge.EncodeVersions(map[string]string{"eu": "12", "us": "3"}))
	require.NoError(t, err)
	require.Equal(t, "12 3 ", of("eu")+" "+of("us")+" "+of("za"))
	for _, v := range []string{"", "0"} {
		of, err := merge.DecodeVersions(v)
		require.NoError(t, err)
		require.Equal(t, v, of("eu"))
	}
	_, err = merge.DecodeVersions("12")
	require.ErrorContains(t, err, `the resourceVersion "12" is not that of several clusters`)
}

func TestEvents(t *testing.T) {
	frame := func(kind string, object []byte) []byte {
		return fmt.Appendf(nil, `{"type":%q,"object":%s}`, kind, object)
	}
	shown := func(e *merge.Events, from merge.Source, in []byte) (string, string) {
		out, version, err := e.Next(from, in)
		require.NoError(t, err)
		var sent struct {
			Type   string
			Object json.RawMessage
		}
		require.NoError(t, json.Unmarshal(out, &sent))
		return sent.Type + " " + text(t, sent.Object), version
	}
	e := &merge.Events{}
	got, version := shown(e, eu, frame("ADDED", table("Name Data", "a 1")))
	require.Equal(t, "ADDED Name/0 Cluster/0 Data/0 Adoption/0 \n[a eu 1 N]", got)
	require.Equal(t, "8", version, "a later watch goes on from the object")
	got, _ = shown(e, us, frame("MODIFIED", table("Name More Data", "b x 2")))
	require.Equal(t, "MODIFIED \n[b us 2 N]", got, "only the first event has columns")
	got, _ = shown(e, us, frame("DELETED", table("", "b x 3")))
	require.Equal(t, "DELETED \n[b us 3 N]", got, "the columns of us are known")

	out, version, err := e.Next(eu, frame("BOOKMARK", []byte(`{"kind":"Pod","metadata":{"resourceVersion":"20"}}`)))
	require.NoError(t, err)
	require.Nil(t, out)
	require.Equal(t, "20", version)
	_, _, err = e.Next(eu, frame("ERROR", []byte(`{"kind":"Status","code":410,"reason":"Expired","message":"too old"}`)))
	require.EqualError(t, err, "too old")
	out, _, err = e.Next(eu, frame("ADDED", []byte(`{"kind":"Pod","metadata":{"name":"a"}}`)))
	require.NoError(t, err)
	require.JSONEq(t, `{"type":"ADDED","object":{"kind":"Pod","metadata":{"name":"a","annotations":{"resource.karmada.io/cached-from-cluster":"eu"}}}}`, string(out))
}
