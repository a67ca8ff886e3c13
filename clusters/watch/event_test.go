package watch

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	apiwatch "k8s.io/apimachinery/pkg/watch"

	"github.com/accord-dev/accord/internal/jsonobject"
)

// Events are decoded as client-go decodes the objects of Get and List.
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
			texts := jsonobject.NewReader(strings.NewReader(`{"type":"MODIFIED","object":` + object + "}\n" + `{"type":"DELETED","object":` + object + `}`))
			for _, kind := range []apiwatch.EventType{apiwatch.Modified, apiwatch.Deleted} {
				got, is, err := nextEvent(texts)
				require.NoError(t, err)
				require.Equal(t, kind, is)
				require.Equal(t, want.Object, got.Object)
			}
		})
	}
}
