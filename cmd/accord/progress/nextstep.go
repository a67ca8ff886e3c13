package progress

import (
	"fmt"
	"strings"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/propagate/stage"
)

// NextMistake is the next step for a commit that cannot be planned or rendered.
const NextMistake = "correct it and push (accord lint shows all mistakes); until then the clusters keep what they run"

// nextSignature is the next step for a commit that no allowed signer signed.
const nextSignature = "push a signed commit, or add the key of the signer to the Secret; until then the clusters keep what they run"

// nextStep returns the next step for the author of a commit that is not done.
func nextStep(fed *v1alpha1.Federation, s Snapshot, r Result) string {
	name := fed.Name + text.WithPrefix(" -n ", fed.Namespace)
	switch r {
	case Failed:
		if s.Invalid {
			return NextMistake
		}
	case Refused:
		if s.Refused.Unverified {
			return nextSignature
		}
	case Superseded:
		if s.PassedBy != "" {
			return "accord wait " + name + " --revision " + s.PassedBy
		}
		if newer, ok := strings.CutPrefix(s.Superseded, fed.Name+"-"); ok {
			return "accord wait " + name + " --revision " + newer
		}
	case Held, Timeout:
		if s.Approve != "" {
			return s.Approve
		}
	case Unreachable:
		return "accord get clusters"
	}
	for _, w := range s.NotReady {
		if w.State == v1alpha1.Failed {
			return NextWhy(w.Object, w.Cluster)
		}
	}
	return "accord status " + name
}

// NextWhy returns the command that explains an object on a cluster, "apps/Deployment shop/api", or the cluster if no object is
// named. The command runs in a checkout of the repository.
func NextWhy(object, cluster string) string {
	kind, name, ok := strings.Cut(object, " ")
	if !ok {
		return "accord why --cluster " + cluster
	}
	if group, short, grouped := strings.Cut(kind, "/"); grouped {
		kind = short + "." + group
	}
	if namespace, short, namespaced := strings.Cut(name, "/"); namespaced {
		name = short + " -n " + namespace
	}
	return fmt.Sprintf("accord why %s/%s -c %s", strings.ToLower(kind), name, cluster)
}

// ApproveCommand returns the command that approves the current stage of a rollout.
func ApproveCommand(r *v1alpha1.RolloutStatus) string {
	return fmt.Sprintf("accord approve %s --stage %s --rollout-id %s", r.Policy, r.Stage, stage.ShortID(r.ID))
}
