package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/accord-dev/accord/reconciler/registration/request"
)

// registering is the number of members that register at once.
const registering = 8

// register requests a certificate for the agent of each member with one token, as "accord register" does.
func (r *agentsRound) register(ctx context.Context) error {
	token, err := r.token(ctx)
	if err != nil {
		return err
	}
	if err := os.Mkdir(r.kubeconfigs(), 0o700); err != nil {
		return err
	}
	hub := r.hub.configs[hubName]
	c, err := kubernetes.NewForConfig(&rest.Config{Host: hub.Host, TLSClientConfig: rest.TLSClientConfig{CAData: hub.CAData}, BearerToken: token, QPS: -1})
	if err != nil {
		return err
	}
	begun := time.Now()
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(registering)
	for name := range r.members.kubeconfigs {
		all.Go(func() error { return r.certify(ctx, c, hub, name) })
	}
	if err := all.Wait(); err != nil {
		return err
	}
	r.points.registered = time.Since(begun)
	r.say("registered after %s", milliseconds(r.points.registered))
	return nil
}

// token returns one that registers all members.
func (r *agentsRound) token(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, r.accord, "token", "create", "--kubeconfig", r.hub.kubeconfigs[hubName], "--uses", strconv.Itoa(r.figures.members), "--print-register-command").Output()
	if err != nil {
		return "", fmt.Errorf("accord token create: %w", err)
	}
	words := strings.Fields(string(out))
	i := slices.Index(words, "--token")
	if i < 0 || i+1 == len(words) {
		return "", errors.New("accord token create printed no token")
	}
	return words[i+1], nil
}

// certify writes the kubeconfig of one agent.
func (r *agentsRound) certify(ctx context.Context, c *kubernetes.Clientset, hub *rest.Config, name string) error {
	wanted, key, err := request.New(rand.Reader, name, "")
	if err != nil {
		return err
	}
	requests := c.CertificatesV1().CertificateSigningRequests()
	sent, err := requests.Create(ctx, wanted, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("registering %s: %w", name, err)
	}
	err = wait.PollUntilContextCancel(ctx, 200*time.Millisecond, false, func(ctx context.Context) (bool, error) {
		sent, err = requests.Get(ctx, sent.Name, metav1.GetOptions{})
		return err == nil && len(sent.Status.Certificate) > 0, err
	})
	if err != nil {
		return fmt.Errorf("registering %s: %w", name, err)
	}
	return clientcmd.WriteToFile(api.Config{
		Clusters:       map[string]*api.Cluster{hubName: {Server: hub.Host, CertificateAuthorityData: hub.CAData}},
		AuthInfos:      map[string]*api.AuthInfo{name: {ClientCertificateData: sent.Status.Certificate, ClientKeyData: key}},
		Contexts:       map[string]*api.Context{hubName: {Cluster: hubName, AuthInfo: name}},
		CurrentContext: hubName,
	}, filepath.Join(r.kubeconfigs(), name))
}

func (r *agentsRound) kubeconfigs() string { return filepath.Join(r.dir, asAgents) }

// startAgents starts all agents: some as the program that runs on clusters, the others in one process.
func (r *agentsRound) startAgents() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	names := r.names()
	alone := min(r.processes, len(names))
	for _, name := range names[:alone] {
		p, err := spawn(r.dir, "agent-"+name, filepath.Join(r.programs, "accord-agent"), "--cluster", name, "--log-level", "error", "--namespace", "",
			"--hub-kubeconfig", filepath.Join(r.kubeconfigs(), name), "--kubeconfig", r.members.kubeconfigs[name])
		if err != nil {
			return err
		}
		r.agents = append(r.agents, p)
	}
	if alone == len(names) {
		return nil
	}
	p, err := spawn(r.dir, asAgents, self, append([]string{asAgents, "--hub", r.kubeconfigs()}, r.memberFlags(names[alone:])...)...)
	if err == nil {
		r.agents = append(r.agents, p)
	}
	return err
}

func (r *agentsRound) names() []string { return slices.Sorted(maps.Keys(r.members.kubeconfigs)) }

// memberFlags are those of manyAgents about some members.
func (r *agentsRound) memberFlags(names []string) []string {
	return []string{"--members", filepath.Join(r.dir, asMembers), "--names", strings.Join(names, ",")}
}
