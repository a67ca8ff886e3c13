package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
)

const (
	goodImage = "nginx:1.28.0"
	policy    = "standard"
)

// stagedRollout plays the example staged-rollout.
func (s *stage) stagedRollout(ctx context.Context) error {
	if _, err := s.push(ctx, "1-v1", "nginx 1.27.5 on four clusters", "One Deployment, one PropagationPolicy, and a RolloutPolicy: canary, europe, world."); err != nil {
		return err
	}
	if err := s.done(ctx, "nginx:1.27.5"); err != nil {
		return err
	}
	if _, err := s.push(ctx, "2-v2", "nginx 1.28.0", "The image changes. Each stage begins when the one before has been healthy for its soak time."); err != nil {
		return err
	}
	if err := s.done(ctx, goodImage); err != nil {
		return err
	}
	if err := s.halts(ctx); err != nil {
		return err
	}
	if err := s.givesBack(ctx); err != nil {
		return err
	}
	s.commits++
	heading("Step %d: git revert", s.commits)
	note("What runs is what is wanted again, and the rollout is complete.")
	if _, err := s.git(ctx, "revert", "--no-edit", "HEAD"); err != nil {
		return err
	}
	if _, err := s.pushed(ctx); err != nil {
		return err
	}
	if err := s.done(ctx, goodImage); err != nil {
		return err
	}
	return s.tell(ctx, "rollout", "history", "shop", "-n", "demo")
}

// done waits for the commit that was pushed with accord wait, and checks that it went in order and runs everywhere.
func (s *stage) done(ctx context.Context, image string) error {
	if err := s.waited(ctx, 0); err != nil {
		return err
	}
	if err := s.runs(ctx, image, s.example.members...); err != nil {
		return err
	}
	var rollout v1alpha1.RolloutStatus
	err := until(ctx, settle, "all clusters to be on what is wanted", func() (done bool, err error) {
		rollout, err = s.staged(ctx)
		return rollout.Phase == "Complete" && len(rollout.OutdatedClusters) == 0, err
	})
	if err != nil {
		return err
	}
	for i, stage := range rollout.Stages {
		if stage.Healthy != stage.Clusters {
			return fmt.Errorf("accord wait returned although stage %s is not done: %+v", stage.Name, stage)
		}
		if i > 0 && stage.StartedAt != nil && rollout.Stages[i-1].CompletedAt != nil && stage.StartedAt.Before(rollout.Stages[i-1].CompletedAt) {
			return fmt.Errorf("stage %s began before %s was passed", stage.Name, rollout.Stages[i-1].Name)
		}
	}
	return s.tell(ctx, "status", "shop", "-n", "demo")
}

// halts pushes an image that cannot be pulled.
func (s *stage) halts(ctx context.Context) error {
	if _, err := s.push(ctx, "3-bad", "nginx that does not exist", "The canary cannot pull it. When its deadline is over the rollout halts, and nobody else is touched."); err != nil {
		return err
	}
	if err := s.waited(ctx, 1); err != nil {
		return err
	}
	if err := s.runs(ctx, goodImage, "eu-2", "eu-3", "us-1"); err != nil {
		return err
	}
	if err := s.runs(ctx, "nginx:does-not-exist", "eu-1"); err != nil {
		return err
	}
	note("eu-2, eu-3 and us-1 run %s, untouched", goodImage)
	return s.tell(ctx, "status", "shop", "-n", "demo")
}

// givesBack rolls back by an order of a person.
func (s *stage) givesBack(ctx context.Context) error {
	heading("Then: accord rollback")
	note("A person orders it on the hub, without a commit. The canary gets back what it last had healthy, from Git.")
	if err := s.tell(ctx, "rollback", policy, "--on-hub", "--federation", "shop", "-n", "demo"); err != nil {
		return err
	}
	err := until(ctx, settle, "the rollback", func() (bool, error) {
		rollout, err := s.staged(ctx)
		return err == nil && rollout.Phase == "RolledBack" && s.runs(ctx, goodImage, "eu-1") == nil, err
	})
	if err != nil {
		return err
	}
	note("eu-1 runs %s", goodImage)
	return s.tell(ctx, "status", "shop", "-n", "demo")
}

// waited runs accord wait for the commit that was pushed last, which has to end with a code.
func (s *stage) waited(ctx context.Context, code int) error {
	begun := time.Now()
	got, out, err := s.waitCommit(ctx)
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	for _, line := range lines[max(0, len(lines)-6):] {
		note("%s", line)
	}
	if got != code {
		return fmt.Errorf("accord wait ended with %d, expected %d:\n%s", got, code, out)
	}
	note("accord wait ended with %d after %s", code, time.Since(begun).Round(10*time.Millisecond))
	return nil
}

// waitCommit runs accord wait for the commit of the work tree, and returns its exit code and output.
func (s *stage) waitCommit(ctx context.Context) (code int, out string, err error) {
	sha, err := s.git(ctx, "rev-parse", "HEAD")
	if err != nil {
		return 0, "", err
	}
	out, err = command(ctx, s.path("bin", "accord"), "wait", "shop", "-n", "demo", "--kubeconfig", s.hub(), "--revision", strings.TrimSpace(sha), "--timeout", settle.String())
	if exit, failed := errors.AsType[*exec.ExitError](err); failed && exit.ExitCode() != 2 { // with 2, err has the reason
		return exit.ExitCode(), out, nil
	}
	return 0, out, err
}

// runs asks members themselves whether they run an image.
func (s *stage) runs(ctx context.Context, image string, clusters ...string) error {
	for _, c := range clusters {
		got, err := command(ctx, s.path("bin", "kubectl"), "--kubeconfig", s.configs[c], "get", "deployment", "nginx", "-o", "jsonpath={.spec.template.spec.containers[0].image}")
		if err != nil {
			return err
		}
		if got != image {
			return fmt.Errorf("%s runs %s, expected %s", c, got, image)
		}
	}
	return nil
}

// staged returns the rollout in the status of the newest Release.
func (s *stage) staged(ctx context.Context) (v1alpha1.RolloutStatus, error) {
	out, err := s.ask(ctx, "get", "federation", "shop", "--namespace", "demo", "-o", "jsonpath={.status.release}")
	if err != nil {
		return v1alpha1.RolloutStatus{}, err
	}
	if out, err = s.ask(ctx, "get", "release", out, "--namespace", "demo", "-o", "json"); err != nil {
		return v1alpha1.RolloutStatus{}, err
	}
	var r v1alpha1.Release
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		return v1alpha1.RolloutStatus{}, err
	}
	for _, rollout := range r.Status.Rollouts {
		if rollout.Policy == policy {
			return rollout, nil
		}
	}
	return v1alpha1.RolloutStatus{}, fmt.Errorf("release %s has no rollout %s", r.Name, policy)
}

// tell prints what a command of accord says.
func (s *stage) tell(ctx context.Context, args ...string) error {
	out, err := command(ctx, s.path("bin", "accord"), append(args, "--kubeconfig", s.hub())...)
	fmt.Printf("\n   $ accord %s\n", strings.Join(args, " "))
	for line := range strings.Lines(out) {
		fmt.Print("   " + line)
	}
	return err
}
