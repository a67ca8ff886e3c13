package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// hostileText clears the screen by ESC and by C1, reverses a line, and hides a character.
const hostileText = "x\x1b[2J\u009b2J\u202e\u2066\u200b\rx"

// controlled matches characters that no command may write, except for the colors of accord itself.
var (
	controlled = regexp.MustCompile("[\x00-\x08\x0b-\x1f\x7f\u0080-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
	ownColors  = regexp.MustCompile("\x1b\\[(0|3[1-6])m")
)

// TestHostileTextInEveryCommand runs every command in every format: on a hub whose records have hostile text in each field that
// the API server does not restrict and whose refusals are hostile, on a hostile tree of Git, and with hostile arguments.
func TestHostileTextInEveryCommand(t *testing.T) {
	work := t.TempDir()
	kubeconfig, tree := filepath.Join(work, "kubeconfig"), filepath.Join(work, "tree")
	server := httptest.NewServer(http.HandlerFunc(hostileHub))
	t.Cleanup(server.Close)
	require.NoError(t, os.WriteFile(kubeconfig, []byte(`{"apiVersion":"v1","kind":"Config","current-context":"c","users":[{"name":"c","user":{}}],
"contexts":[{"name":"c","context":{"cluster":"c","user":"c","namespace":"default"}}],"clusters":[{"name":"c","cluster":{"server":"`+server.URL+`"}}]}`), 0o600))
	require.NoError(t, os.Mkdir(tree, 0o700))
	for name, text := range map[string]string{
		"a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default, annotations: {a: HOSTILE}}\ndata: {HOSTILE: HOSTILE, b: HOSTILE}\n",
		"b.yaml": "apiVersion: v1\nkind: HOSTILE\nmetadata: {name: HOSTILE}\n",
		"c.yaml": "apiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy\nmetadata: {name: all, namespace: default}\nspec:\n  HOSTILE: HOSTILE\n" +
			"  resourceSelectors: [{apiVersion: v1, kind: ConfigMap, name: HOSTILE}]\n  placement: {clusterAffinity: {clusterNames: [HOSTILE]}}\n",
	} {
		quoted, err := json.Marshal(hostileText)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(tree, name), []byte(strings.ReplaceAll(text, "HOSTILE", string(quoted))), 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(tree, "evil\x1b[2J\u202e.yaml"), []byte("a: b\n"), 0o600))
	t.Setenv("KUBECONFIG", kubeconfig)
	t.Setenv("ACCORD_KUBECONFIG", kubeconfig)
	t.Setenv("HOME", work)

	run := func(args ...string) string {
		ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
		defer cancel()
		var out, errs strings.Builder
		code := execute(ctx, args, strings.NewReader("y\n"), &out, &errs)
		for stream, text := range map[string]string{"stdout": out.String(), "stderr": errs.String()} {
			if slices.Contains(args, "--color=always") {
				text = ownColors.ReplaceAllString(text, "")
			}
			if at := controlled.FindStringIndex(text); at != nil {
				t.Errorf("accord %q writes %q to %s: %q", args, text[at[0]:at[1]], stream, text[max(0, at[0]-100):min(len(text), at[1]+20)])
			}
		}
		require.NotEmpty(t, out.String()+errs.String(), "accord %q writes nothing (exit code %d)", args, code)
		return out.String() + errs.String()
	}
	shown := map[string]bool{} // commands that wrote an escaped text
	for _, c := range documented(rootCommand()) {
		name := strings.TrimPrefix(c.CommandPath(), "accord ")
		path := strings.Fields(name)
		if !slices.Contains([]string{"up", "run", "install", "version", "schema"}, name) { // these serve, or read nothing
			for _, arguments := range hostileArguments(name, tree) {
				for _, format := range formatsOf(c) {
					text := run(slices.Concat(path, arguments, format)...)
					shown[name] = shown[name] || strings.Contains(text, `\u001b`) || strings.Contains(text, `\x1b`)
				}
			}
		}
		text := run(slices.Concat(path, []string{"--" + hostileText})...)
		shown[name] = shown[name] || strings.Contains(text, `\u001b`)
		require.True(t, shown[name], "accord %s shows no text, so that this test proves nothing for it", name)
	}
}

// hostileArguments returns the arguments with which a command is run.
func hostileArguments(name, tree string) [][]string {
	switch {
	case strings.HasPrefix(name, "get"):
		var all [][]string
		for _, kind := range []string{"federations", "clusters", "releases", "deliveries", "objects", "policies"} {
			all = append(all, []string{kind})
		}
		return append(all, []string{hostileText})
	case slices.Contains([]string{"lint", "plan", "render"}, name):
		return [][]string{{tree}, {hostileText}}
	case name == "why":
		return [][]string{{"configmap/a", tree}, {hostileText, tree}}
	case name == "wait":
		return [][]string{{"shop", "--timeout", "1s"}, {hostileText, "--timeout", "1s"}}
	}
	return [][]string{{"shop"}, {hostileText}, {}}
}

// formatsOf returns the flags of every output format of a command.
func formatsOf(c *cobra.Command) [][]string {
	all := [][]string{nil}
	if f := c.Flag("output"); f != nil {
		if choices, ok := f.Value.(interface{ Choices() []string }); ok {
			for _, choice := range choices.Choices() {
				all = append(all, []string{"-o", choice})
			}
		}
	}
	if c.Flag("color") != nil {
		all = append(all, []string{"--color=always"})
	}
	return all
}

// TestHostileOutputIsNotBypassed finds no code of the commands that writes to the process's own output.
func TestHostileOutputIsNotBypassed(t *testing.T) {
	direct := regexp.MustCompile(`os\.Std(out|err)\b|fmt\.Print(ln|f)?\(|\bprintln\(`)
	require.NoError(t, filepath.WalkDir(".", func(name string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || name == "main.go" {
			return err
		}
		text, err := os.ReadFile(name)
		require.NotRegexp(t, direct, string(text), name)
		return err
	}))
}

// hostileHub answers like a hub with one object of each kind, named shop; it refuses everything else.
func hostileHub(w http.ResponseWriter, r *http.Request) {
	kinds := map[string]runtime.Object{
		"federations": &v1alpha1.Federation{}, "clusters": &v1alpha1.Cluster{}, "releases": &v1alpha1.Release{},
		"deliveries": &v1alpha1.Delivery{}, "federatedobjects": &v1alpha1.FederatedObject{},
	}
	answer := func(code int, v any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(v)
	}
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	group := metav1.GroupVersionForDiscovery{GroupVersion: "accord.dev/v1alpha1", Version: "v1alpha1"}
	at := slices.IndexFunc(parts, func(p string) bool { return kinds[p] != nil })
	switch {
	case r.URL.Path == "/api":
		answer(http.StatusOK, metav1.APIVersions{Versions: []string{"v1"}})
	case r.URL.Path == "/apis":
		answer(http.StatusOK, metav1.APIGroupList{Groups: []metav1.APIGroup{{Name: "accord.dev", PreferredVersion: group, Versions: []metav1.GroupVersionForDiscovery{group}}}})
	case r.URL.Path == "/apis/accord.dev/v1alpha1":
		list := metav1.APIResourceList{GroupVersion: group.GroupVersion}
		for name, kind := range kinds {
			list.APIResources = append(list.APIResources, metav1.APIResource{
				Name: name, Namespaced: name != "clusters", Kind: reflect.TypeOf(kind).Elem().Name(), Verbs: []string{"get", "list", "watch", "patch"},
			})
		}
		answer(http.StatusOK, list)
	case r.Method == http.MethodGet && at >= 0 && r.URL.Query().Get("watch") == "":
		object := kinds[parts[at]]
		poison(reflect.ValueOf(object).Elem(), 0)
		kind := reflect.TypeOf(object).Elem().Name()
		o, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
		if err != nil {
			panic(err)
		}
		o["apiVersion"], o["kind"] = group.GroupVersion, kind
		o["metadata"] = map[string]any{"name": "shop", "namespace": "default", "uid": "1", "resourceVersion": "1", "generation": 1,
			"labels": map[string]any{v1alpha1.FederationLabel: "shop"}, "annotations": map[string]any{"a": hostileText}}
		if at == len(parts)-1 {
			answer(http.StatusOK, map[string]any{"apiVersion": group.GroupVersion, "kind": kind + "List", "metadata": map[string]any{"resourceVersion": "1"}, "items": []any{o}})
			return
		}
		answer(http.StatusOK, o)
	default:
		answer(http.StatusForbidden, metav1.Status{
			TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure,
			Reason: metav1.StatusReasonForbidden, Code: http.StatusForbidden, Message: hostileText,
		})
	}
}

// poison puts hostile text into all fields of a record that hold text, and one item into each list and map.
func poison(v reflect.Value, depth int) {
	switch {
	case depth > 12 || !v.CanSet():
	case v.Type() == reflect.TypeFor[metav1.Time]():
		v.Set(reflect.ValueOf(metav1.NewTime(time.Unix(1e9, 0))))
	case v.Type() == reflect.TypeFor[metav1.MicroTime]():
		v.Set(reflect.ValueOf(metav1.NewMicroTime(time.Unix(1e9, 0))))
	case v.Type() == reflect.TypeFor[metav1.Duration]():
		v.Set(reflect.ValueOf(metav1.Duration{Duration: time.Minute}))
	case v.Type() == reflect.TypeFor[runtime.RawExtension]():
		raw, _ := json.Marshal(map[string]string{"message": hostileText})
		v.Set(reflect.ValueOf(runtime.RawExtension{Raw: raw}))
	case v.Type().PkgPath() == "k8s.io/apimachinery/pkg/api/resource", v.Type().PkgPath() == "encoding/json":
	case v.Type() == reflect.TypeFor[metav1.ObjectMeta]():
	default:
		switch v.Kind() {
		case reflect.String:
			v.SetString(hostileText)
		case reflect.Int, reflect.Int32, reflect.Int64:
			v.SetInt(1)
		case reflect.Pointer:
			v.Set(reflect.New(v.Type().Elem()))
			poison(v.Elem(), depth+1)
		case reflect.Slice:
			if v.Type().Elem().Kind() != reflect.Uint8 {
				v.Set(reflect.MakeSlice(v.Type(), 1, 1))
				poison(v.Index(0), depth+1)
			}
		case reflect.Map:
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			poison(key, depth+1)
			poison(value, depth+1)
			v.Set(reflect.MakeMap(v.Type()))
			v.SetMapIndex(key, value)
		case reflect.Struct:
			for i := range v.NumField() {
				poison(v.Field(i), depth+1)
			}
		}
	}
}
