// Firstminutes does what a new user does with the programs in bin/, and prints when each milestone is reached: something true without a
// cluster, the first cluster, and the comment on a pull request. It fails if a milestone is late.
//
//	make first-minutes
//
// The cluster is an API server with controllers and a node that pretends to run pods, and the forge is an HTTP server of this program.
// The time of both counts. The first run compiles Kubernetes for the cluster before the clock starts.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/accord-dev/accord/clusters/local/kwok"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "first-minutes:", err)
		stop()
		os.Exit(1)
	}
}

// run builds the cluster, and goes to each milestone.
func run(ctx context.Context) (err error) {
	bin, err := filepath.Abs("bin")
	if err != nil {
		return err
	}
	members, err := build(ctx)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "accord-first-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	u := &user{dir: dir, begun: time.Now(), env: append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "HOME="+dir, "ACCORD_KUBECONFIG=",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com")}
	if err := u.withoutCluster(ctx); err != nil {
		return err
	}
	kubeconfig, end, err := startCluster(members, filepath.Join(dir, "cluster"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	defer func() {
		err = errors.Join(err, u.sh(context.WithoutCancel(ctx), "accord down --data-dir ~/.accord"))
	}()
	if err := u.firstCluster(ctx, kubeconfig); err != nil {
		return err
	}
	return u.pullRequest(ctx)
}

// build builds the programs of the cluster, and returns the path of the one that runs it.
func build(ctx context.Context) (string, error) {
	if _, err := kwok.Build(ctx); err != nil {
		return "", err
	}
	out, err := exec.CommandContext(ctx, "go", "tool", "-n", "members").Output()
	return strings.TrimSpace(string(out)), err
}

// user is a new user, whose home is an empty directory.
type user struct {
	dir   string
	begun time.Time
	env   []string
}

// withoutCluster writes a repository and looks at the effect of a change.
func (u *user) withoutCluster(ctx context.Context) error {
	if err := u.sh(ctx,
		"accord init ~/shop --clusters eu-1 --url ~/shop --pipeline none",
		"cd ~/shop && git init -q -b main && git add . && git commit -q -m 'the first version'",
		"cd ~/shop && accord lint && accord why deploy/shop",
		"cd ~/shop && sed -i 's/nginx:1.27.5/nginx:1.28.0/' apps/shop/base/deployment.yaml && accord plan --fail-on error && git checkout -q .",
	); err != nil {
		return err
	}
	return u.milestone("something true without a cluster", time.Minute)
}

// firstCluster starts a hub, joins the cluster and waits for the commit.
func (u *user) firstCluster(ctx context.Context, kubeconfig string) error {
	if err := u.sh(ctx, "accord up --detach --data-dir ~/.accord"); err != nil {
		return err
	}
	u.env = append(u.env, "ACCORD_KUBECONFIG="+filepath.Join(u.dir, ".accord", "kubeconfig"))
	if err := u.sh(ctx,
		"accord join eu-1 --member-kubeconfig "+kubeconfig,
		"accord apply -f ~/shop/federation.yaml",
		"cd ~/shop && accord wait shop",
	); err != nil {
		return err
	}
	return u.milestone("the first cluster runs the commit", 5*time.Minute)
}

// pullRequest has the pipeline of a pull request post the plan.
func (u *user) pullRequest(ctx context.Context) error {
	f := newForge()
	defer f.close()
	event := filepath.Join(u.dir, "event.json")
	if err := u.sh(ctx,
		"cd ~/shop && git checkout -q -b next && sed -i 's/nginx:1.27.5/nginx:1.28.0/' apps/shop/base/deployment.yaml && git commit -q -a -m 'nginx 1.28.0'",
		`cd ~/shop && echo "{\"pull_request\": {\"number\": 1, \"head\": {\"sha\": \"$(git rev-parse HEAD)\"}}}" >~/event.json`,
	); err != nil {
		return err
	}
	u.env = append(u.env, "GITHUB_SERVER_URL="+f.url(), "GITHUB_API_URL="+f.url()+"/api/v3", "GITHUB_REPOSITORY=ada/shop", "GITHUB_EVENT_PATH="+event, "GITHUB_TOKEN=a-token")
	if err := u.sh(ctx, "cd ~/shop && accord plan --federation federation.yaml --base main --head HEAD --post --fail-on error >/dev/null"); err != nil {
		return err
	}
	comment, err := f.comment()
	if err != nil {
		return err
	}
	fmt.Println(indent(comment))
	return u.milestone("the comment on a pull request", 10*time.Minute)
}

// sh runs the lines one after the other, and prints them with their output.
func (u *user) sh(ctx context.Context, lines ...string) error {
	for _, line := range lines {
		fmt.Printf("%6s  $ %s\n", u.elapsed(), line)
		c := exec.CommandContext(ctx, "sh", "-c", line)
		c.Env, c.Dir = u.env, u.dir
		out, err := c.CombinedOutput()
		if len(out) > 0 {
			fmt.Println(indent(string(out)))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", line, err)
		}
	}
	return nil
}

func (u *user) elapsed() string { return fmt.Sprintf("%.1fs", time.Since(u.begun).Seconds()) }

// milestone prints the time, and returns an error if it is later than the limit.
func (u *user) milestone(reached string, limit time.Duration) error {
	fmt.Printf("%6s  == %s (limit %s)\n\n", u.elapsed(), reached, limit)
	if took := time.Since(u.begun); took > limit {
		return fmt.Errorf("%s: after %s, later than %s", reached, took.Round(time.Second), limit)
	}
	return nil
}

// indent puts the text below the command that printed it.
func indent(text string) string {
	return "        " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n        ")
}

// startCluster starts a cluster with controllers and a node, and returns its kubeconfig and the function that ends it.
func startCluster(program, dir string) (kubeconfig string, end func() error, err error) {
	c := exec.Command(program, "--names", "eu-1", "--controllers", "--nodes", "1", "--dir", dir)
	in, err := c.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := c.Start(); err != nil {
		return "", nil, err
	}
	end = func() error { return errors.Join(in.Close(), c.Wait()) }
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var member struct {
			Kubeconfig string
			Ready      bool
		}
		if err := json.Unmarshal(lines.Bytes(), &member); err != nil {
			return "", nil, errors.Join(err, end())
		}
		if member.Ready {
			go func() { _, _ = io.Copy(io.Discard, out) }() // ends with the cluster
			return kubeconfig, end, nil
		}
		kubeconfig = member.Kubeconfig
	}
	return "", nil, errors.Join(errors.New("the cluster did not start"), end())
}
