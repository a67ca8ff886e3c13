package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// rule is one line of Karmada's specification of the command line or of the proxy, as a command and its result.
type rule struct {
	// section of the specification, and the rule in words.
	section, title string
	// through is a path on the hub for kubectl; empty for accord.
	through string
	args    []string
	exit    int
	// seen is a pattern of the output and of the errors.
	seen string
}

// onCluster is the path on the hub that leads to the API server of cluster-a.
const onCluster = "/apis/cluster.karmada.io/v1alpha1/clusters/cluster-a/proxy"

// rules are checked by user alice, who has rights on the hub and on the clusters.
var rules = []rule{
	{"9.4", "kubectl lists through the URL of a cluster", onCluster, []string{"get", "deployments"}, 0, `(?m)^nginx +2/2`},
	{"9.4", "kubectl creates through the URL", onCluster, []string{"create", "configmap", "probe", "--from-literal=a=1"}, 0, `configmap/probe created`},
	{"9.4", "kubectl patches through the URL", onCluster, []string{"patch", "configmap", "probe", "-p", `{"data":{"a":"2"}}`}, 0, `configmap/probe patched`},
	{"9.4", "kubectl reads a log through the URL", onCluster, []string{"logs", "deployment/nginx", "--tail=1"}, 0, `container nginx runs on a fake node`},
	{"9.4", "kubectl runs a command through the URL", onCluster, []string{"exec", "deployment/nginx", "--", "date"}, 0, `(?m)^date$`},
	{"9.4", "kubectl waits through the URL", onCluster, []string{"rollout", "status", "deployment/nginx", "--timeout=20s"}, 0, `successfully rolled out`},
	{"9.4", "a user without the right on the hub is refused", onCluster, []string{"get", "pods", "--as", "mallory"}, 1, `User "mallory" cannot`},
	{"11.2", "get -s members reads all clusters", "", []string{"get", "deployments", "-s", "members"}, 0, `(?s)^NAME +CLUSTER .* ADOPTION\nnginx +cluster-a +2/2 .* Y\nnginx +cluster-b .* Y\nnginx +cluster-c .* Y\n$`},
	{"11.2", "get -C reads the clusters that are named", "", []string{"get", "deployments", "-C", "cluster-b,cluster-c"}, 0, `(?s)^NAME[^\n]*\nnginx +cluster-b[^\n]*\nnginx +cluster-c[^\n]*\n$`},
	{"11.2", "get -s all adds the hub", "", []string{"get", "namespaces", "-s", "all"}, 0, `(?s)default +Hub +Active +\S+ +-\n.*default +cluster-c +Active +\S+ +N\n`},
	{"11.2", "get -s karmada reads the hub", "", []string{"get", "namespaces", "-s", "karmada"}, 0, `(?m)^NAME +STATUS +AGE$`},
	{"11.2", "describe takes one cluster", "", []string{"describe", "deployment", "nginx", "-C", "cluster-c"}, 0, `(?m)^Name: +nginx$`},
	{"11.2", "describe refuses the scope all", "", []string{"describe", "deployment", "nginx", "-s", "all"}, 2, `expected one of hub, members`},
	{"11.2", "exec needs a cluster if several have the object", "", []string{"exec", "deployment/nginx", "--", "date"}, 1, `is on cluster-a, cluster-b(,| and) cluster-c: name one with --cluster`},
	{"11.2", "exec reaches a cluster in pull mode", "", []string{"exec", "deployment/nginx", "-C", "cluster-c", "--", "date"}, 0, `(?m)^date$`},
	{"11.2", "logs of all clusters", "", []string{"logs", "-l", "app=nginx", "--all-clusters", "--tail=1"}, 0, `(?s)^(cluster-[abc]  container nginx runs[^\n]*\n){6}$`},
	{"11.2", "explain reads the schema of a cluster", "", []string{"explain", "deployment.spec.replicas", "-C", "cluster-b"}, 0, `FIELD: replicas <integer>`},
	{"11.2", "api-resources of a cluster", "", []string{"api-resources", "-C", "cluster-b", "--api-group=apps"}, 0, `(?m)^deployments +deploy +apps/v1`},
	{"11.2", "top names the clusters without metrics", "", []string{"top", "nodes"}, 1, `cluster-a: Metrics API not available`},
	{"11.3", "pods show ADOPTION with -o wide only", "", []string{"get", "pods", "-C", "cluster-a"}, 0, `(?m)^NAME +CLUSTER +READY +STATUS +RESTARTS +AGE$`},
	{"11.3", "an object of somebody else is not adopted", "", []string{"get", "configmap", "probe", "-s", "members"}, 0, `(?m)^probe +cluster-a +1 +\S+ +N$`},
	{"11.3", "-o yaml names the cluster", "", []string{"get", "configmap", "probe", "-s", "members", "-o", "yaml"}, 0, `cached-from-cluster: cluster-a`},
	{"11.4", "accord's table of clusters", "", []string{"get", "clusters"}, 0, `(?m)^3 of 3 reachable\.$`},
	{"11.1", "a write names its clusters", "", []string{"label", "configmap", "probe", "a=b", "-s", "members"}, 2, `name the clusters with --clusters`},
	{"11.1", "label", "", []string{"label", "configmap", "probe", "a=b", "-C", "cluster-a"}, 0, `configmap/probe labeled`},
	{"11.1", "annotate", "", []string{"annotate", "configmap", "probe", "a=b", "-C", "cluster-a"}, 0, `configmap/probe annotated`},
	{"11.1", "an object from Git is not changed", "", []string{"patch", "deployment", "nginx", "-C", "cluster-b", "-p", `{"spec":{"replicas":5}}`}, 1, `change deployment\.yaml, which Federation demo/shop delivers`},
	{"11.1", "promote makes a manifest and a policy", "", []string{"promote", "configmap/probe", "-C", "cluster-a"}, 0, `(?s)kind: ConfigMap.*kind: PropagationPolicy.*conflictResolution: Overwrite`},
	{"11.1", "delete", "", []string{"delete", "configmap", "probe", "-C", "cluster-a"}, 0, `"probe" deleted`},
	{"11.1", "a typo", "", []string{"gte", "pods"}, 2, `did you mean "get"`},
}

// members plays the example of that name: two clusters in push mode, and one in pull mode.
func (s *stage) members(ctx context.Context) error {
	st := steps[0]
	st.dir = "../rollout/" + st.dir
	if err := s.step(ctx, st); err != nil {
		return fmt.Errorf("step %s: %w", st.dir, err)
	}
	if err := s.grantAll(ctx); err != nil {
		return err
	}
	if err := s.watchesAll(ctx); err != nil {
		return err
	}
	heading("Each rule as a command")
	var failed []string
	for _, r := range rules {
		seen, ok := s.check(ctx, r)
		mark := "✔"
		if !ok {
			mark = "✗"
			failed = append(failed, r.section+" "+r.title)
		}
		note("%s §%-5s %s", mark, r.section, r.title)
		note("    $ %s", r.words())
		note("    expected  exit %d, %s", r.exit, r.seen)
		note("    seen      %s", seen)
	}
	if len(failed) > 0 {
		return fmt.Errorf("%d of %d rules failed: %s", len(failed), len(rules), strings.Join(failed, "; "))
	}
	note("%d of %d rules hold", len(rules), len(rules))
	return nil
}

// words returns the command as a person writes it.
func (r rule) words() string {
	words := strings.Join(r.args, " ")
	if r.through != "" {
		return "kubectl --server HUB" + r.through + " " + words
	}
	return "accord " + words
}

// check runs the command of a rule as alice, and returns its exit code and the line of the result that shows it.
func (s *stage) check(ctx context.Context, r rule) (seen string, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, settle)
	defer cancel()
	c := s.as(ctx, r)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	err, code := c.Run(), 0
	if ended := (&exec.ExitError{}); errors.As(err, &ended) {
		code = ended.ExitCode()
	} else if err != nil {
		return err.Error(), false
	}
	found := regexp.MustCompile(r.seen).FindString(out.String())
	first, rest, _ := strings.Cut(strings.TrimSpace(out.String()), "\n")
	if found != "" && !strings.Contains(strings.TrimSpace(found), "\n") {
		for line := range strings.Lines(out.String()) {
			if strings.Contains(line, strings.TrimSpace(found)) {
				first, rest = strings.TrimSpace(line), ""
				break
			}
		}
	}
	if rest != "" {
		first += fmt.Sprintf(" (and %d lines)", strings.Count(rest, "\n")+1)
	}
	return fmt.Sprintf("exit %d, %s", code, first), found != "" && code == r.exit
}

// as returns the command of a rule for alice.
func (s *stage) as(ctx context.Context, r rule) *exec.Cmd {
	program, args := "accord", []string{r.args[0], "--kubeconfig", s.hub(), "--namespace", "default"}
	if r.through != "" {
		program, args = "kubectl", append(args, "--server", s.address+r.through)
	}
	if !slices.Contains(r.args, "--as") {
		args = append(args, "--as", reader)
	}
	return exec.CommandContext(ctx, s.path("bin", program), append(args, r.args[1:]...)...)
}

// grantAll gives alice the rights on the hub and on all members.
func (s *stage) grantAll(ctx context.Context) (err error) {
	heading("User %s may use the proxy of all clusters on the hub, and everything there", reader)
	if s.address, err = s.ask(ctx, "config", "view", "--minify", "-o", "jsonpath={.clusters[0].cluster.server}"); err != nil {
		return err
	}
	grant := func(kubeconfig string, args ...string) {
		_, failed := command(ctx, s.path("bin", "kubectl"), append([]string{"--kubeconfig", kubeconfig, "create"}, args...)...)
		err = errors.Join(err, failed)
	}
	grant(s.hub(), "clusterrole", "proxy", "--verb=*", "--resource=clusters.cluster.karmada.io/proxy")
	grant(s.hub(), "clusterrole", "view-accord", "--verb=get,list,watch", "--resource=clusters.accord.dev,federatedobjects.accord.dev,federations.accord.dev,deliveries.accord.dev,namespaces")
	for _, role := range []string{"proxy", "view-accord"} {
		grant(s.hub(), "clusterrolebinding", role, "--clusterrole="+role, "--user="+reader)
	}
	for _, m := range s.example.members {
		grant(s.configs[m], "clusterrolebinding", reader, "--clusterrole=cluster-admin", "--user="+reader)
	}
	if err != nil {
		return err
	}
	return until(ctx, settle, "the rights", func() (bool, error) { // the hub reads new rights after a moment
		_, ok := s.check(ctx, rule{args: []string{"get", "namespaces", "-s", "members"}, seen: `(?s)cluster-a.*cluster-b.*cluster-c`})
		return ok, nil
	})
}

// watchesAll watches a kind on all members at once, and changes an object of each.
func (s *stage) watchesAll(ctx context.Context) error {
	heading("accord get -w on all members")
	ctx, cancel := context.WithTimeout(ctx, settle)
	defer cancel()
	r := rule{args: []string{"get", "configmaps", "-s", "members", "-w"}}
	note("$ %s", r.words())
	c := s.as(ctx, r)
	out, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	defer func() { cancel(); _ = c.Wait() }() // a killed program ends with an error
	lines := bufio.NewScanner(out)
	for _, m := range s.example.members {
		if _, err := command(ctx, s.path("bin", "kubectl"), "--kubeconfig", s.configs[m], "--namespace", "default", "create", "configmap", "seen-on-"+m); err != nil {
			return err
		}
		for found := false; !found; {
			if !lines.Scan() {
				return errors.Join(errors.New("the watch ended"), lines.Err())
			}
			line := lines.Text()
			if found = strings.HasPrefix(line, "seen-on-"+m) && strings.Contains(line, " "+m+" "); found {
				note("  %s", strings.TrimSpace(line))
			}
		}
	}
	return nil
}
