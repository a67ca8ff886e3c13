package interpret

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/status/interpret/sandbox"
	"github.com/accord-dev/accord/status/kind"
)

// kubeFunctions returns the functions of require("kube") (Karmada §7.1).
func kubeFunctions() map[string]lua.LGFunction {
	return map[string]lua.LGFunction{
		"accuratePodRequirements": accuratePodRequirements,
		"getPodDependencies":      getPodDependencies,
		"getResourceQuantity":     getResourceQuantity,
		"resourceAdd":             resourceAdd,
	}
}

// kubePrice is charged for each call: they parse quantities and objects.
const kubePrice = 256

// deployments have the built-in rules for a pod template.
var deployments = schema.GroupKind{Group: "apps", Kind: "Deployment"}

// resourceAdd adds up quantities and returns the sum as a string. It ignores nil.
func resourceAdd(l *lua.LState) int {
	sandbox.Pay(l, kubePrice)
	var sum resource.Quantity
	for i := range l.GetTop() {
		if v := l.Get(i + 1); v != lua.LNil {
			sum.Add(quantity(l, v))
		}
	}
	return sandbox.PushString(l, sum.String())
}

// getResourceQuantity returns a quantity as a number.
func getResourceQuantity(l *lua.LState) int {
	sandbox.Pay(l, kubePrice)
	q := quantity(l, l.CheckAny(1))
	l.Push(lua.LNumber(q.AsApproximateFloat64()))
	return 1
}

func quantity(l *lua.LState, v lua.LValue) resource.Quantity {
	s := v.String()
	if !lua.LVCanConvToString(v) {
		l.RaiseError("a quantity is a string or a number, and not a %s", v.Type())
	}
	if manifest.Endless(s) {
		l.RaiseError("%q is no sensible quantity", sandbox.Shorten(s))
	}
	q, err := resource.ParseQuantity(s)
	if err != nil {
		l.RaiseError("%q is no quantity", sandbox.Shorten(s))
	}
	sandbox.Pay(l, kubePrice)
	return q
}

// accuratePodRequirements returns the requirements of one pod of a template, in the form that GetReplicas returns; nil
// if there are none.
func accuratePodRequirements(l *lua.LState) int {
	template := podTemplate(l)
	needs := map[string]any{}
	requests := map[string]any{}
	for name, q := range kind.Of(deployments).Requirements(&unstructured.Unstructured{Object: template}) {
		requests[string(name)] = q.String()
	}
	if len(requests) > 0 {
		needs["resourceRequest"] = requests
	}
	spec, _, _ := unstructured.NestedMap(template, "spec", "template", "spec")
	if claim := nodeClaim(spec); len(claim) > 0 {
		needs["nodeClaim"] = claim
	}
	if class, _ := spec["priorityClassName"].(string); class != "" {
		needs["priorityClassName"] = class
	}
	if len(needs) == 0 {
		l.Push(lua.LNil)
		return 1
	}
	l.Push(sandbox.ToLua(l, needs))
	return 1
}

// nodeClaim returns the constraints of a pod on its node.
func nodeClaim(spec map[string]any) map[string]any {
	claim := map[string]any{}
	for name, path := range map[string][]string{
		"nodeSelector":     {"nodeSelector"},
		"tolerations":      {"tolerations"},
		"hardNodeAffinity": {"affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"},
	} {
		if v, found, err := unstructured.NestedFieldNoCopy(spec, path...); found && err == nil && v != nil {
			claim[name] = v
		}
	}
	return claim
}

// getPodDependencies returns the objects that a pod of a template in a namespace refers to, in the form that
// GetDependencies returns.
func getPodDependencies(l *lua.LState) int {
	object := podTemplate(l)
	object["metadata"] = map[string]any{"namespace": l.CheckString(2)}
	refs := []any{}
	for _, ref := range kind.Of(deployments).Dependencies(&unstructured.Unstructured{Object: object}) {
		refs = append(refs, map[string]any{
			"apiVersion": schema.GroupVersion{Group: ref.Group, Version: "v1"}.String(),
			"kind":       ref.Kind, "namespace": ref.Namespace, "name": ref.Name,
		})
	}
	l.Push(sandbox.ToLua(l, refs))
	return 1
}

// podTemplate returns a workload with the pod template that is the first argument.
func podTemplate(l *lua.LState) map[string]any {
	sandbox.Pay(l, kubePrice)
	template, err := sandbox.FromLua(l, l.CheckTable(1))
	if err != nil {
		l.RaiseError("%s", fmt.Errorf("the pod template cannot be read: %w", err))
	}
	return map[string]any{"spec": map[string]any{"template": template}}
}
