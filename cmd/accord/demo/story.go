package demo

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// manifests are those of the first commit.
//
//go:embed repository
var manifests embed.FS

const (
	first, second = "nginx:1.27.5", "nginx:1.28.0"
	// held is the exit code of "accord wait" while a cluster is held.
	held = 4
	// suspension holds us-1.
	suspension = "  suspension:\n    dispatchingOnClusters:\n      clusterNames: [us-1]\n"
)

// step is one commit, with the exit code of "accord wait" and the image on each cluster afterwards.
type step struct {
	subject, story string
	image, policy  string // policy is added to the policy
	code           int
	want           []string
}

var story = []step{
	{"nginx 1.27.5 on both clusters", "A Deployment and a PropagationPolicy, as a user of Karmada writes them.", first, "", 0, []string{first, first}},
	{"nginx 1.28.0 on eu-1", "suspension.dispatchingOnClusters holds us-1: accord writes nothing there, and the commit is not done.", second, suspension, held, []string{second, first}},
	{"nginx 1.28.0 everywhere", "The policy suspends nothing any more.", second, "", 0, []string{second, second}},
}

// play makes the repository, applies the Federation, and plays the steps.
func (s *stage) play(ctx context.Context) error {
	repo, err := git.PlainInitWithOptions(s.repository(), &git.PlainInitOptions{InitOptions: git.InitOptions{DefaultBranch: plumbing.Main}})
	if err != nil {
		return fmt.Errorf("making a repository: %w", err)
	}
	for i, st := range story {
		s.heading("Commit %d: %s", i+1, st.subject)
		fmt.Fprintln(s.out, st.story)
		if err := s.commit(repo, st); err != nil {
			return fmt.Errorf("committing: %w", err)
		}
		if err := s.deliver(ctx, i, st); err != nil {
			return err
		}
	}
	return nil
}

// deliver shows the effect of a commit, waits for it, and compares the clusters with it.
func (s *stage) deliver(ctx context.Context, i int, st step) error {
	if i == 0 {
		if err := s.federate(ctx); err != nil {
			return err
		}
	} else if err := s.accord(ctx, 0, "plan", "--base", "HEAD~1", "--head", "HEAD", "-f", "shop", "--fail-on", "error"); err != nil {
		return err
	}
	if err := s.accord(ctx, st.code, "wait", "shop", "--timeout", "1m"); err != nil {
		return err
	}
	return s.compare(ctx, st)
}

// federate applies the Federation that names the repository.
func (s *stage) federate(ctx context.Context) error {
	text, err := manifests.ReadFile("repository/federation.yaml")
	if err != nil {
		return err
	}
	file := filepath.Join(s.dir, "federation.yaml")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(string(text), "REPOSITORY", s.repository())), 0o600); err != nil {
		return err
	}
	return s.accord(ctx, 0, "apply", "-f", file)
}

// commit writes the manifests of a step, and commits them.
func (s *stage) commit(repo *git.Repository, st step) error {
	tree, err := repo.Worktree()
	if err != nil {
		return err
	}
	for _, name := range []string{"deployment.yaml", "policy.yaml"} {
		text, err := manifests.ReadFile(path.Join("repository", name))
		if err != nil {
			return err
		}
		edited := strings.ReplaceAll(string(text), first, st.image)
		if name == "policy.yaml" {
			edited += st.policy
		}
		if err := os.WriteFile(filepath.Join(s.repository(), name), []byte(edited), 0o600); err != nil {
			return err
		}
		if _, err := tree.Add(name); err != nil {
			return err
		}
	}
	_, err = tree.Commit(st.subject, &git.CommitOptions{Author: &object.Signature{Name: "Demo", Email: "demo@example.com", When: time.Now()}})
	fmt.Fprintf(s.out, "$ git commit -am %q\n", st.subject)
	return err
}

// compare prints the image on each cluster, which it reads from the cluster, and requires the expected one.
func (s *stage) compare(ctx context.Context, st step) error {
	table := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "CLUSTER\tDEPLOYMENT\tIMAGE\tAVAILABLE")
	var wrong error
	for i, c := range s.clusters {
		client, err := kubernetes.NewForConfig(c.Config())
		if err != nil {
			return err
		}
		d, err := client.AppsV1().Deployments("default").Get(ctx, "web", metav1.GetOptions{})
		if err != nil {
			return fmt.Errorf("reading %s: %w", names[i], err)
		}
		image := d.Spec.Template.Spec.Containers[0].Image
		fmt.Fprintf(table, "%s\tweb\t%s\t%d/%d\n", names[i], image, d.Status.AvailableReplicas, *d.Spec.Replicas)
		if image != st.want[i] {
			wrong = errors.Join(wrong, fmt.Errorf("%s has %s, expected %s", names[i], image, st.want[i]))
		}
	}
	return errors.Join(table.Flush(), wrong)
}
