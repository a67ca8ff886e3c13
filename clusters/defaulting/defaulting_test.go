package defaulting_test

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/clusters/defaulting"
)

func object(t *testing.T, text string) map[string]any {
	u := map[string]any{}
	require.NoError(t, yaml.Unmarshal([]byte(text), &u))
	return u
}

func kinds(t *testing.T) *defaulting.Kinds {
	k, err := defaulting.NewKinds()
	require.NoError(t, err)
	return k
}

func TestAKindOfKubernetes(t *testing.T) {
	service := schema.GroupVersionKind{Version: "v1", Kind: "Service"}
	filled, err := kinds(t).Of(service).Fill(object(t, "{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {ports: [{port: 80}]}}"))
	require.NoError(t, err)
	require.Equal(t, "ClusterIP", filled["spec"].(map[string]any)["type"])
	require.Equal(t, []any{map[string]any{"port": int64(80), "protocol": "TCP", "targetPort": int64(80)}}, filled["spec"].(map[string]any)["ports"])
	require.Nil(t, kinds(t).Of(schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}), "an unknown kind")
}

func TestADefinedKind(t *testing.T) {
	k := kinds(t)
	require.NoError(t, k.Define(&unstructured.Unstructured{Object: object(t, `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              color: {type: string, default: red}
              size: {type: object, default: {unit: cm}, properties: {unit: {type: string}, width: {type: integer}}}
`)}))
	d := k.Of(schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"})
	require.Equal(t, map[string]bool{"color": true, "size": true, "unit": true}, d.Names)
	live := object(t, "{spec: {}}")
	filled, err := d.Fill(live)
	require.NoError(t, err)
	require.Equal(t, object(t, "{spec: {color: red, size: {unit: cm}}}"), filled)
	require.Equal(t, object(t, "{spec: {}}"), live)
	require.Nil(t, k.Of(schema.GroupVersionKind{Group: "example.com", Version: "v2", Kind: "Widget"}), "a version without a definition")
}

// TestBuiltinNames fills random objects of all kinds: the list has the names of all fields that appear.
func TestBuiltinNames(t *testing.T) {
	k, random := kinds(t), rand.New(rand.NewPCG(1, 2))
	require.NoError(t, apiextensionsv1.AddToScheme(scheme.Scheme))
	missing, seen := map[string]string{}, 0
	for gvk, typ := range scheme.Scheme.AllKnownTypes() {
		d := k.Of(gvk)
		if d == nil || !hasMetadata(typ) || strings.HasSuffix(gvk.Kind, "List") {
			continue
		}
		seen++
		for i := range 120 {
			value := reflect.New(typ)
			filler{random, []float64{0.05, 0.3, 0.6}[i%3]}.fill(value.Elem(), 0)
			before, err := runtime.DefaultUnstructuredConverter.ToUnstructured(value.Interface())
			require.NoError(t, err)
			after, err := d.Fill(before)
			require.NoError(t, err)
			delete(after, "status")
			added(before, after, "", func(parent, name string) {
				if !d.Names[name] && !d.Names[parent+"/"] && !d.Names[parent+"/"+name] {
					missing[name] = gvk.Kind + " below " + parent
				}
			})
		}
	}
	require.Greater(t, seen, 40)
	require.Empty(t, missing)
}

func hasMetadata(typ reflect.Type) bool {
	_, ok := typ.FieldByName("ObjectMeta")
	return ok
}

// words are values by which functions of Kubernetes decide.
var words = []string{"", "", "a", "NodePort", "LoadBalancer", "ClusterIP", "RollingUpdate", "OnDelete", "Indexed", "NonIndexed", "Never",
	"Always", "nginx:1.27", "Resource", "Pods", "External", "Local", "ClientIP", "Container", "Exact", "Webhook"}

// filler sets random fields, each optional one with the probability p.
type filler struct {
	*rand.Rand
	p float64
}

func (f filler) fill(v reflect.Value, depth int) {
	if depth > 14 {
		return
	}
	switch v.Interface().(type) {
	case metav1.ObjectMeta, metav1.TypeMeta, metav1.Time, metav1.MicroTime, runtime.RawExtension:
		return
	case resource.Quantity:
		v.Set(reflect.ValueOf(resource.MustParse("1")))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if f.Float64() < f.p {
			v.Set(reflect.New(v.Type().Elem()))
			f.fill(v.Elem(), depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() && v.Type().Field(i).Name != "Status" {
				f.fill(v.Field(i), depth+1)
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Uint8 && f.Float64() < f.p {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			f.fill(v.Index(0), depth+1)
		}
	case reflect.Map:
		if f.Float64() < f.p {
			v.Set(reflect.MakeMap(v.Type()))
			item := reflect.New(v.Type().Elem()).Elem()
			f.fill(item, depth+1)
			v.SetMapIndex(reflect.ValueOf("cpu").Convert(v.Type().Key()), item)
		}
	case reflect.String:
		v.SetString(words[f.IntN(len(words))])
	case reflect.Int32, reflect.Int64:
		v.SetInt(int64(f.IntN(2)))
	case reflect.Bool:
		v.SetBool(f.Float64() < f.p)
	}
}

// isZero reports whether a value is absent, or one that Go's types write for an absent one.
func isZero(v any) bool { return v == nil || v == "" || v == int64(0) }

// added calls f for each leaf of after that before does not have.
func added(before, after any, parent string, f func(parent, name string)) {
	switch after := after.(type) {
	case map[string]any:
		was, _ := before.(map[string]any)
		for name, value := range after {
			if inside, ok := value.(map[string]any); ok && len(inside) > 0 {
				added(was[name], value, name, f)
			} else if isZero(was[name]) && !isZero(value) {
				f(parent, name)
			} else {
				added(was[name], value, name, f)
			}
		}
	case []any:
		was, _ := before.([]any)
		for i, item := range after {
			if i < len(was) {
				added(was[i], item, parent, f)
			}
		}
	}
}
