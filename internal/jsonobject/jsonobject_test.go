package jsonobject_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/accord-dev/accord/internal/jsonobject"
)

var texts = []string{
	`{}`, ` { } `, `null`, `{"a":null,"b":true,"c":false}`, `{"a":1,"a":{"b":2}}`, `{"":"","a":[],"b":[{}],"c":[[1,-2],[]]}`,
	`{"n":[0,-0,1,-1,9007199254740993,9223372036854775807,9223372036854775808,1.0,1.5,1e3,-1.5E-3,0.1]}`,
	`{"s":["\n","\u0041\u00e9","ä","\ud83d\ude00","\ud83d","` + "\xff" + `","\\","\"","\/"]}`,
	`{"long":"` + strings.Repeat("x", 100) + `"}`, "{\"a\"\t:\r\n[ 1 , 2 ]}",
	``, ` `, `{`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{,}`, `[1]`, `1`, `"a"`, `{"a":01}`, `{"a":-}`, `{"a":1.}`, `{"a":.5}`, `{"a":+1}`, `{"a":1e}`, `{"a":1e999}`,
	`{"a":nul}`, `{"a":truee}`, `{"a":"` + "\n" + `"}`, `{"a":"\x"}`, `{"a":"`, `{"a":[1,]}`, `{"a":[1}`, `{"a":1}}`, `{"a":1} x`, `{"a":0x1}`, `{"a":Inf}`, `{"a":1_0}`,
}

func TestUnmarshal(t *testing.T) {
	var d jsonobject.Decoder
	for _, text := range texts {
		equal(t, &d, []byte(text))
	}
	deep := []byte(`{"a":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`)
	_, err := d.Unmarshal(deep)
	require.ErrorContains(t, err, "max depth")
}

func FuzzUnmarshal(f *testing.F) {
	for _, text := range texts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if !bytes.Contains(text, []byte("managedFields")) {
			equal(t, &jsonobject.Decoder{}, text)
		}
	})
}

// equal compares the result with that of apimachinery.
func equal(t *testing.T, d *jsonobject.Decoder, text []byte) {
	t.Helper()
	var want map[string]any
	wrong := utiljson.Unmarshal(text, &want)
	got, err := d.Unmarshal(text)
	if wrong != nil {
		require.Error(t, err, "%s: %v", text, wrong)
		return
	}
	require.NoError(t, err, "%s", text)
	require.Equal(t, want, got, "%s", text)
}

func TestUnmarshalOfRandomObjects(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var d jsonobject.Decoder
	for range 2000 {
		text, err := json.Marshal(object(random, 4))
		require.NoError(t, err)
		equal(t, &d, text)
		for range 5 { // malformed ones
			broken := bytes.Clone(text)
			broken[random.IntN(len(broken))] = "{}[],:\"0a\\ "[random.IntN(11)]
			equal(t, &d, broken)
		}
	}
}

func object(random *rand.Rand, depth int) map[string]any {
	all := map[string]any{}
	for range random.IntN(5) {
		all[fmt.Sprint("k", random.IntN(12))] = value(random, depth-1)
	}
	return all
}

func value(random *rand.Rand, depth int) any {
	switch n := random.IntN(8); {
	case n == 0 && depth > 0:
		return object(random, depth)
	case n == 1 && depth > 0:
		list := []any{}
		for range random.IntN(4) {
			list = append(list, value(random, depth-1))
		}
		return list
	case n == 2:
		return random.IntN(3) == 0
	case n == 3:
		return random.Int64() - random.Int64()
	case n == 4:
		return random.NormFloat64()
	case n == 5:
		return nil
	default:
		return []string{"", "web", "a\nb", "<&>", "ä", strings.Repeat("long", 20)}[random.IntN(6)]
	}
}

func TestFieldsOfManagersStayText(t *testing.T) {
	entry := `[{"manager":"accord","fieldsV1":{"f:spec":{"k:{\"name\":\"}\"}":{}}}},{"fieldsV1":null},{"fieldsV1":{}}]`
	for _, text := range []string{`{"metadata":{"managedFields":` + entry + `},"spec":{"fieldsV1":{"a":{}}}}`, `{"type":"ADDED","object":{"metadata":{"managedFields":` + entry + `}}}`} {
		got, err := jsonobject.Unmarshal([]byte(text))
		require.NoError(t, err)
		if event, ok := got["object"].(map[string]any); ok {
			got = event
		} else {
			require.Equal(t, map[string]any{"fieldsV1": map[string]any{"a": map[string]any{}}}, got["spec"])
		}
		require.Equal(t, []any{
			map[string]any{"manager": "accord", "fieldsV1": `{"f:spec":{"k:{\"name\":\"}\"}":{}}}`}, map[string]any{"fieldsV1": nil}, map[string]any{"fieldsV1": `{}`},
		}, got["metadata"].(map[string]any)["managedFields"])
	}
	_, err := jsonobject.Unmarshal([]byte(`{"metadata":{"managedFields":[{"fieldsV1":{"f:a":{}`))
	require.Error(t, err)

	whole := `{"metadata":{"managedFields":` + entry + `}}`
	got, err := jsonobject.UnmarshalAll([]byte(whole))
	require.NoError(t, err)
	require.Equal(t, parsed(t, whole), got)
}

func TestHolds(t *testing.T) {
	live := `{"a":1,"b":{"c":"x","d":[1,2.5,{"e":true}]},"f":"a\nb","g":false}`
	for text, want := range map[string]bool{
		`{}`: true, live: true, `{"a":1}`: true, `{"b":{"d":[1,2.5,{}]}}`: true, `{"z":null,"y":{},"x":[]}`: true, `{"b":{"z":{"y":[]}}}`: true, `{"f":"a\nb"}`: true, `{"\u0061":1}`: true,
		`{"a":2}`: false, `{"a":1.5}`: false, `{"a":"1"}`: false, `{"b":{"c":"y"}}`: false, `{"b":{"d":[1]}}`: false, `{"b":{"d":[1,2.5,{},1]}}`: false, `{"b":{"d":[2.5,1,{}]}}`: false,
		`{"g":true}`: false, `{"z":1}`: false, `{"b":1}`: false, `{"a":{"b":1}}`: false, `{"f":"a\n"}`: false, `{"b":{"d":[]}}`: false,
		``: false, `[]`: false, `{"a":1`: false, `{"a":1}}`: false, `{"a" 1}`: false,
	} {
		require.Equal(t, want, jsonobject.Holds([]byte(text), parsed(t, live)), text)
	}
}

func parsed(t testing.TB, text string) map[string]any {
	object := map[string]any{}
	require.NoError(t, utiljson.Unmarshal([]byte(text), &object))
	return object
}

func TestReader(t *testing.T) {
	objects := []string{
		`{"a":1}`, `{"b":"}"}`, `{"c":"\"}\\"}`, `{"d":[{},{"e":[]}]}`, `{"f":"` + strings.Repeat("\\\\x{", 300) + `"}`, `{"g":"` + strings.Repeat("y", 100000) + `"}`, `{}`,
		`{"h":"` + strings.Repeat("z", 20000) + `","i":[` + strings.Repeat(`"{",`, 9000) + `1]}`, `{"j":2}`,
	}
	stream := "\n" + strings.Join(objects, "\n \t") + "\n"
	sources := map[string]func(io.Reader) io.Reader{
		"one byte at a time": iotest.OneByteReader, "half": iotest.HalfReader, "all": func(r io.Reader) io.Reader { return r }, "the error with data": iotest.DataErrReader,
		"in pieces": func(r io.Reader) io.Reader { return &pieces{r, rand.New(rand.NewPCG(3, 4))} },
	}
	for name, source := range sources {
		t.Run(name, func(t *testing.T) {
			r := jsonobject.NewReader(source(strings.NewReader(stream)))
			for _, want := range objects {
				got, err := r.Next()
				require.NoError(t, err)
				require.Equal(t, want, strings.TrimSpace(string(got)))
			}
			_, err := r.Next()
			require.ErrorIs(t, err, io.EOF)
		})
	}
	for text, want := range map[string]string{`{"a":1`: "EOF", `x`: "invalid character", `}`: "invalid character"} {
		_, err := jsonobject.NewReader(strings.NewReader(text)).Next()
		require.ErrorContains(t, err, want, text)
	}
	broken := errors.New("broken")
	_, err := jsonobject.NewReader(io.MultiReader(strings.NewReader(`{"a":`), iotest.ErrReader(broken))).Next()
	require.ErrorIs(t, err, broken)
}

// pieces reads random lengths.
type pieces struct {
	io.Reader
	random *rand.Rand
}

func (p *pieces) Read(b []byte) (int, error) {
	return p.Reader.Read(b[:1+p.random.IntN(len(b))])
}

func deployment() []byte {
	return []byte(`{"type":"ADDED","object":{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"annotations":{"accord.dev/digest":"0123456789abcdef0123456789abcdef","deployment.kubernetes.io/revision":"1"},"creationTimestamp":"2026-11-23T08:00:00Z","generation":1,"labels":{"app":"web-0001","applyset.kubernetes.io/part-of":"applyset-0123456789abcdef0123456789abcdef01234567-v1"},"managedFields":[{"apiVersion":"apps/v1","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:annotations":{"f:accord.dev/digest":{}},"f:labels":{"f:app":{},"f:applyset.kubernetes.io/part-of":{}}},"f:spec":{"f:replicas":{},"f:selector":{},"f:template":{"f:metadata":{"f:labels":{"f:app":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"web\"}":{".":{},"f:env":{"k:{\"name\":\"COLOR\"}":{".":{},"f:name":{},"f:value":{}}},"f:image":{},"f:name":{},"f:ports":{"k:{\"containerPort\":8080,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{}}},"f:resources":{"f:limits":{"f:memory":{}},"f:requests":{"f:cpu":{},"f:memory":{}}}}}}}}},"manager":"accord","operation":"Apply","time":"2026-11-23T08:00:00Z"}],"name":"web-0001","namespace":"shop","resourceVersion":"1234","uid":"5a0e4d0c-0000-4000-8000-0123456789ab"},"spec":{"progressDeadlineSeconds":600,"replicas":2,"revisionHistoryLimit":10,"selector":{"matchLabels":{"app":"web-0001"}},"strategy":{"rollingUpdate":{"maxSurge":"25%","maxUnavailable":"25%"},"type":"RollingUpdate"},"template":{"metadata":{"labels":{"app":"web-0001"}},"spec":{"containers":[{"env":[{"name":"COLOR","value":"blue"}],"image":"registry.example.com/web:1.27.0","imagePullPolicy":"IfNotPresent","name":"web","ports":[{"containerPort":8080,"protocol":"TCP"}],"resources":{"limits":{"memory":"128Mi"},"requests":{"cpu":"10m","memory":"64Mi"}},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}],"dnsPolicy":"ClusterFirst","restartPolicy":"Always","schedulerName":"default-scheduler","securityContext":{},"terminationGracePeriodSeconds":30}}},"status":{}}}`)
}

func BenchmarkUnmarshal(b *testing.B) {
	text := deployment()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := jsonobject.Unmarshal(text); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkStandardLibrary is the same with encoding/json.
func BenchmarkStandardLibrary(b *testing.B) {
	text := deployment()
	b.ReportAllocs()
	for b.Loop() {
		var object map[string]any
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&object); err != nil {
			b.Fatal(err)
		}
		if err := utiljson.ConvertMapNumbers(object, 0); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkHolds(b *testing.B) {
	text := deployment()
	live := parsed(b, string(text))
	b.ReportAllocs()
	for b.Loop() {
		if !jsonobject.Holds(text, live) {
			b.Fatal("differs")
		}
	}
}
