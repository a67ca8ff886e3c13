package applyset_test

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/accord-dev/accord/propagate/applyset"
)

func TestInventoryNames(t *testing.T) {
	long := strings.Repeat("n", 63) + "/" + strings.Repeat("f", 253)
	seen := map[string]bool{}
	for _, federation := range []string{"fleet/prod", "fleet.prod/x", "fleet/prod.x", "default/", "", long, long[:len(long)-1] + "g", "n/" + strings.Repeat("a.", 120) + "b"} {
		name, id := applyset.InventoryName(federation), applyset.ID(federation)
		require.Empty(t, validation.IsDNS1123Subdomain(name), "%q", name)
		require.Empty(t, validation.IsValidLabelValue(id), "%q", id)
		require.False(t, seen[name] || seen[id], federation)
		seen[name], seen[id] = true, true
	}
	require.True(t, strings.HasPrefix(applyset.InventoryName("fleet/prod"), "accord.fleet.prod."))
}

// TestApplySetID is the rule of KEP-3659, written out.
func TestApplySetID(t *testing.T) {
	sum := sha256.Sum256([]byte(applyset.InventoryName("fleet/prod") + ".accord-system.ConfigMap."))
	require.Equal(t, "applyset-"+base64.RawURLEncoding.EncodeToString(sum[:])+"-v1", applyset.ID("fleet/prod"))
}
