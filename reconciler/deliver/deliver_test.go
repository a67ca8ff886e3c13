package deliver

import (
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/reconciler/apply/live"
)

func TestFailure(t *testing.T) {
	id := func(name string) manifest.ID { return manifest.ID{Kind: "ConfigMap", Name: name} }
	problem := func(reason string) error { return &live.Problem{Reason: reason, Err: errors.New("x")} }
	for name, tt := range map[string]struct {
		outcome live.Outcome
		err     error
		want    string
	}{
		"nothing failed":                      {},
		"one object failed":                   {outcome: live.Outcome{Errors: map[manifest.ID]error{id("a"): problem("Rejected")}}, want: "Rejected"},
		"most objects failed for one reason":  {outcome: live.Outcome{Errors: map[manifest.ID]error{id("a"): problem("Busy"), id("b"): problem("Rejected"), id("c"): problem("Rejected")}}, want: "Rejected"},
		"as many for one reason as another":   {outcome: live.Outcome{Errors: map[manifest.ID]error{id("a"): problem("Timeout"), id("b"): problem("Busy")}}, want: "Busy"},
		"the brake stopped it":                {outcome: live.Outcome{PruneBlocked: "would delete 7"}, want: "PruneBlocked"},
		"the brake, and an object that fails": {outcome: live.Outcome{PruneBlocked: "would delete 7", Errors: map[manifest.ID]error{id("a"): problem("Busy")}}, want: "Busy"},
		"credentials are not accepted":        {err: apierrors.NewUnauthorized("no"), want: "AuthFailed"},
		"an entry that cannot be read":        {err: errors.New("no kind in it"), want: "ReconciliationFailed"},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, tt.want, failure(tt.outcome, tt.err)) })
	}
}

// TestARetriedConflictIsRetried says what the tests of news rely on.
func TestARetriedConflictIsRetried(t *testing.T) {
	conflict := apierrors.NewConflict(schema.GroupResource{Resource: "configmaps"}, "a", errors.New("the object has been modified"))
	require.True(t, problem(conflict).Retry)
}
