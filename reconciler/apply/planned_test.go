package apply

import (
	"fmt"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/dump"
)

// everywhere places all objects of a namespace, and what has none, on the member.
const everywhere = `
-- policies.yaml --
apiVersion: cluster.karmada.io/v1alpha1
kind: Cluster
metadata: {name: member}
spec: {syncMode: Push}
---
apiVersion: policy.karmada.io/v1alpha1
kind: ClusterPropagationPolicy
metadata: {name: all}
spec:
  resourceSelectors: %s
  placement: {clusterAffinity: {clusterNames: [member]}}
`

// planned is what the planner makes of Git for the member: objects as a repository has them, and the rules for users' kinds.
// selectors choose what is propagated.
func (w *world) planned(selectors, objects, rules string) propagate.ClusterPlan {
	w.Helper()
	text := fmt.Sprintf("-- input --\nfederation: %s\n-- objects.yaml --\n%s-- rules.yaml --\n%s", w.federation, objects, rules) +
		fmt.Sprintf(everywhere, selectors)
	in, err := dump.Read([]byte(strings.ReplaceAll(text, "NS", w.namespace)))
	require.NoError(w, err)
	plan, err := propagate.New(in)
	require.NoError(w, err)
	w.options.Book = plan.Interpreters().Book
	target := plan.ForCluster("member")
	require.Empty(w, target.Failed)
	require.NotEmpty(w, target.Objects)
	return target
}
