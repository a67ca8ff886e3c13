package status

import (
	"os"
	"strings"
	"testing"

	kstatus "github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// argoSays maps each conclusion of kstatus to the possible ones of Argo CD.
var argoSays = map[kstatus.Status][]string{
	kstatus.CurrentStatus:    {"Healthy"},
	kstatus.FailedStatus:     {"Degraded"},
	kstatus.InProgressStatus: {"Progressing", "Suspended"},
}

// argoCD runs the health script of examples/argocd.
type argoCD struct {
	*lua.LState
	script map[string]*lua.LFunction // by kind
}

// newArgoCD has the libraries that Argo CD gives to a script of its ConfigMap: no string, no math, no io.
func newArgoCD(t *testing.T) argoCD {
	raw, err := os.ReadFile("../examples/argocd/argocd-cm.yaml")
	require.NoError(t, err)
	var config corev1.ConfigMap
	require.NoError(t, yaml.UnmarshalStrict(raw, &config))
	l := lua.NewState(lua.Options{SkipOpenLibs: true})
	t.Cleanup(l.Close)
	for name, open := range map[string]lua.LGFunction{lua.LoadLibName: lua.OpenPackage, lua.BaseLibName: lua.OpenBase, lua.TabLibName: lua.OpenTable} {
		require.NoError(t, l.CallByParam(lua.P{Fn: l.NewFunction(open), Protect: true}, lua.LString(name)))
	}
	a := argoCD{l, map[string]*lua.LFunction{}}
	for key, script := range config.Data {
		kind, ok := strings.CutPrefix(key, "resource.customizations.health.accord.dev_")
		require.True(t, ok, key)
		chunk, err := parse.Parse(strings.NewReader(script), key)
		require.NoError(t, err)
		proto, err := lua.Compile(chunk, key)
		require.NoError(t, err)
		a.script[kind] = l.NewFunctionFromProto(proto)
	}
	return a
}

// health of an object, and the sentence beside it.
func (a argoCD) health(t *testing.T, u *unstructured.Unstructured) (status, message string) {
	t.Helper()
	require.Contains(t, a.script, u.GetKind())
	a.SetGlobal("obj", a.value(u.Object))
	require.NoError(t, a.CallByParam(lua.P{Fn: a.script[u.GetKind()], NRet: 1, Protect: true}))
	answer, ok := a.Get(-1).(*lua.LTable)
	a.Pop(1)
	require.True(t, ok, "Argo CD expects a table")
	return answer.RawGetString("status").String(), answer.RawGetString("message").String()
}

// value is a JSON value as Argo CD passes it.
func (a argoCD) value(v any) lua.LValue {
	switch v := v.(type) {
	case bool:
		return lua.LBool(v)
	case string:
		return lua.LString(v)
	case int64:
		return lua.LNumber(v)
	case float64:
		return lua.LNumber(v)
	case []any:
		list := a.CreateTable(len(v), 0)
		for _, item := range v {
			list.Append(a.value(item))
		}
		return list
	case map[string]any:
		table := a.CreateTable(0, len(v))
		for key, item := range v {
			table.RawSetString(key, a.value(item))
		}
		return table
	}
	return lua.LNil
}

// TestArgoCDHasAScriptForEveryKind and says Progressing of what nobody has reported on.
func TestArgoCDHasAScriptForEveryKind(t *testing.T) {
	argo := newArgoCD(t)
	require.Len(t, argo.script, len(kinds))
	for _, kind := range kinds {
		for name, status := range map[string]any{"none": nil, "empty": map[string]any{}, "the default": defaultOf(t, kind)} {
			u := published(t, 1, status)
			u.SetKind(kind)
			health, message := argo.health(t, u)
			require.Equal(t, "Progressing", health, "%s, status %s", kind, name)
			require.Equal(t, "waiting for accord to look at it", message)
		}
	}
}
