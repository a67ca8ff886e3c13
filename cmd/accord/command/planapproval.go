package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/progress"
	"github.com/accord-dev/accord/cmd/accord/text"
)

// PlanNotes are the part of the help of approve about plans.
const PlanNotes = `
With --plan the command approves the plan of the newest Release, in a Federation with spec.approval. It writes the digest and your
user name into the annotations ` + v1alpha1.ApprovedPlanAnnotation + ` and ` + v1alpha1.ApprovedByAnnotation + `, and replaces an earlier
approval. The hub knows your user name, and refuses the name of another user.
`

var planDigits = regexp.MustCompile(`^[0-9a-f]{12,64}$`)

// approvePlan annotates the newest Release with the digest of its plan and the name of the user.
func (o *RolloutCommand) approvePlan(ctx context.Context, out io.Writer, name string) error {
	if name != "" {
		return fmt.Errorf("--plan takes no ROLLOUT: it approves the plan of a Federation, which --federation names; found %q", name)
	}
	h, rel, err := o.release(ctx)
	if err != nil {
		return err
	}
	digest, err := completeDigest(o.Plan, rel)
	if err != nil {
		return err
	}
	user, err := whoAmI(ctx, h)
	if err != nil {
		return err
	}
	before := rel.DeepCopy()
	if rel.Annotations == nil {
		rel.Annotations = map[string]string{}
	}
	rel.Annotations[v1alpha1.ApprovedPlanAnnotation], rel.Annotations[v1alpha1.ApprovedByAnnotation] = digest, user
	if err := h.Patch(ctx, rel, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
		return h.Wrap("annotating release "+rel.Name, err)
	}
	done := Result{Subject: "approve plan " + text.ShortDigest(digest) + " as " + text.Printable(user), Release: rel.Namespace + "/" + rel.Name}
	return done.print(out, o.output.Value)
}

// completeDigest returns the digest of the plan of a Release that a user names by its first digits.
func completeDigest(named string, rel *v1alpha1.Release) (string, error) {
	const prefix = "sha256:"
	digits := strings.TrimPrefix(named, prefix)
	approved := progress.Condition(rel.Status.Conditions, rel.Generation, v1alpha1.Approved)
	switch {
	case !planDigits.MatchString(digits):
		return "", fmt.Errorf("--plan %q: expected 12 to 64 hexadecimal digits of the digest; accord plan and accord status show it", named)
	case rel.Spec.PlanDigest == "":
		return "", fmt.Errorf("nothing to approve: release %s has no plan", rel.Name)
	case !strings.HasPrefix(rel.Spec.PlanDigest, prefix+digits):
		return "", fmt.Errorf("nothing to approve: the plan of release %s is %s, not %s", rel.Name, rel.Spec.PlanDigest, prefix+digits)
	case approved == nil:
		return "", fmt.Errorf("nothing to approve: release %s needs no approval, or the controllers have not seen its plan yet", rel.Name)
	case approved.Status == "True":
		return "", errors.New("nothing to approve: " + approved.Message)
	}
	return rel.Spec.PlanDigest, nil
}

// whoAmI returns the name by which the hub knows the user of the kubeconfig.
func whoAmI(ctx context.Context, h *hub.Hub) (string, error) {
	review := &authenticationv1.SelfSubjectReview{}
	if err := h.Create(ctx, review); err != nil {
		return "", h.Wrap("reading your user name", err)
	}
	return review.Status.UserInfo.Username, nil
}
