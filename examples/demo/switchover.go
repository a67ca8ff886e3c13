package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

// stays is the time for which a site must stay as it is.
const stays = 3 * time.Second

// rehearsesSwitch tries the switch on a standby that lacks a storage class and has too small a quota, and again when both are mended.
func (s *stage) rehearsesSwitch(ctx context.Context, at sites) error {
	heading("Rehearsal of the switch")
	quotas := at.standby.CoreV1().ResourceQuotas(shop)
	quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "small"}, Spec: corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{corev1.ResourcePods: resource.MustParse("4")}}}
	quota, err := quotas.Create(ctx, quota, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	quota.Status = corev1.ResourceQuotaStatus{Hard: quota.Spec.Hard, Used: corev1.ResourceList{corev1.ResourcePods: resource.MustParse("0")}} // as its controller counts
	if _, err := quotas.UpdateStatus(ctx, quota, metav1.UpdateOptions{}); err != nil {
		return err
	}
	if err := s.tellOf(ctx, 1, "rehearse", "--check-images=false"); err != nil {
		return err
	}
	class := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "serverless-ssd"}, Provisioner: "example.com/ssd"}
	if _, err := at.standby.StorageV1().StorageClasses().Create(ctx, class, metav1.CreateOptions{}); err != nil {
		return err
	}
	if err := quotas.Delete(ctx, "small", metav1.DeleteOptions{}); err != nil {
		return err
	}
	return s.tellOf(ctx, 0, "rehearse", "--check-images=false")
}

// switchesOver cuts production off, and makes the standby active.
func (s *stage) switchesOver(ctx context.Context, at sites) error {
	heading("Production does not answer any more")
	for _, setting := range [][]string{{"user.name", "Demo"}, {"user.email", "demo@example.com"}} {
		if _, err := s.git(ctx, "config", setting[0], setting[1]); err != nil {
			return err
		}
	}
	s.cut(true, production)
	if err := until(ctx, settle, "the hub to notice", func() (bool, error) {
		ready, err := s.ask(ctx, "get", "federation", "shop", "--namespace", "demo", "-o", `jsonpath={.status.conditions[?(@.type=="Ready")].reason}`)
		return ready == "FetchFailed", err
	}); err != nil {
		return err
	}
	if err := s.tellOf(ctx, 5, "status"); err != nil {
		return err
	}
	if err := s.tellOf(ctx, 2, "switch", "--to", "standby", "--push"); err != nil {
		return err
	}
	begun := time.Now()
	if err := s.tellOf(ctx, 0, "switch", "--to", "standby", "--push", "--production-down"); err != nil {
		return err
	}
	if err := s.available(ctx, at.standby, standby); err != nil {
		return err
	}
	note("the workloads are available on the standby %s after the command", time.Since(begun).Round(10*time.Millisecond))
	return until(ctx, settle, "the traffic", func() (bool, error) {
		ingress, err := at.standby.NetworkingV1().Ingresses(shop).Get(ctx, "web", metav1.GetOptions{})
		if err != nil || ingress.Spec.IngressClassName != nil {
			return false, err
		}
		return true, addressed(ctx, at.standby, ingress)
	})
}

// addressed gives an Ingress an address, as the Ingress controller of a cluster does. The clusters of the demo have none.
func addressed(ctx context.Context, client *kubernetes.Clientset, ingress *networkingv1.Ingress) error {
	ingress.Status.LoadBalancer.Ingress = []networkingv1.IngressLoadBalancerIngress{{IP: "203.0.113.1"}}
	_, err := client.NetworkingV1().Ingresses(shop).UpdateStatus(ctx, ingress, metav1.UpdateOptions{})
	return err
}

// returnsPassive connects production again. The fence that waits for it stops it, and the standby does not follow it.
func (s *stage) returnsPassive(ctx context.Context, at sites) error {
	heading("Production returns and stays passive")
	fencing := make(chan error, 1)
	go func() { fencing <- s.tellOf(ctx, 0, "fence", "--wait") }()
	time.Sleep(stays)
	begun := time.Now()
	s.cut(false, production)
	if err := <-fencing; err != nil {
		return err
	}
	if err := until(ctx, settle, "production to stop", func() (bool, error) {
		pods, err := at.production.CoreV1().Pods(shop).List(ctx, metav1.ListOptions{})
		return err == nil && len(pods.Items) == 0, err
	}); err != nil {
		return err
	}
	note("production runs no pod of the shop %s after it returned", time.Since(begun).Round(10*time.Millisecond))
	if err := setBanner(ctx, at.production, "late"); err != nil {
		return err
	}
	for end := time.Now().Add(stays); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		web, err := at.standby.AppsV1().Deployments(shop).Get(ctx, "web", metav1.GetOptions{})
		if err != nil {
			return err
		}
		settings, err := at.standby.CoreV1().ConfigMaps(shop).Get(ctx, "settings", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if *web.Spec.Replicas != 3 || settings.Data["banner"] == "late" {
			return fmt.Errorf("the active standby follows production: %d replicas, banner=%s", *web.Spec.Replicas, settings.Data["banner"])
		}
	}
	note("for %s the standby kept its replicas and did not take a change of production", stays)
	return nil
}

func setBanner(ctx context.Context, client *kubernetes.Clientset, value string) error {
	_, err := client.CoreV1().ConfigMaps(shop).Patch(ctx, "settings", types.MergePatchType, fmt.Appendf(nil, `{"data":{"banner":%q}}`, value), metav1.PatchOptions{})
	return err
}

// switchesBack makes production active again.
func (s *stage) switchesBack(ctx context.Context, at sites) error {
	heading("Back to production")
	if err := s.tellOf(ctx, 1, "switch", "--back", "--push"); err != nil {
		return err
	}
	note("The late change of production would be new on the standby: nothing was switched.")
	if err := s.tell(ctx, "hold", standby, "--on-hub", "--reason", "to see that production waits"); err != nil {
		return err
	}
	if err := s.tellOf(ctx, 2, "switch", "--back", "--push", "--overwrite", "--timeout", stays.String()); err != nil {
		return err
	}
	if runs, err := replicas(ctx, at.production); err != nil || runs != 0 {
		return fmt.Errorf("production has %d replicas while the standby runs: %w", runs, err)
	}
	note("The standby is held and runs on, so production does not start.")
	begun := time.Now()
	if err := s.tell(ctx, "unhold", standby, "--on-hub"); err != nil {
		return err
	}
	if err := until(ctx, settle, "the standby to stop", func() (bool, error) {
		runs, err := replicas(ctx, at.standby)
		return runs == 0, err
	}); err != nil {
		return err
	}
	if err := s.tellOf(ctx, 0, "fence", "--lift"); err != nil {
		return err
	}
	if err := s.available(ctx, at.production, production); err != nil {
		return err
	}
	note("the workloads are available in production %s after the standby was not held any more", time.Since(begun).Round(10*time.Millisecond))
	if err := arrives(ctx, at, "late"); err != nil {
		return err
	}
	if err := s.passive(ctx, at); err != nil {
		return err
	}
	pods, err := at.standby.CoreV1().Pods(shop).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	running := 0
	for _, p := range pods.Items {
		if p.DeletionTimestamp == nil && p.Status.Phase == corev1.PodRunning {
			running++
		}
	}
	if running > 0 {
		return fmt.Errorf("%d pods run on the standby", running)
	}
	return s.tellOf(ctx, 0, "status")
}

// replicas returns the replicas that a cluster should run.
func replicas(ctx context.Context, client *kubernetes.Clientset) (int32, error) {
	web, err := client.AppsV1().Deployments(shop).Get(ctx, "web", metav1.GetOptions{})
	if err != nil {
		return 0, err
	}
	queue, err := client.AppsV1().StatefulSets(shop).Get(ctx, "queue", metav1.GetOptions{})
	if err != nil {
		return 0, err
	}
	return *web.Spec.Replicas + *queue.Spec.Replicas, nil
}

// tellOf prints what a command of accord dr says, which has to end with a code.
func (s *stage) tellOf(ctx context.Context, code int, args ...string) error {
	shown := append([]string{"dr"}, args...)
	c := exec.CommandContext(ctx, s.path("bin", "accord"), append(shown, "--dir", s.path("work"), "--federation", "demo/shop", "--kubeconfig", s.hub())...)
	c.Dir = s.path("work")
	out, err := c.CombinedOutput()
	fmt.Printf("\n   $ accord %s\n", strings.Join(shown, " "))
	for line := range strings.Lines(string(out)) {
		fmt.Print("   " + line)
	}
	if exit, failed := errors.AsType[*exec.ExitError](err); failed && exit.ExitCode() == code {
		return nil
	} else if err != nil {
		return err
	} else if code != 0 {
		return fmt.Errorf("accord %s ended with 0, expected %d", strings.Join(shown, " "), code)
	}
	return nil
}
