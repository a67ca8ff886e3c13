package clusters

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/discovery"
)

// What a watch tells is decoded as client-go decodes it, which Get and List of the same object still do.
func TestEventsAreDecodedAsByClientGo(t *testing.T) {
	for name, spec := range map[string]string{
		"whole numbers":      `{"a":0,"b":-1,"c":9223372036854775807,"d":-9223372036854775808,"e":[1,[2,{"f":3}]]}`,
		"too large for one":  `{"a":9223372036854775808,"b":123456789012345678901234567890}`,
		"fractions":          `{"a":0.5,"b":1.0,"c":-2.50,"d":1e3,"e":1E-3,"f":-0,"g":-0.0,"h":[0.1,1]}`,
		"nothing":            `{"a":null,"b":{},"c":[],"d":"","e":false}`,
		"text":               `{"a":"\u00fc \ud83d\ude00 \"\\\/\b\f\n\r\t","b":"<&>` + "\u2028" + `","c":"\ud800"}`,
		"names by case":      `{"replicas":1,"Replicas":2,"REPLICAS":3}`,
		"the same name":      `{"a":{"b":1},"a":{"c":2}}`,
		"what is not UTF-8":  "{\"a\":\"\xff\xfe\"}",
		"deeper than others": strings.Repeat(`{"a":[`, 500) + "1.5" + strings.Repeat(`]}`, 500),
	} {
		t.Run(name, func(t *testing.T) {
			object := `{"apiVersion":"a.io/v1","kind":"Gadget","metadata":{"name":"g","generation":3,"resourceVersion":"7"},"spec":` + spec + `}`
			var want unstructured.Unstructured
			require.NoError(t, want.UnmarshalJSON([]byte(object)))
			text := json.NewDecoder(strings.NewReader(`{"type":"MODIFIED","object":` + object + "}\n" + `{"type":"DELETED","object":` + object + `}`))
			text.UseNumber()
			for _, kind := range []apiwatch.EventType{apiwatch.Modified, apiwatch.Deleted} {
				got, is, err := next(text)
				require.NoError(t, err)
				require.Equal(t, kind, is)
				require.Equal(t, want.Object, got.Object)
			}
		})
	}
}

// A watch that ends or breaks off goes on where it was, and lists again when the API server does not know that any more.
func TestWatchGoesOn(t *testing.T) {
	gadget := func(kind, name, version string) string {
		return fmt.Sprintf(`{"type":%q,"object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":%q,"namespace":"default","resourceVersion":%q},"data":{"key":%q}}}`+"\n", kind, name, version, version)
	}
	for name, c := range map[string]struct {
		ends  string // the first watch
		from  string // what the second begins after
		lists int
		has   map[string]string
	}{
		"in good order":         {gadget("ADDED", "a", "5"), "5", 1, map[string]string{"a": "5"}},
		"with a bookmark":       {gadget("ADDED", "a", "5") + `{"type":"BOOKMARK","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"resourceVersion":"6"}}}`, "6", 1, map[string]string{"a": "5"}},
		"after what is gone":    {gadget("ADDED", "a", "5") + gadget("ADDED", "b", "6") + gadget("DELETED", "a", "7"), "7", 1, map[string]string{"b": "6"}},
		"within an event":       {gadget("ADDED", "a", "5") + gadget("MODIFIED", "a", "6")[:100], "5", 1, map[string]string{"a": "5"}},
		"with nonsense":         {gadget("ADDED", "a", "5") + "<html>", "5", 1, map[string]string{"a": "5"}},
		"with an unknown event": {gadget("ADDED", "a", "5") + gadget("MOVED", "a", "6"), "5", 1, map[string]string{"a": "5"}},
		"with what is nothing":  {gadget("ADDED", "a", "5") + `{"type":"ADDED","object":null}`, "5", 1, map[string]string{"a": "5"}},
		"with a number of none": {gadget("ADDED", "a", "5") + `{"type":"MODIFIED","object":{"kind":"ConfigMap","spec":1e999}}`, "5", 1, map[string]string{"a": "5"}},
		"with internal trouble": {gadget("ADDED", "a", "5") + `{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","code":500,"reason":"InternalError"}}`, "5", 1, map[string]string{"a": "5"}},
		"too old":               {gadget("ADDED", "a", "5") + `{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","code":410,"reason":"Expired"}}`, "2", 2, map[string]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			var lists, watches atomic.Int32
			second := make(chan string, 1)
			m := connect(t, served(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				switch {
				case r.URL.Path == "/api":
					w.Header().Set("Content-Type", discovery.AcceptV2)
					_, _ = w.Write([]byte(`{"items":[{"versions":[{"version":"v1","resources":[{"resource":"configmaps","scope":"Namespaced","responseKind":{"version":"v1","kind":"ConfigMap"}}]}]}]}`))
				case r.URL.Path == "/apis":
					w.Header().Set("Content-Type", discovery.AcceptV2)
					_, _ = w.Write([]byte(`{"items":[]}`))
				case r.URL.Query().Get("watch") == "":
					_, _ = fmt.Fprintf(w, `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"%d"},"items":[]}`, lists.Add(1))
				case watches.Add(1) == 1:
					_, _ = w.Write([]byte(c.ends))
				default:
					second <- r.URL.Query().Get("resourceVersion")
					w.(http.Flusher).Flush()
					<-r.Context().Done()
				}
			}))
			w, sink := open(t, m, "x", configMapKind)
			require.NoError(t, w.Wait(t.Context()))
			require.Equal(t, c.from, <-second)
			require.EqualValues(t, c.lists, lists.Load())
			require.True(t, sink.has(c.has)(), "%v", sink.values)
			_, err := w.Lost()
			require.NoError(t, err)
		})
	}
}
