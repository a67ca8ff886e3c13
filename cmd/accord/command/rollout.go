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
	"github.com/accord-dev/accord/propagate/stage"
)

// RolloutFlags select the rollout of a command.
type RolloutFlags struct {
	federation string
	target     string
	annotate   bool
}

func (f *RolloutFlags) register(c *cobra.Command, to *hub.Flags) {
	flags := c.Flags()
	to.RegisterNamespace(flags)
	flags.Lookup("kubeconfig").Usage = "kubeconfig of the hub with the rollout (default $" + hub.KubeconfigEnv + ", else no hub)"
	flags.StringVarP(&f.federation, "federation", "f", "", "federation on the hub (default the only one)")
	flags.StringVar(&f.target, "rollout-id", "", "ID of the rollout: 12 digits or more with a hub, otherwise all 64 (default that of the hub)")
	registerOnHub(c, &f.annotate, "annotate the Release on the hub, in place of the commit")
}

// RolloutCommand is a command of a person about one rollout: approve, abort, rollback or resume.
type RolloutCommand struct {
	Flags
	RolloutFlags
	Do, Stage, reason string
	// Plan is the digest of a plan to approve, in place of a stage.
	Plan string
}

func (o *RolloutCommand) register(c *cobra.Command) {
	o.Flags.Register(c)
	o.RolloutFlags.register(c, &o.hub)
	c.Flags().StringVar(&o.reason, "reason", "", "reason, for the commit message")
	if o.Do == policy.CommandApprove {
		c.Flags().StringVar(&o.Stage, "stage", "", "stage to approve (default the current one)")
		c.Flags().StringVar(&o.Plan, "plan", "", "digest of the plan of a Federation to approve, at least 12 digits")
		for _, other := range []string{"rollout-id", "stage", "on-hub", "dry-run", "push", "dir", "branch", "pull-request", "reason"} {
			c.MarkFlagsMutuallyExclusive("plan", other)
		}
	}
}

// run edits the RolloutPolicy of that name, or annotates the Release. An empty name selects the only one.
func (o *RolloutCommand) run(ctx context.Context, out io.Writer, name string) error {
	if o.Plan != "" {
		return o.approvePlan(ctx, out, name)
	}
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
	cmd, err := o.command(name, status)
	if err != nil {
		return err
	}
	if cmd.Stage != "" {
		if err := checkStage(m, cmd.Stage); err != nil {
			return err
		}
	}
	if o.Do == policy.CommandApprove {
		if err := checkApproval(m, cmd.Stage); err != nil {
			return err
		}
	}
	o.unchecked = status == nil
	key := policy.CommandPrefix + o.Do
	was, _ := m.Get("metadata", "annotations", key)
	c := gitrepo.Change{File: m.File, Subject: o.subject(m.Title(), cmd.Stage), Body: text.Join("\n", "Rollout: "+cmd.RolloutID, o.reason)}
	if c.Text, err = m.Set(withCommand(was, cmd, true), "metadata", "annotations", key); err != nil {
		return fmt.Errorf("editing %s: %w", m.Place(), err)
	}
	return o.Commit(ctx, out, h, c)
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

var idDigits = regexp.MustCompile(`^[0-9a-f]{12,64}$`)

// completeID returns the whole ID of the rollout that --rollout-id names by its first digits. A nil status means that no hub
// is used.
func (o *RolloutCommand) completeID(name string, status *v1alpha1.RolloutStatus) (string, error) {
	const prefix, digits = "sha256:", 64
	named := strings.TrimPrefix(o.target, prefix)
	switch {
	case status != nil && status.ID == "":
		return "", fmt.Errorf("rollout %s has no ID on the hub", name)
	case named == "" && status != nil:
		return status.ID, nil
	case named == "":
		return "", errors.New("--rollout-id or a hub (--kubeconfig, $" + hub.KubeconfigEnv + ") is required; accord status shows the ID")
	case !idDigits.MatchString(named):
		return "", fmt.Errorf("--rollout-id %q: expected 12 to 64 hexadecimal digits; accord status shows the ID", o.target)
	case status == nil && len(named) < digits:
		return "", fmt.Errorf("--rollout-id %q: without a hub, all 64 digits are required; accord status -o json has them", o.target)
	case status == nil:
		return prefix + named, nil
	case !strings.HasPrefix(status.ID, prefix+named):
		return "", fmt.Errorf("nothing to %s: the ID of rollout %s is %s, not %s", o.Do, name, stage.ShortID(status.ID), stage.ShortID(named))
	}
	return status.ID, nil
}

// command returns the command to write. A nil status means that no hub is used.
func (o *RolloutCommand) command(name string, status *v1alpha1.RolloutStatus) (policy.Command, error) {
	id, err := o.completeID(name, status)
	cmd := policy.Command{Do: o.Do, RolloutID: id, Stage: o.Stage}
	if err != nil {
		return cmd, err
	}
	if status != nil {
		if o.Do == policy.CommandApprove {
			cmd.Stage = cmp.Or(cmd.Stage, status.Stage)
		}
		if err := checkState(cmd, o.Stage != "", status); err != nil {
			return cmd, err
		}
	}
	switch {
	case o.Do == policy.CommandApprove && cmd.Stage == "" && status != nil:
		return cmd, fmt.Errorf("rollout %s has no current stage: set --stage", name)
	case o.Do == policy.CommandApprove && cmd.Stage == "":
		return cmd, errors.New("--stage is required")
	}
	return cmd, nil
}

// withCommand returns the value of an annotation with one more command. If stale is true, commands about other rollouts are
// removed. A number distinguishes a repeated command from an earlier one.
func withCommand(value string, cmd policy.Command, stale bool) string {
	var kept []string
	for _, o := range policy.CommandsIn(map[string]string{policy.CommandPrefix + cmd.Do: value}) {
		if o.RolloutID == cmd.RolloutID || !stale {
			kept = append(kept, commandText(o))
		}
	}
	for n := 2; cmd.Do != policy.CommandApprove && slices.Contains(kept, commandText(cmd)); n++ {
		cmd.Stage = strconv.Itoa(n)
	}
	if text := commandText(cmd); !slices.Contains(kept, text) {
		kept = append(kept, text)
	}
	return strings.Join(kept, ",")
}

// commandText returns "1f0c9e21aa04@canary".
func commandText(o policy.Command) string { return strings.TrimPrefix(o.String(), o.Do+" ") }

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
	cmd, err := o.command(status.Policy, status)
	if err != nil {
		return err
	}
	user, err := whoAmI(ctx, h)
	if err != nil {
		return err
	}
	key := policy.CommandPrefix + o.Do
	before := rel.DeepCopy()
	if rel.Annotations == nil {
		rel.Annotations = map[string]string{}
	}
	rel.Annotations[key], rel.Annotations[policy.CommandByAnnotation] = withCommand(rel.Annotations[key], cmd, false), user
	if err := h.Patch(ctx, rel, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
		return h.Wrap("annotating release "+rel.Name, err)
	}
	done := Result{Subject: o.subject("rollout "+status.Policy, cmd.Stage), Release: rel.Namespace + "/" + rel.Name}
	return done.print(out, o.output.Value)
}
