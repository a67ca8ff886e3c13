package interpret_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/status/interpret"
)

// looping returns a customization of ConfigMaps with a script that loops n times for each object.
func looping(name string, n int) policy.Customization {
	c := policy.Customization{}
	c.Name = name
	c.Spec.Target.APIVersion, c.Spec.Target.Kind = "v1", "ConfigMap"
	c.Spec.Customizations.DependencyInterpretation = &policy.LuaScript{LuaScript: fmt.Sprintf("function GetDependencies(o) for i = 1, %d do end return {} end", n)}
	return c
}

func configMaps(n int) []*unstructured.Unstructured {
	var all []*unstructured.Unstructured
	for i := range n {
		all = append(all, &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": fmt.Sprint(i)}}})
	}
	return all
}

// TestHostileScriptsOfAPlan has scripts that are within the limit of a call, and together take hours.
func TestHostileScriptsOfAPlan(t *testing.T) {
	const limit = 2 * time.Second
	cheap, dear := looping("cheap", 10), looping("dear", 4<<20)
	began := time.Now()
	over := interpret.Measure([]policy.Customization{cheap, dear}, configMaps(2_000), limit)
	require.NotNil(t, over)
	require.Equal(t, "dear", over.Name)
	require.Less(t, time.Since(began), time.Minute)

	require.Nil(t, interpret.Measure([]policy.Customization{cheap}, configMaps(1000), limit))
	require.Nil(t, interpret.Measure([]policy.Customization{dear}, nil, limit), "there is no object of the kind")
	require.Nil(t, interpret.Measure(nil, configMaps(1), 0))

	var many []policy.Customization // none has an object, but each is compiled, which runs its first level
	for i := range 10_000 {
		c := looping(fmt.Sprint(i), 1)
		c.Spec.Customizations.DependencyInterpretation.LuaScript += " for i = 1, 2^20 do end"
		many = append(many, c)
	}
	began = time.Now()
	require.NotNil(t, interpret.Measure(many, nil, limit))
	require.Less(t, time.Since(began), time.Minute)
}

// TestMeasureIsTheSameOnEveryMachine checks that the limit is exact: no clock decides.
func TestMeasureIsTheSameOnEveryMachine(t *testing.T) {
	limits := func(limit time.Duration) bool {
		return interpret.Measure([]policy.Customization{looping("x", 1000)}, configMaps(100), limit) != nil
	}
	low, high := time.Microsecond, time.Second
	require.True(t, limits(low))
	require.False(t, limits(high))
	for high-low > time.Microsecond {
		if middle := low + (high-low)/2; limits(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	for range 10 {
		require.True(t, limits(low))
		require.False(t, limits(high))
	}
}
