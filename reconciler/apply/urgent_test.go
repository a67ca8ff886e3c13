package apply

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
)

// TestOneChangeGoesBeforeABulk: what a person changed just now is there before anything is begun that is new.
func TestOneChangeGoesBeforeABulk(t *testing.T) {
	w := newWorld(t, "hurry")
	w.delivered(w.target(namespaceYAML + configMap("one", "1") + configMap("two", "1")))

	var bulk strings.Builder
	for i := range 20 {
		bulk.WriteString(configMap(fmt.Sprintf("new%02d", i), "1"))
	}
	target := w.target(namespaceYAML + configMap("one", "2") + configMap("two", "2") + bulk.String())
	value := func(name string) string {
		v, _, err := unstructured.NestedString(w.get("ConfigMap", w.namespace, name).Object, "data", "key")
		require.NoError(t, err)
		return v
	}
	w.options.Urgent = map[manifest.ID]bool{{Kind: "ConfigMap", Namespace: w.namespace, Name: "one"}: true}
	record := w.options.Record
	w.options.Record = func(ctx context.Context, inventory []string) error {
		require.Equal(t, "2", value("one"))
		require.Equal(t, "1", value("two"), "it waits for its turn")
		return record(ctx, inventory)
	}
	outcome := w.delivered(target)
	require.Len(t, outcome.Applied, 22, "each once")
	require.Equal(t, "2", value("two"))
	require.Len(t, outcome.Inventory, 23)
}

// TestASmallDeliveryDoesNotYield: plans that follow one another must not keep a few objects waiting.
func TestASmallDeliveryDoesNotYield(t *testing.T) {
	w := newWorld(t, "yield")
	var yields atomic.Int32
	w.options.Yield = func(context.Context) { yields.Add(1) }
	manifests := namespaceYAML
	for i := range smallDelivery {
		manifests += configMap(fmt.Sprintf("few%02d", i), "1")
	}
	w.delivered(w.target(manifests))
	require.Zero(t, yields.Load())
	for i := range smallDelivery + 1 {
		manifests += configMap(fmt.Sprintf("many%02d", i), "1")
	}
	w.delivered(w.target(manifests))
	require.EqualValues(t, smallDelivery+1, yields.Load(), "each object of a bulk")
}
