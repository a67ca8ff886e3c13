package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
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

// onHub is the hub itself, onCluster the path on the hub that leads to the API server of cluster-a, onStar the one of all clusters, onAll the one of the caches of all
// clusters, and inCache the one of their flat list.
const (
	asPlugin  = "kubectl accord" // and no path: kubectl runs accord
	onHub     = "/"
	onCluster = "/apis/cluster.karmada.io/v1alpha1/clusters/cluster-a/proxy"
	onStar    = "/apis/cluster.karmada.io/v1alpha1/clusters/*/proxy"
	onAll     = "/apis/search.karmada.io/v1alpha1/proxying/all/proxy"
	inCache   = "/apis/search.karmada.io/v1alpha1/search/cache"
)

// raw returns the arguments of a GET of a path on the hub.
func raw(path string) []string { return []string{"get", "--raw", path} }

// rules are checked by user alice, who has rights on the hub and on the clusters.
var rules = []rule{
	{"9.4", "kubectl lists through the URL of a cluster", onCluster, []string{"get", "deployments"}, 0, `(?m)^nginx +2/2`},
	{"9.4", "kubectl creates through the URL", onCluster, []string{"create", "configmap", "probe", "--from-literal=a=1"}, 0, `configmap/probe created`},
	{"9.4", "kubectl patches through the URL", onCluster, []string{"patch", "configmap", "probe", "-p", `{"data":{"a":"2"}}`}, 0, `configmap/probe patched`},
	{"9.4", "kubectl reads a log through the URL", onCluster, []string{"logs", "deployment/nginx", "--tail=1"}, 0, `container nginx runs on a fake node`},
	{"9.4", "kubectl runs a command through the URL", onCluster, []string{"exec", "deployment/nginx", "--", "date"}, 0, `(?m)^date$`},
	{"9.4", "kubectl waits through the URL", onCluster, []string{"rollout", "status", "deployment/nginx", "--timeout=20s"}, 0, `successfully rolled out`},
	{"9.4", "a user without the right on the hub is refused", onCluster, []string{"get", "pods", "--as", "mallory"}, 1, `User "mallory" cannot`},
	{"9.1", "a ResourceRegistry names its state", "", []string{"get", "resourceregistries.accord.dev", "-s", "hub"}, 0, `(?m)^workloads +True +Current +3/3 `},
	{"9.2", "search/cache is one flat list, with the cluster of each object", onHub, raw(inCache + "/apis/apps/v1/namespaces/default/deployments"), 0, `cached-from-cluster":"cluster-c"`},
	{"9.2", "a name in search/cache yields one entry for each cluster", onHub, raw(inCache + "/apis/apps/v1/namespaces/default/deployments/nginx"), 0, `"cluster-a".*"cluster-b".*"cluster-c"`},
	{"9.2", "search/cache has no watch", onHub, raw(inCache + "/api/v1/pods?watch=true"), 1, `MethodNotAllowed`},
	{"9.3", "kubectl lists all clusters", onAll, []string{"get", "deployments"}, 0, `(?s)(nginx +2/2[^\n]*\n){3}`},
	{"9.3", "kubectl lists page by page", onAll, []string{"get", "pods", "--chunk-size=1", "-o", "name"}, 0, `(?s)^(pod/\S+\n){7}$`},
	{"9.3", "the resourceVersion has each cluster", onAll, []string{"get", "deployments", "-o", "jsonpath={.items[0].metadata.resourceVersion}"}, 0, `^eyJjbHVzdGVyLWEi`},
	{"9.3", "a watch has the objects of all clusters", onHub, raw(onAll + "/apis/apps/v1/deployments?watch=true&timeoutSeconds=2"), 0, `(?s)("type":"ADDED".*){3}`},
	{"9.3", "a named object that one cluster has", onAll, []string{"get", "configmap", "probe"}, 0, `(?m)^probe +1 `},
	{"9.3", "a patch goes to the one cluster", onAll, []string{"patch", "configmap", "probe", "-p", `{"data":{"a":"3"}}`}, 0, `configmap/probe patched`},
	{"9.3", "a log comes from the one cluster", onAll, []string{"logs", "only-on-a", "--tail=1"}, 0, `container only-on-a runs on a fake node`},
	{"9.3", "exec runs on the one cluster", onAll, []string{"exec", "only-on-a", "--", "date"}, 0, `(?m)^date$`},
	{"9.3", "none has it: 404", onAll, []string{"get", "configmap", "absent"}, 1, `NotFound`},
	{"9.3", "several have it: 409", onAll, []string{"get", "deployment", "nginx"}, 1, `Conflict.*clusters \["cluster-a" "cluster-b" "cluster-c"\] have it`},
	{"9.3", "create: 405", onAll, []string{"create", "configmap", "new"}, 1, `MethodNotAllowed|not supported`},
	{"9.3", "everything else goes to the hub", onAll, []string{"get", "namespaces", "-o", "name"}, 0, `namespace/demo`},
	{"9.4", "name *: a list of all clusters", onHub, raw(onStar + "/apis/apps/v1/namespaces/default/deployments"), 0, `(?s)("name":"nginx".*){3}`},
	{"9.4", "name *: a named object of the one cluster", onHub, raw(onStar + "/api/v1/namespaces/default/configmaps/probe"), 0, `"name":"probe"`},
	{"9.4", "name *: none has it: 404", onHub, raw(onStar + "/api/v1/namespaces/default/configmaps/absent"), 1, `NotFound`},
	{"9.4", "name *: several have it: 409", onHub, raw(onStar + "/apis/apps/v1/namespaces/default/deployments/nginx"), 1, `Conflict`},
	{"9.4", "name *: a path of no resource is for the hub", onHub, raw(onStar + "/version"), 0, `gitVersion`},
	{"9.4", "Clusters are changed elsewhere", onHub, []string{"delete", "clusters.cluster.karmada.io", "cluster-a"}, 1, `"accord leave"`},
	{"11.4", "Karmada's columns of clusters", onHub, []string{"get", "clusters.cluster.karmada.io"}, 0, `(?s)^NAME +VERSION +MODE +READY +AGE\ncluster-a +v1\S+ +Push +True .*\ncluster-c +v1\S+ +Pull +True `},
	{"11.4", "the columns of -o wide", onHub, []string{"get", "clusters.cluster.karmada.io", "-o", "wide"}, 0, `^NAME +VERSION +MODE +READY +AGE +ZONES +REGION +PROVIDER +API-ENDPOINT +PROXY-URL`},
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
	{"11.1", "cordon", "", []string{"cordon", "cluster-b", "--on-hub"}, 0, `cluster-b: unschedulable; the objects there stay`},
	{"11.1", "uncordon", "", []string{"uncordon", "cluster-b", "--on-hub"}, 0, `cluster-b`},
	{"11.1", "taint", "", []string{"taint", "cluster-b", "drill=1:NoSchedule", "--on-hub"}, 0, `cluster-b`},
	{"11.1", "a taint is removed", "", []string{"taint", "cluster-b", "drill:NoSchedule-", "--on-hub"}, 0, `cluster-b`},
	{"11.1", "tokens", "", []string{"token", "list"}, 0, `(?m)^ID `},
	{"11.1", "kubectl runs accord as a plugin", asPlugin, []string{"get", "pods", "-C", "cluster-c"}, 0, `(?m)^NAME +CLUSTER +READY`},
	{"11.1", "a typo", "", []string{"gte", "pods"}, 2, `did you mean "get"`},
}

// administers are the commands that an administrator of the hub runs in the place of alice. They have no namespace.
var administers = []string{"cordon", "uncordon", "taint", "token"}

// words returns the command as a person writes it.
func (r rule) words() string {
	words := strings.Join(r.args, " ")
	if r.through == asPlugin {
		return asPlugin + " " + words
	}
	if r.through != "" {
		return "kubectl --server HUB" + r.through + " " + words
	}
	return "accord " + words
}

// check runs the command of a rule, and returns its exit code and the line of the result that shows it.
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

// as returns the command of a rule for alice, or for an administrator.
func (s *stage) as(ctx context.Context, r rule) *exec.Cmd {
	program, args := "accord", []string{r.args[0], "--kubeconfig", s.hub()}
	administered := slices.Contains(administers, r.args[0])
	if !administered {
		args = append(args, "--namespace", "default")
	}
	switch r.through {
	case "":
	case asPlugin:
		program, args = "kubectl", append([]string{"accord"}, args...)
	default:
		program, args = "kubectl", append(args, "--server", s.address+r.through)
	}
	if !administered && !slices.Contains(r.args, "--as") {
		args = append(args, "--as", reader)
	}
	c := exec.CommandContext(ctx, s.path("bin", program), append(args, r.args[1:]...)...)
	c.Env = append(os.Environ(), "PATH="+s.path("bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	return c
}
