package interpret

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"

	"github.com/accord-dev/accord/api/policy"
)

// TestShippedScriptsAssignNoGlobal: their states are reused, so that an assignment would survive the call. A script assigns
// to its function and to nothing else.
func TestShippedScriptsAssignNoGlobal(t *testing.T) {
	require.Empty(t, assigned(t, accordModule))
	entries, err := shippedFiles.ReadDir("kinds")
	require.NoError(t, err)
	for _, entry := range entries {
		customizations, err := decode(entry.Name())
		require.NoError(t, err)
		require.NotEmpty(t, customizations)
		for _, c := range customizations {
			group, _, _ := strings.Cut(c.Spec.Target.APIVersion, "/")
			require.Equal(t, entry.Name(), group+".yaml")
			for _, op := range policy.Operations() {
				if script := c.Script(op); script != "" {
					require.Equal(t, []string{op.Function()}, assigned(t, script), "%s of %s", op, c.Name)
				}
			}
		}
	}
}

// assigned returns the globals that a script assigns to.
func assigned(t *testing.T, script string) []string {
	chunk, err := parse.Parse(strings.NewReader(script), "script")
	require.NoError(t, err)
	proto, err := lua.Compile(chunk, "script")
	require.NoError(t, err)
	var names []string
	var walk func(*lua.FunctionProto)
	walk = func(p *lua.FunctionProto) {
		for _, instruction := range p.Code {
			if int(instruction>>26) == lua.OP_SETGLOBAL {
				names = append(names, p.Constants[instruction&0x3ffff].String())
			}
		}
		for _, inner := range p.FunctionPrototypes {
			walk(inner)
		}
	}
	walk(proto)
	return names
}
