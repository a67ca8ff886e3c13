package join

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAnUnreachableClusterKeepsTheIdentity: leave --force prints the identity that stays there, and the commands that delete it.
func TestAnUnreachableClusterKeepsTheIdentity(t *testing.T) {
	var out strings.Builder
	require.NoError(t, (&leaving{out: &out}).revoke(t.Context()))
	require.Contains(t, out.String(), "NOT REVOKED: ClusterRoleBinding accord, ServiceAccount accord-system/accord and its roles stay on the cluster")
	require.Contains(t, out.String(), "kubectl delete clusterrolebinding,clusterrole accord --ignore-not-found && "+
		"kubectl delete serviceaccount,rolebinding,role -n accord-system accord --ignore-not-found\n")
}
