package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/gitrepo"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/text"
)

// RolloutFlags select the rollout of a command.
type RolloutFlags struct {
	hub        hub.Flags
	federation string
	target     string
	annotate   bool
}

func (f *RolloutFlags) Register(c *cobra.Command) {
	flags := c.Flags()
	f.hub.RegisterWithNamespace(flags)
	flags.Lookup("kubeconfig").Usage = "kubeconfig of the hub that knows the target (default $" + hub.KubeconfigEnv + ", else none is asked)"
	flags.StringVarP(&f.federation, "federation", "f", "", "federation on the hub (default the only one)")
	flags.StringVar(&f.target, "rollout-id", "", "what the order is about, as the status has it: 12 digits or more (default what the hub says)")
	flags.BoolVar(&f.annotate, "on-hub", false, "order it on the hub, as an annotation of the Release, in place of Git")
	c.MarkFlagsMutuallyExclusive("on-hub", "dry-run")
	c.MarkFlagsMutuallyExclusive("on-hub", "push")
	c.MarkFlagsMutuallyExclusive("on-hub", "dir")
}

// RolloutCommand is a command of a person about one rollout: approve, abort, rollback or resume.
type RolloutCommand struct {
	Flags
	RolloutFlags
	Do, Stage, reason string
}

func (o *RolloutCommand) register(c *cobra.Command) {
	o.Flags.Register(c)
	o.RolloutFlags.Register(c)
	c.Flags().StringVar(&o.reason, "reason", "", "why, for the message of the commit")
}

// run edits the RolloutPolicy of that name, or annotates the Release. An empty name selects the only one.
func (o *RolloutCommand) run(ctx context.Context, out io.Writer, name string) error {
	if o.annotate {
		return o.annotateRelease(ctx, out, name)
	}
	h, m, err := gitrepo.FindManifest(o.dir, gitrepo.Selector{Noun: "RolloutPolicy", Name: name, Kinds: map[string][]string{policy.RolloutGroup: {"RolloutPolicy"}}})
	if err != nil {
		return err
	}
	return o.edit(ctx, out, h, m)
}

// edit writes the command into the annotations of a RolloutPolicy.
func (o *RolloutCommand) edit(ctx context.Context, out io.Writer, h *gitrepo.Repository, m gitrepo.ManifestFile) error {
	name := text.Join("/", m.Namespace, m.Name)
	status, err := o.status(ctx, name)
	if err != nil {
		return err
	}
	order, err := o.order(name, status)
	if err != nil {
		return err
	}
	if order.Stage != "" {
		if err := checkStage(m, order.Stage); err != nil {
			return err
		}
	}
	key := policy.CommandPrefix + o.Do
	was, _ := m.Get("metadata", "annotations", key)
	c := gitrepo.Change{File: m.File, Subject: o.subject(m.Title(), order.Stage), Body: text.Join("\n", "Target: "+order.RolloutID, o.reason)}
	if c.Text, err = m.Set(withOrder(was, order, true), "metadata", "annotations", key); err != nil {
		return fmt.Errorf("editing %s: %w", m.Place(), err)
	}
	return o.commit(ctx, out, h, c)
}

// subject returns "approve RolloutPolicy standard, stage canary".
func (o *RolloutCommand) subject(title, stage string) string {
	return o.Do + " " + text.Join(", stage ", title, stage)
}

// status returns the status of a rollout on the hub, nil if no hub is used.
func (o *RolloutCommand) status(ctx context.Context, name string) (*v1alpha1.RolloutStatus, error) {
	if o.hub.Path() == "" {
		return nil, nil
	}
	_, rel, err := o.release(ctx)
	if err != nil {
		return nil, err
	}
	return hub.FindRollout(rel, name)
}

// release returns the newest release of the federation.
func (o *RolloutCommand) release(ctx context.Context) (*hub.Hub, *v1alpha1.Release, error) {
	h, err := o.hub.Connect()
	if err != nil {
		return nil, nil, err
	}
	fed, err := h.Federation(ctx, o.federation)
	if err != nil {
		return nil, nil, err
	}
	rel, err := h.NewestRelease(ctx, fed)
	if err == nil && rel == nil {
		err = fmt.Errorf("federation %s has no Release yet", fed.Name)
	}
	return h, rel, err
}

var orderTarget = regexp.MustCompile(`^(sha256:)?[0-9a-f]{12,64}$`)

// order returns the command to write. A nil status means that no hub is used.
func (o *RolloutCommand) order(name string, status *v1alpha1.RolloutStatus) (policy.Command, error) {
	order := policy.Command{Do: o.Do, RolloutID: o.target, Stage: o.Stage}
	if status != nil {
		order.RolloutID = cmp.Or(order.RolloutID, status.ID)
		if o.Do == policy.CommandApprove {
			order.Stage = cmp.Or(order.Stage, status.Stage)
		}
	}
	switch {
	case order.RolloutID == "" && status != nil:
		return order, fmt.Errorf("the hub knows of no target of rollout %s", name)
	case order.RolloutID == "":
		return order, errors.New("an order is about one target: name the hub (--kubeconfig or $" + hub.KubeconfigEnv + "), or --rollout-id with the digits that accord status shows")
	case !orderTarget.MatchString(order.RolloutID):
		return order, fmt.Errorf("--rollout-id %q: expected 12 hexadecimal digits or more, as accord status shows them", order.RolloutID)
	case o.Do == policy.CommandApprove && order.Stage == "" && status != nil:
		return order, fmt.Errorf("rollout %s has no current stage: set --stage", name)
	case o.Do == policy.CommandApprove && order.Stage == "":
		return order, errors.New("--stage is required")
	}
	return order, nil
}

// withOrder returns the value of an annotation with one more command. If stale is true, commands about other rollouts are
// removed. A number distinguishes a repeated command from an earlier one.
func withOrder(value string, order policy.Command, stale bool) string {
	var kept []string
	for _, o := range policy.CommandsIn(map[string]string{policy.CommandPrefix + order.Do: value}) {
		same := o.About(order.RolloutID) || order.About(o.RolloutID)
		if same || !stale {
			kept = append(kept, orderText(o))
		}
	}
	for n := 2; order.Do != policy.CommandApprove && slices.Contains(kept, orderText(order)); n++ {
		order.Stage = strconv.Itoa(n)
	}
	if text := orderText(order); !slices.Contains(kept, text) {
		kept = append(kept, text)
	}
	return strings.Join(kept, ",")
}

// orderText returns "1f0c9e21aa04@canary".
func orderText(o policy.Command) string { return strings.TrimPrefix(o.String(), o.Do+" ") }

// annotateRelease writes the command on the hub. The user needs the right to patch Releases there.
func (o *RolloutCommand) annotateRelease(ctx context.Context, out io.Writer, name string) error {
	h, rel, err := o.release(ctx)
	if err != nil {
		return err
	}
	status, err := hub.FindRollout(rel, name)
	if err != nil {
		return err
	}
	order, err := o.order(status.Policy, status)
	if err != nil {
		return err
	}
	key := policy.CommandPrefix + o.Do
	before := rel.DeepCopy()
	if rel.Annotations == nil {
		rel.Annotations = map[string]string{}
	}
	rel.Annotations[key] = withOrder(rel.Annotations[key], order, false)
	if err := h.Patch(ctx, rel, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
		return h.Wrap("annotating release "+rel.Name, err)
	}
	done := result{Subject: o.subject("rollout "+status.Policy, order.Stage), Release: rel.Namespace + "/" + rel.Name}
	return done.print(out, o.output.Value)
}
