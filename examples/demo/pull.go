package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/accord-dev/accord/api/registration"
	"github.com/accord-dev/accord/api/v1alpha1"
)

const (
	// agentNamespace is the namespace of the agent on its cluster.
	agentNamespace = "accord-system"
	// kills is the number of agents that the demo kills, each at a random moment of at most killWindow after a push.
	kills      = 20
	killWindow = 1200 * time.Millisecond
	// absence is the time for which the hub is down.
	absence = time.Minute
	// reader is a user of the hub whom the clusters let accord act for.
	reader = "alice"
)

// pull plays the example of that name. The members are registered already.
func (s *stage) pull(ctx context.Context) error {
	for _, st := range steps {
		st.dir = "../rollout/" + st.dir
		if err := s.step(ctx, st); err != nil {
			return fmt.Errorf("step %s: %w", st.dir, err)
		}
	}
	if err := s.lists(ctx, "bundles"); err != nil {
		return err
	}
	for _, act := range []func(context.Context) error{s.readsLogs, s.keepsNoCredentials, s.losesHub, s.losesAgents} {
		if err := act(ctx); err != nil {
			return err
		}
	}
	return nil
}

// register registers each member by the command that the hub prints, and starts the agents.
func (s *stage) register(ctx context.Context) error {
	heading("Registering the members in pull mode: accord token create, accord register")
	s.agents = map[string]*child{}
	for i, m := range s.example.pull {
		printed, err := command(ctx, s.path("bin", "accord"), "token", "create", "--cluster", m, "--print-register-command", "--kubeconfig", s.hub())
		if err != nil {
			return err
		}
		note("$ %s", shorten(printed))
		words := strings.Fields(printed)[1:]
		out, err := command(ctx, s.path("bin", "accord"), append(words, "--cluster-kubeconfig", s.configs[m], "--impersonate-user", reader+",accord-search", "--wait=false")...)
		if err != nil {
			return err
		}
		for line := range strings.Lines(out) {
			note("  %s", strings.TrimSpace(line))
		}
		if i == 0 && len(s.example.pull) > 1 {
			if err := s.usedUp(ctx, words); err != nil {
				return err
			}
		}
		if err := s.credentials(ctx, m); err != nil {
			return err
		}
		if err := s.startAgent(m); err != nil {
			return err
		}
	}
	begun := time.Now()
	if _, err := s.ask(ctx, append([]string{"wait", "--for=condition=Ready", "--timeout=1m", "clusters.accord.dev"}, s.example.pull...)...); err != nil {
		return err
	}
	note("all agents run; the Clusters are Ready %s after the last registration", time.Since(begun).Round(100*time.Millisecond))
	return s.lists(ctx, "clusters.accord.dev")
}

// shorten cuts the secret and the hash from a printed command.
func shorten(printed string) string {
	words := strings.Fields(printed)
	for i, w := range words {
		if id, _, isToken := strings.Cut(w, "."); isToken && i > 0 && words[i-1] == "--token" {
			words[i] = id + ".…"
		}
		if strings.HasPrefix(w, "sha256:") {
			words[i] = w[:len("sha256:")+8] + "…"
		}
	}
	return strings.Join(words, " ")
}

// usedUp tries to register another member with a token that was used.
func (s *stage) usedUp(ctx context.Context, words []string) error {
	other := s.example.members[len(s.example.members)-1]
	_, err := command(ctx, s.path("bin", "accord"), append(words, "--cluster-kubeconfig", s.configs[other], "--wait=false", "--timeout=10s")...)
	if err == nil {
		return errors.New("a token registered two clusters")
	}
	lines := strings.Split(strings.TrimSpace(err.Error()), "\n")
	note("the same token again, on %s: %s", other, lines[len(lines)-1])
	return nil
}

// credentials writes the files with which the agent runs outside of a pod: the kubeconfig from the Secret that was registered, and a
// kubeconfig of the member with a token of the agent's ServiceAccount.
func (s *stage) credentials(ctx context.Context, member string) error {
	var secret corev1.Secret
	if err := s.onMember(ctx, member, &secret, "get", "secret", registration.HubSecret, "--namespace", agentNamespace); err != nil {
		return err
	}
	if err := os.WriteFile(s.path(member+".hub"), secret.Data[registration.KubeconfigKey], 0o600); err != nil {
		return err
	}
	token, err := command(ctx, s.path("bin", "kubectl"), "--kubeconfig", s.configs[member], "create", "token", registration.AgentName, "--namespace", agentNamespace)
	if err != nil {
		return err
	}
	cfg, err := clientcmd.LoadFromFile(s.configs[member])
	if err != nil {
		return err
	}
	user := cfg.Contexts[cfg.CurrentContext].AuthInfo
	cfg.AuthInfos = map[string]*clientcmdapi.AuthInfo{user: {Token: strings.TrimSpace(token)}}
	return clientcmd.WriteToFile(*cfg, s.path(member+".local"))
}

// startAgent starts the agent of a member with the rights that the registration gave to it.
func (s *stage) startAgent(member string) (err error) {
	s.agents[member], err = s.spawn("accord-agent", "--cluster", member, "--hub-kubeconfig", s.path(member+".hub"), "--kubeconfig", s.path(member+".local"))
	return err
}

// readsLogs reads the logs of a member through the tunnel of its agent, for a user who has rights on this cluster only.
func (s *stage) readsLogs(ctx context.Context) error {
	heading("Logs of a member through the tunnel of its agent: accord logs")
	member, other := s.example.members[1], s.example.members[0]
	grant := func(kubeconfig string, args ...string) error {
		_, err := command(ctx, s.path("bin", "kubectl"), append([]string{"--kubeconfig", kubeconfig, "create"}, args...)...)
		return err
	}
	if err := errors.Join(
		grant(s.hub(), "clusterrole", "proxy", "--verb=get", "--resource=clusters.cluster.karmada.io/proxy", "--resource-name="+member),
		grant(s.hub(), "clusterrolebinding", "proxy", "--clusterrole=proxy", "--user="+reader),
		grant(s.configs[member], "clusterrolebinding", reader, "--clusterrole=view", "--user="+reader),
	); err != nil {
		return err
	}
	note("%s may use the proxy of %s on the hub, and view objects there.", reader, member)
	logs := func(cluster string) (string, error) {
		return command(ctx, s.path("bin", "accord"), "logs", "deployment/nginx", "-C", cluster, "-n", "default", "--as", reader, "--kubeconfig", s.hub())
	}
	note("$ accord logs deployment/nginx -C %s -n default --as %s", member, reader)
	var out string
	if err := until(ctx, settle, "the logs", func() (ok bool, err error) { // the hub reads new rights after a moment
		out, err = logs(member)
		return err == nil, nil
	}); err != nil {
		return err
	}
	for line := range strings.Lines(out) {
		note("  %s", strings.TrimSpace(line))
	}
	if !strings.Contains(out, "container nginx of pod default/nginx-") {
		return fmt.Errorf("these are not the logs of nginx:\n%s", out)
	}
	note("$ accord logs deployment/nginx -C %s -n default --as %s", other, reader)
	_, err := logs(other)
	if err == nil {
		return fmt.Errorf("%s read logs of %s without rights", reader, other)
	}
	_, refusal, _ := strings.Cut(err.Error(), "\n")
	note("  %s", strings.TrimSpace(refusal))
	if !strings.Contains(refusal, "clusters/proxy") {
		return fmt.Errorf("the refusal has another reason: %w", err)
	}
	return nil
}

// keepsNoCredentials reads all Secrets and Clusters of the hub.
func (s *stage) keepsNoCredentials(ctx context.Context) error {
	heading("The hub has no credentials of its members")
	forbidden, err := s.memberCredentials()
	if err != nil {
		return err
	}
	var secrets corev1.SecretList
	if err := s.read(ctx, &secrets, "get", "secrets", "--all-namespaces"); err != nil {
		return err
	}
	for _, secret := range secrets.Items {
		for key, value := range secret.Data {
			for name, text := range forbidden {
				if strings.Contains(string(value), text) {
					return fmt.Errorf("key %s of Secret %s/%s on the hub has %s", key, secret.Namespace, secret.Name, name)
				}
			}
		}
	}
	var clusters v1alpha1.ClusterList
	if err := s.read(ctx, &clusters, "get", "clusters.accord.dev"); err != nil {
		return err
	}
	for _, c := range clusters.Items {
		if c.Spec.SecretRef != nil || c.Spec.APIEndpoint != "" {
			return fmt.Errorf("cluster %s in pull mode has an address or a Secret: %+v", c.Name, c.Spec)
		}
	}
	note("read %d Secrets: none has an address, token, key or certificate of a member", len(secrets.Items))
	note("read %d Clusters: none has apiEndpoint or secretRef", len(clusters.Items))
	return s.touchesNoMember()
}

// memberCredentials returns everything by which somebody could reach a member, or pretend to be its agent.
func (s *stage) memberCredentials() (map[string]string, error) {
	found := map[string]string{}
	for _, m := range s.example.members {
		for _, file := range []string{s.configs[m], s.path(m + ".local"), s.path(m + ".hub")} {
			cfg, err := clientcmd.LoadFromFile(file)
			if err != nil {
				return nil, err
			}
			for _, user := range cfg.AuthInfos {
				found["the token of "+file], found["the key of "+file] = user.Token, string(user.ClientKeyData)
			}
		}
		cfg, err := clientcmd.LoadFromFile(s.configs[m])
		if err != nil {
			return nil, err
		}
		for _, cluster := range cfg.Clusters {
			found["the address of "+m] = cluster.Server
		}
	}
	for name, text := range found {
		if text == "" {
			delete(found, name)
		}
	}
	return found, nil
}

// losesHub ends the hub, and changes objects on a member meanwhile.
func (s *stage) losesHub(ctx context.Context) error {
	if _, err := s.push(ctx, "5-settings", "settings for all clusters", "One ConfigMap beside the Deployment."); err != nil {
		return err
	}
	if err := s.settled(ctx, "0"); err != nil {
		return err
	}
	heading("The hub goes down")
	begun := time.Now()
	if err := s.end(s.up, syscall.SIGTERM); err != nil {
		return err
	}
	member := s.example.members[1]
	note("Somebody changes nginx on %s and deletes the ConfigMap there.", member)
	kubectl := func(args ...string) error {
		_, err := command(ctx, s.path("bin", "kubectl"), append([]string{"--kubeconfig", s.configs[member]}, args...)...)
		return err
	}
	if err := errors.Join(kubectl("set", "image", "deployment/nginx", "nginx=nginx:hacked"), kubectl("delete", "configmap", "settings")); err != nil {
		return err
	}
	broken := time.Now()
	if err := until(ctx, settle, "the repair", func() (bool, error) {
		return s.runs(ctx, goodImage, member) == nil && s.has(ctx, "0", member) == nil, nil
	}); err != nil {
		return err
	}
	note("its agent repaired both after %s, from its last bundle", time.Since(broken).Round(10*time.Millisecond))
	select {
	case <-time.After(time.Until(begun.Add(absence))):
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := s.startHub(ctx); err != nil {
		return err
	}
	note("the hub is back after %s", time.Since(begun).Round(100*time.Millisecond))
	if err := s.set(ctx, "1"); err != nil {
		return err
	}
	return s.settled(ctx, "1")
}

// losesAgents kills agents while commits are on their way.
func (s *stage) losesAgents(ctx context.Context) error {
	heading("%d agents are killed while commits are on their way", kills)
	begun := time.Now()
	for i := range kills {
		value := fmt.Sprint(i + 2)
		if err := s.set(ctx, value); err != nil {
			return err
		}
		time.Sleep(rand.N(killWindow))
		m := s.example.members[rand.IntN(len(s.example.members))]
		if err := s.end(s.agents[m], syscall.SIGKILL); err != nil {
			return err
		}
		if err := s.startAgent(m); err != nil {
			return err
		}
		if err := s.settled(ctx, value); err != nil {
			return fmt.Errorf("after kill %d, of the agent of %s: %w", i+1, m, err)
		}
	}
	if err := s.runs(ctx, goodImage, s.example.members...); err != nil {
		return err
	}
	note("%d kills in %s: every commit arrived, and accord wait never ended before all members had it", kills, time.Since(begun).Round(100*time.Millisecond))
	return s.tell(ctx, "status", "shop", "-n", "demo")
}

// set commits and pushes another value of the ConfigMap.
func (s *stage) set(ctx context.Context, value string) error {
	file := s.path("work", "settings.yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	at := strings.Index(string(text), "commit: ")
	if at < 0 {
		return fmt.Errorf("%s has no field commit", file)
	}
	if err := os.WriteFile(file, fmt.Appendf(nil, "%scommit: %q\n", text[:at], value), 0o600); err != nil {
		return err
	}
	if _, err := s.git(ctx, "commit", "--quiet", "--all", "-m", "settings "+value); err != nil {
		return err
	}
	_, err = s.git(ctx, "push", "--quiet", "origin", "HEAD:main")
	return err
}

// settled runs accord wait for the commit that was pushed last, and asks the members themselves for its value as soon as it ends.
func (s *stage) settled(ctx context.Context, value string) error {
	code, out, err := s.waitCommit(ctx)
	if err != nil {
		return err
	}
	if code != 0 {
		return fmt.Errorf("accord wait ended with %d, expected 0:\n%s", code, out)
	}
	return s.has(ctx, value, s.example.members...)
}

// has asks members themselves for the value of the ConfigMap.
func (s *stage) has(ctx context.Context, value string, clusters ...string) error {
	for _, c := range clusters {
		got, err := command(ctx, s.path("bin", "kubectl"), "--kubeconfig", s.configs[c], "get", "configmap", "settings", "-o", "jsonpath={.data.commit}")
		if err != nil {
			return err
		}
		if got != value {
			return fmt.Errorf("the ConfigMap on %s has commit %q, expected %q", c, got, value)
		}
	}
	return nil
}

// lists prints resources of the hub as kubectl does.
func (s *stage) lists(ctx context.Context, resource string) error {
	out, err := s.ask(ctx, "get", resource)
	fmt.Printf("\n   $ kubectl get %s\n", resource)
	for line := range strings.Lines(out) {
		fmt.Print("   " + line)
	}
	return err
}

// read decodes the answer of kubectl against the hub.
func (s *stage) read(ctx context.Context, into any, args ...string) error {
	return decode(ctx, into, s.path("bin", "kubectl"), append(args, "--kubeconfig", s.hub())...)
}

// onMember decodes the answer of kubectl against a member.
func (s *stage) onMember(ctx context.Context, member string, into any, args ...string) error {
	return decode(ctx, into, s.path("bin", "kubectl"), append(args, "--kubeconfig", s.configs[member])...)
}

func decode(ctx context.Context, into any, name string, args ...string) error {
	out, err := command(ctx, name, append(args, "-o", "json")...)
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(out), into)
}
