package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/status"
)

// tenants plays the example tenants.
func (s *stage) tenants(ctx context.Context) error {
	heading("Two Tenants in place of the permissive one of accord up")
	for _, args := range [][]string{
		{"delete", "tenant", "default"},
		{"label", "clusters.accord.dev", "eu-1", "eu-2", "team-a=true"},
		{"label", "clusters.accord.dev", "us-1", "team-b=true"},
	} {
		if _, err := s.ask(ctx, args...); err != nil {
			return err
		}
	}
	for _, team := range []string{"team-a", "team-b"} {
		if err := os.Mkdir(s.path("work", team), 0o700); err != nil {
			return err
		}
		if err := s.add(filepath.Join(team, "app.yaml"), filepath.Join(team, "app.yaml")); err != nil {
			return err
		}
	}
	if _, err := s.record(ctx, "one object for each team, on every cluster", ""); err != nil {
		return err
	}
	for team, clusters := range map[string]int32{"team-a": 2, "team-b": 1} {
		if err := s.until(ctx, team, func(fed *v1alpha1.Federation) bool {
			return fed.Status.Summary.Healthy == clusters && fed.Status.Summary.Total == clusters
		}); err != nil {
			return err
		}
		note("%s: healthy on %d of its clusters", team, clusters)
	}
	if err := s.tell(ctx, "get", "tenants"); err != nil {
		return err
	}
	return s.attack(ctx)
}

// attack tries everything that the Tenant of team-b forbids.
func (s *stage) attack(ctx context.Context) error {
	files, err := filepath.Glob(filepath.Join("examples", s.example.name, "attacks", "*.yaml"))
	if err != nil {
		return err
	}
	for _, file := range append(files, "") {
		trailer, name := "\n\nAccord-Prune: allow", "8-prune-limits"
		if file != "" {
			trailer, name = "", strings.TrimSuffix(filepath.Base(file), ".yaml")
			if err := s.add(filepath.Join("attacks", filepath.Base(file)), filepath.Join("team-b", "attack.yaml")); err != nil {
				return err
			}
		}
		sha, err := s.record(ctx, "attack "+name, trailer)
		if err != nil {
			return err
		}
		if err := s.refused(ctx, sha); err != nil {
			return err
		}
		if err := os.RemoveAll(s.path("work", "team-b", "attack.yaml")); err != nil {
			return err
		}
	}
	heading("Another repository")
	if _, err := s.ask(ctx, "patch", "federation", "shop", "-n", "team-b", "--type=json", "-p",
		`[{"op":"replace","path":"/spec/sources/0/url","value":"https://git.example/team-a/secrets"}]`); err != nil {
		return err
	}
	return s.refused(ctx, "")
}

// add copies a file of the example into the work tree.
func (s *stage) add(from, to string) error {
	content, err := os.ReadFile(filepath.Join("examples", s.example.name, from))
	if err != nil {
		return err
	}
	return os.WriteFile(s.path("work", to), content, 0o600)
}

// record commits and pushes the work tree.
func (s *stage) record(ctx context.Context, subject, trailer string) (sha string, err error) {
	s.commits++
	heading("Step %d: %s", s.commits, subject)
	if _, err := s.git(ctx, "add", "--all"); err != nil {
		return "", err
	}
	if _, err := s.git(ctx, "commit", "--quiet", "--allow-empty", "-m", subject+trailer); err != nil {
		return "", err
	}
	return s.pushed(ctx)
}

// refused waits until the Tenant refuses a commit of team-b, and prints the sentence.
func (s *stage) refused(ctx context.Context, sha string) error {
	return s.until(ctx, "team-b", func(fed *v1alpha1.Federation) bool {
		ready := meta.FindStatusCondition(fed.Status.Conditions, "Ready")
		if ready == nil || ready.Reason != status.RefusedByTenant || ready.ObservedGeneration != fed.Generation || !strings.Contains(fed.Status.LastAttemptedRevision, sha) {
			return false
		}
		note("refused: %s", ready.Message)
		return strings.Contains(ready.Message, "Tenant team-b does not allow")
	})
}

// until waits for a state of the Federation of a team.
func (s *stage) until(ctx context.Context, team string, done func(*v1alpha1.Federation) bool) error {
	return until(ctx, settle, "the Federation of "+team, func() (bool, error) {
		out, err := s.ask(ctx, "get", "federation", "shop", "-n", team, "-o", "json")
		if err != nil {
			return false, err
		}
		fed := &v1alpha1.Federation{}
		if err := json.Unmarshal([]byte(out), fed); err != nil {
			return false, fmt.Errorf("reading the Federation of %s: %w", team, err)
		}
		return done(fed), nil
	})
}
