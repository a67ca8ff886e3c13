package interpret_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/status/interpret"
	"github.com/accord-dev/accord/status/kind"
)

var gadgets = schema.GroupKind{Group: "a.io", Kind: "Gadget"}

// customized is what a user knows about gadgets: one script.
func customized(op policy.Operation, script string) policy.Customization {
	c := policy.Customization{Meta: policy.Meta{Name: string(op)}}
	c.Spec.Target = policy.CustomizationTarget{APIVersion: "a.io/v1", Kind: gadgets.Kind}
	lua := &policy.LuaScript{LuaScript: script}
	rules := &c.Spec.Customizations
	switch op {
	case policy.Retention:
		rules.Retention = lua
	case policy.ReplicaResource:
		rules.ReplicaResource = lua
	case policy.ComponentResource:
		rules.ComponentResource = lua
	case policy.ReplicaRevision:
		rules.ReplicaRevision = lua
	case policy.StatusReflection:
		rules.StatusReflection = lua
	case policy.StatusAggregation:
		rules.StatusAggregation = lua
	case policy.HealthInterpretation:
		rules.HealthInterpretation = lua
	case policy.DependencyInterpretation:
		rules.DependencyInterpretation = lua
	}
	return c
}

func book(t *testing.T, customizations ...policy.Customization) *interpret.Book {
	t.Helper()
	b, err := interpret.New(customizations, nil)
	require.NoError(t, err)
	return b
}

// gadget is an object with these fields besides its name.
func gadget(fields map[string]any) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "a.io/v1", "kind": "Gadget", "metadata": map[string]any{"name": "g", "namespace": "shop"},
	}}
	for k, v := range fields {
		u.Object[k] = v
	}
	return u
}

func TestNoBookIsWhatIsBuiltIn(t *testing.T) {
	for _, b := range []*interpret.Book{nil, book(t)} {
		health, _ := b.Of(gadgets).Health(gadget(nil))
		require.Equal(t, kind.Healthy, health)
		require.Nil(t, b.Of(gadgets).Replicas)
		require.NotNil(t, b.Of(schema.GroupKind{Group: "apps", Kind: "Deployment"}).Replicas)
		require.Empty(t, b.Check(gadget(nil)))
		components, err := b.Components(gadget(nil))
		require.NoError(t, err)
		require.Nil(t, components)
		desired := gadget(nil)
		retained, err := b.Retain(desired, gadget(map[string]any{"spec": "live"}))
		require.NoError(t, err)
		require.Same(t, desired, retained)
	}
}

func TestRetain(t *testing.T) {
	b := book(t, customized(policy.Retention, "function Retain(d, o) d.spec = o.spec return d end"))
	got, err := b.Retain(gadget(nil), gadget(map[string]any{"spec": map[string]any{"list": []any{}, "object": map[string]any{}}}))
	require.NoError(t, err)
	require.Equal(t, map[string]any{"list": []any{}, "object": map[string]any{}}, got.Object["spec"])
	_, err = book(t, customized(policy.Retention, "function Retain(d, o) return o.none end")).Retain(gadget(nil), gadget(nil))
	require.ErrorContains(t, err, "Retain returns a nil, and not an object")
}

// TestReplicas has a row for everything that GetReplicas can return.
func TestReplicas(t *testing.T) {
	for _, c := range []struct {
		name, returns, want string
		n                   int32
	}{
		{"a number", "3", "", 3},
		{"none", "0", "", 0},
		{"a fraction", "1.5", "returns 1.5, which is no number of replicas", 0},
		{"less than none", "-1", "returns -1, which is no number of replicas", 0},
		{"too many", "2^31", "which is no number of replicas", 0},
		{"as many as there can be", "2^31 - 1", "", math.MaxInt32},
		{"a string", "'3'", "returns a string, and not a number of replicas", 0},
		{"nothing", "nil", "returns a nil, and not a number of replicas", 0},
		{"no quantity", "1, {resourceRequest = {cpu = 'much'}}", `"much" of cpu is no quantity`, 0},
		{"no sensible quantity", "1, {resourceRequest = {cpu = '1e99999999'}}", `"1e99999999" of cpu is no sensible quantity`, 0},
		{"what JSON does not have", "1, {x = print}", "x is a function", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := book(t, customized(policy.ReplicaResource, "function GetReplicas(obj) return "+c.returns+" end"))
			n, ok := b.Of(gadgets).Replicas(gadget(nil))
			require.Equal(t, c.want == "", ok)
			require.Equal(t, c.n, n)
			failures := b.Check(gadget(nil))
			if c.want == "" {
				require.Empty(t, failures)
				return
			}
			require.Len(t, failures, 1)
			require.ErrorContains(t, failures[0], c.want)
			require.Empty(t, b.Of(gadgets).Requirements(gadget(nil)))
		})
	}
}

// TestRequirementsCanBeReckonedWith: the promises of kind.Kind hold for what scripts say, too.
func TestRequirementsCanBeReckonedWith(t *testing.T) {
	b := book(t, customized(policy.ReplicaResource, `function GetReplicas(obj)
		return 1, {resourceRequest = {cpu = "1n", memory = "8E", disk = -1, gpu = 0, pods = 2}} end`))
	requests := b.Of(gadgets).Requirements(gadget(nil))
	require.NotContains(t, requests, "disk")
	require.NotContains(t, requests, "gpu")
	for name, q := range requests {
		require.Positive(t, q.Sign(), name)
		require.Positive(t, q.MilliValue(), name)
	}
	require.Len(t, requests, 3)
}

// TestDependencies has a row for every reference that is none.
func TestDependencies(t *testing.T) {
	for _, c := range []struct{ name, returns, want string }{
		{"none", "nil", ""},
		{"an empty list", "{}", ""},
		{"no list", "'x'", "returns a string, and not a list"},
		{"an object", "{a = 1}", "returns a table, and not a list"},
		{"a list of strings", "{'x'}", "entry 1 of the result of GetDependencies is no object"},
		{"no version", "{{kind = 'A', name = 'a'}}", "dependency 1 has no valid apiVersion"},
		{"a version that is none", "{{apiVersion = 'a/b/c', kind = 'A', name = 'a'}}", `no valid apiVersion: "a/b/c"`},
		{"no kind", "{{apiVersion = 'v1', name = 'a'}}", "dependency 1 has no kind"},
		{"expressions", "{{apiVersion = 'v1', kind = 'A', labelSelector = {matchExpressions = {{key = 'a'}}}}}", "only matchLabels are understood"},
		{"labels that are none", "{{apiVersion = 'v1', kind = 'A', labelSelector = {matchLabels = {a = 1}}}}", `whose "a" is no string`},
		{"what JSON does not have", "{{apiVersion = print}}", "[1].apiVersion is a function"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := book(t, customized(policy.DependencyInterpretation, "function GetDependencies(obj) return "+c.returns+" end"))
			require.Empty(t, b.Of(gadgets).Dependencies(gadget(nil)))
			failures := b.Check(gadget(nil))
			if c.want == "" {
				require.Empty(t, failures)
				return
			}
			require.Len(t, failures, 1)
			require.ErrorContains(t, failures[0], c.want)
		})
	}
}

// TestComponents has a row for every component that is none.
func TestComponents(t *testing.T) {
	for _, c := range []struct{ name, returns, want string }{
		{"nothing", "nil", ""},
		{"no number", "{{name = 'a'}}", "component 1 a has no number of replicas"},
		{"less than none", "{{name = 'a', replicas = -1}}", "component 1 a has no number of replicas"},
		{"a list of numbers", "{1}", "entry 1 of the result of GetComponents is no object"},
		{"an error", "obj.a.b", "attempt to index"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := book(t, customized(policy.ComponentResource, "function GetComponents(obj) return "+c.returns+" end"))
			components, err := b.Components(gadget(nil))
			require.Empty(t, components)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.want)
		})
	}
}

// TestComponentsCountTogether, so that a cluster with room for all is found.
func TestComponentsCountTogether(t *testing.T) {
	b := book(t, customized(policy.ComponentResource, `function GetComponents(obj) return {
		{name = "a", replicas = 2, replicaRequirements = {resourceRequest = {cpu = "1", memory = "1Gi"}}},
		{name = "b", replicas = 3, replicaRequirements = {resourceRequest = {cpu = "500m", memory = "3Gi"}}},
		{name = "c", replicas = obj.spec.more},
	} end`))
	k := b.Of(gadgets)
	n, ok := k.Replicas(gadget(map[string]any{"spec": map[string]any{"more": int64(1)}}))
	require.True(t, ok)
	require.Equal(t, int32(6), n)
	require.Nil(t, k.SetReplicas)
	requests := k.Requirements(gadget(map[string]any{"spec": map[string]any{"more": int64(1)}}))
	require.Equal(t, "1", requests.Cpu().String())
	require.Equal(t, "3Gi", requests.Memory().String())
	n, _ = k.Replicas(gadget(map[string]any{"spec": map[string]any{"more": int64(math.MaxInt32)}}))
	require.Equal(t, int32(math.MaxInt32), n)

	odd := book(t, customized(policy.ComponentResource, `function GetComponents(obj)
		return {{name = "a", replicas = 2, replicaRequirements = {resourceRequest = {cpu = "x"}}}} end`))
	require.ErrorContains(t, odd.Check(gadget(nil))[0], `component a: "x" of cpu is no quantity`)
	_, ok = odd.Of(gadgets).Replicas(gadget(nil))
	require.False(t, ok)
	n, _ = b.Of(gadgets).Replicas(gadget(nil))
	require.Zero(t, n, "without spec the script fails")
}

func TestSetReplicas(t *testing.T) {
	b := book(t, customized(policy.ReplicaRevision, "function ReviseReplica(obj, n) obj.spec.size = n return obj end"))
	u := gadget(map[string]any{"spec": map[string]any{"size": int64(1)}})
	b.Of(gadgets).SetReplicas(u, 9)
	require.Equal(t, map[string]any{"size": int64(9)}, u.Object["spec"])

	without := gadget(nil)
	b.Of(gadgets).SetReplicas(without, 9)
	require.Equal(t, gadget(nil), without, "it fails, and nothing is built in")
}

// TestHealth has a row for what stands in front of what a script says, and for what it can say.
func TestHealth(t *testing.T) {
	for _, c := range []struct {
		name, returns string
		object        map[string]any
		want          kind.Health
		why           string
	}{
		{"healthy", "true", nil, kind.Healthy, "according to ResourceInterpreterCustomization healthInterpretation"},
		{"not healthy", "false", nil, kind.Progressing, "not healthy according to ResourceInterpreterCustomization healthInterpretation"},
		{"a message", "false, 'waits'", nil, kind.Progressing, "waits"},
		{"a word", "'Failed', 'gave up'", nil, kind.Failed, "gave up"},
		{"a word alone", "'Healthy'", nil, kind.Healthy, ""},
		{"another word", "'Fine'", nil, kind.Unknown, "healthInterpretation: InterpretHealth returns a string, and not true or false; without it: Healthy"},
		{"no message", "true, {}", nil, kind.Unknown, "healthInterpretation: InterpretHealth returns a table, and not a message; without it: Healthy"},
		{"neither", "1", nil, kind.Unknown, "healthInterpretation: InterpretHealth returns a number, and not true or false; without it: Healthy"},
		{"not observed", "true", map[string]any{"metadata": map[string]any{"generation": int64(3)}, "status": map[string]any{"observedGeneration": int64(2)}},
			kind.Progressing, "its controller has not observed generation 3 yet"},
		{"not observed, from YAML", "true", map[string]any{"metadata": map[string]any{"generation": int64(3)}, "status": map[string]any{"observedGeneration": float64(2)}},
			kind.Progressing, "its controller has not observed generation 3 yet"},
		{"going away", "true", map[string]any{"metadata": map[string]any{"deletionTimestamp": "2024-01-01T00:00:00Z"}}, kind.Progressing, "is being deleted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := book(t, customized(policy.HealthInterpretation, "function InterpretHealth(obj) return "+c.returns+" end"))
			got, why := b.Of(gadgets).Health(gadget(c.object))
			require.Equal(t, c.want, got)
			require.Equal(t, c.why, why)
		})
	}
}

// TestHealthOfWhatAlwaysObserves: a Deployment without observedGeneration has not been looked at, whatever a script says.
func TestHealthOfWhatAlwaysObserves(t *testing.T) {
	c := customized(policy.HealthInterpretation, "function InterpretHealth(obj) return true end")
	c.Spec.Target = policy.CustomizationTarget{APIVersion: "apps/v1", Kind: "Deployment"}
	deployment := gadget(map[string]any{"metadata": map[string]any{"generation": int64(1)}, "status": map[string]any{}})
	deployment.SetAPIVersion("apps/v1")
	deployment.SetKind("Deployment")
	k := book(t, c).Of(deployment.GroupVersionKind().GroupKind())
	got, why := k.Health(deployment)
	require.Equal(t, kind.Progressing, got)
	require.Equal(t, "its controller has not observed generation 1 yet", why)
	deployment.Object["status"] = map[string]any{"observedGeneration": int64(1)}
	got, _ = k.Health(deployment)
	require.Equal(t, kind.Healthy, got)
}

// TestExpressions has a row for what expressions can say of an object.
func TestExpressions(t *testing.T) {
	for _, c := range []struct {
		name   string
		exprs  interpret.HealthExprs
		status map[string]any
		want   kind.Health
		why    string
	}{
		{"in progress comes first", interpret.HealthExprs{InProgress: "true", Failed: "true", Current: "true"}, nil, kind.Progressing, "inProgress of"},
		{"failed comes next", interpret.HealthExprs{InProgress: "false", Failed: "true", Current: "true"}, nil, kind.Failed, "failed of"},
		{"then current", interpret.HealthExprs{Failed: "false", Current: "true"}, nil, kind.Healthy, "current of"},
		{"none", interpret.HealthExprs{Current: "has(status.phase)"}, nil, kind.Progressing, "none of healthCheckExprs of a.io/v1 Gadget holds"},
		{"a field that is not there", interpret.HealthExprs{Current: "status.phase == 'Up'"}, nil, kind.Unknown, "current cannot be evaluated: no such key: phase; without it: Healthy"},
		{"optional fields", interpret.HealthExprs{Current: "status.?phase.orValue('') == 'Up'"}, nil, kind.Progressing, "none of"},
		{"not true or false", interpret.HealthExprs{Current: "status.phase"}, map[string]any{"phase": "Up"}, kind.Unknown, "current is a string, and not true or false"},
		{"strings", interpret.HealthExprs{Current: "status.phase.lowerAscii() == 'up' && metadata.name == 'g'"}, map[string]any{"phase": "UP"}, kind.Healthy, "current of"},
		{"numbers of two kinds", interpret.HealthExprs{Current: "status.n > 1.5 && status.n == 2.0"}, map[string]any{"n": int64(2)}, kind.Healthy, "current of"},
		{"without end", interpret.HealthExprs{Current: "status.l.all(a, status.l.all(b, status.l.all(c, status.l.all(d, status.l.all(e, a+b+c+d+e > 0)))))"},
			map[string]any{"l": []any{int64(1), int64(1), int64(1), int64(1), int64(1), int64(1), int64(1), int64(1), int64(1), int64(1), int64(1), int64(1), int64(1), int64(1), int64(1), int64(1), int64(1), int64(1), int64(1), int64(1)}},
			kind.Unknown, "actual cost limit exceeded"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.exprs.APIVersion, c.exprs.Kind = "a.io/v1", "Gadget"
			b, err := interpret.New(nil, []interpret.HealthExprs{c.exprs})
			require.NoError(t, err)
			u := gadget(nil)
			if c.status != nil {
				u.Object["status"] = c.status
			}
			before := u.DeepCopy()
			got, why := b.Of(gadgets).Health(u)
			require.Equal(t, c.want, got, why)
			require.Contains(t, why, c.why)
			require.Equal(t, before, u)
		})
	}
}

// TestStatus: what is kept is bounded, whoever makes it.
func TestStatus(t *testing.T) {
	long := gadget(map[string]any{"status": map[string]any{"text": string(make([]byte, 40_000))}})
	short := gadget(map[string]any{"status": map[string]any{"n": int64(1)}})
	aggregation := customized(policy.StatusAggregation, `function AggregateStatus(d, items)
		local n = 0
		if items ~= nil then n = #items end
		d.status.text = string.rep("x", n * 10000)
		d.status.none = {}
		return d
	end`)

	k := book(t, aggregation).Of(gadgets)
	require.Equal(t, map[string]any{"n": int64(1)}, k.Reflect(short), "the whole status, as nobody says less")
	require.Nil(t, k.Reflect(long))
	require.Nil(t, k.Reflect(gadget(nil)))
	require.Equal(t, map[string]any{"text": ""}, k.Aggregate(nil))
	require.Len(t, k.Aggregate(make([]kind.Answer, 3))["text"], 30_000)
	require.Nil(t, k.Aggregate(make([]kind.Answer, 4)), "too long to be kept")

	k = book(t, customized(policy.StatusReflection, "function ReflectStatus(o) return o.status end")).Of(gadgets)
	require.Equal(t, map[string]any{"n": int64(1)}, k.Reflect(short))
	require.Nil(t, k.Reflect(long))
	require.Nil(t, k.Reflect(gadget(nil)))

	k = book(t, customized(policy.StatusAggregation, "function AggregateStatus(d, items) d.status = {given = type(items)} return d end")).Of(gadgets)
	require.Equal(t, map[string]any{"given": "nil"}, k.Aggregate(nil), "not an empty table, as in Karmada")
	require.Equal(t, map[string]any{"given": "table"}, k.Aggregate(make([]kind.Answer, 1)))

	k = book(t, customized(policy.StatusAggregation, "function AggregateStatus(d) d.status = 'x' return d end")).Of(gadgets)
	require.Nil(t, k.Aggregate(nil))
	k = book(t, customized(policy.StatusAggregation, "function AggregateStatus(d) d.kind = 'x' return d end")).Of(gadgets)
	require.Nil(t, k.Aggregate(nil))
}

func TestNoKind(t *testing.T) {
	c := customized(policy.Retention, "function Retain(d) return d end")
	c.Spec.Target.APIVersion = "a/b/c"
	_, err := interpret.New([]policy.Customization{c}, nil)
	require.ErrorContains(t, err, `"a/b/c" "Gadget" is no kind`)
}

// TestCheckIsAboutTheKind: nobody is told of scripts for other kinds, and of all that fail of one's own.
func TestCheckIsAboutTheKind(t *testing.T) {
	b := book(t,
		customized(policy.ReplicaRevision, "function ReviseReplica(o, n) o.spec.n = n return o end"),
		customized(policy.ComponentResource, "function GetComponents(o) return 5 end"))
	require.Len(t, b.Check(gadget(nil)), 2)
	other := gadget(nil)
	other.SetKind("Other")
	require.Empty(t, b.Check(other))
}

func TestRunWithoutSamples(t *testing.T) {
	var all policy.Customization
	all.Spec.Target = policy.CustomizationTarget{APIVersion: "a.io/v1", Kind: "Gadget"}
	for _, op := range []policy.Operation{policy.Retention, policy.HealthInterpretation, policy.ReplicaResource} {
		c := customized(op, "function "+op.Function()+"() return 1 end")
		for _, o := range interpret.Run(c, interpret.Samples{}) {
			require.NotEmpty(t, o.Missing)
			require.Contains(t, o.String(), string(op)+": not run, it needs a")
		}
	}
	require.Empty(t, interpret.Run(all, interpret.Samples{}))
}
