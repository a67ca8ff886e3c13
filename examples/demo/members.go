package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

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
	if err := s.cacheAll(ctx); err != nil {
		return err
	}
	if err := os.Symlink("accord", s.path("bin", "kubectl-accord")); err != nil {
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
	grant(s.hub(), "clusterrole", "search", "--verb=*", "--resource=proxying.search.karmada.io/proxy,search.search.karmada.io/api,search.search.karmada.io/apis")
	grant(s.hub(), "clusterrole", "clusters", "--verb=*", "--resource=clusters.cluster.karmada.io")
	grant(s.hub(), "clusterrole", "view-accord", "--verb=get,list,watch", "--resource=clusters.accord.dev,federatedobjects.accord.dev,federations.accord.dev,deliveries.accord.dev,resourceregistries.accord.dev,namespaces")
	for _, role := range []string{"proxy", "search", "clusters", "view-accord"} {
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

// cacheAll names the kinds that accord caches, and gives it the right to read them. Cluster-a has a pod of its own.
func (s *stage) cacheAll(ctx context.Context) error {
	heading("accord caches the kinds that a ResourceRegistry names")
	note("$ kubectl apply -f examples/members/registry.yaml")
	if _, err := s.ask(ctx, "apply", "-f", filepath.Join("examples", "members", "registry.yaml")); err != nil {
		return err
	}
	for _, m := range s.example.members {
		if _, err := command(ctx, s.path("bin", "kubectl"), "--kubeconfig", s.configs[m], "create", "clusterrolebinding", "accord-search", "--clusterrole=view",
			"--user=accord-search", "--group=system:serviceaccounts:accord-system"); err != nil {
			return err
		}
	}
	if _, err := command(ctx, s.path("bin", "kubectl"), "--kubeconfig", s.configs["cluster-a"], "--namespace", "default", "run", "only-on-a", "--image=example.com/app:1"); err != nil {
		return err
	}
	return until(ctx, settle, "the caches", func() (bool, error) {
		_, current := s.check(ctx, rule{args: []string{"get", "resourceregistries.accord.dev", "-s", "hub"}, seen: `(?m)^workloads +True +Current +3/3 `})
		_, runs := s.check(ctx, rule{through: onAll, args: []string{"get", "pod", "only-on-a"}, seen: `Running`})
		return current && runs, nil
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
