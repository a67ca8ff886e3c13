package interpret_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/policy"
)

// TestKube has a row for each function of require("kube") and for the ways to misuse it: its result as a string, or the
// error.
func TestKube(t *testing.T) {
	for _, c := range []struct{ expression, want string }{
		{"require('kube').resourceAdd('100m', '1.5', nil, 2)", "3600m"},
		{"require('kube').resourceAdd()", "0"},
		{"require('kube').resourceAdd('x')", `"x" is no quantity`},
		{"require('kube').resourceAdd({})", "a quantity is a string or a number"},
		{"require('kube').getResourceQuantity('1500m')", "1.5"},
		{"require('kube').getResourceQuantity('1Ki')", "1024"},
		{"require('kube').getResourceQuantity()", "bad argument #1"},
		{"require('kube').accuratePodRequirements({})", "nil"},
		{"require('kube').accuratePodRequirements({spec = {affinity = {nodeAffinity = {requiredDuringSchedulingIgnoredDuringExecution = {a = 1}}}}}).nodeClaim.hardNodeAffinity.a", "1"},
		{"require('kube').accuratePodRequirements({spec = print})", "spec is a function, and nothing that JSON has"},
		{"#require('kube').getPodDependencies({spec = {volumes = {{secret = {secretName = 'a'}}}}}, 'b')", "1"},
		{"require('kube').getPodDependencies({})", "bad argument #2"},
		{"require('kube').resourceAdd('1e99999999', '1')", "no sensible quantity"},
		{"(function() while true do pcall(require('kube').resourceAdd, '1', '2') end end)()", "too much"},
	} {
		t.Run(c.expression, func(t *testing.T) {
			k := book(t, customized(policy.StatusReflection, "function ReflectStatus() return {v = tostring("+c.expression+")} end")).Of(gadgets)
			failed := customized(policy.HealthInterpretation, "function InterpretHealth() return nil, tostring("+c.expression+") end")
			if kept := k.Reflect(gadget(nil)); kept != nil {
				require.Equal(t, c.want, kept["v"])
				return
			}
			_, message := book(t, failed).Of(gadgets).Health(gadget(nil))
			require.Contains(t, message, c.want)
		})
	}
}
