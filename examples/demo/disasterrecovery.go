package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	policyapi "github.com/accord-dev/accord/api/policy"
)

const (
	production = "production"
	standby    = "standby"
	// shop is the namespace of the workloads.
	shop = "shop"
	// changesMeasured is the number of changes in production whose way to the standby is measured.
	changesMeasured = 5
)

// sites are clients of the two clusters, past the hub and its network.
type sites struct{ production, standby *kubernetes.Clientset }

func (s *stage) sites() (all sites, err error) {
	for name, client := range map[string]**kubernetes.Clientset{production: &all.production, standby: &all.standby} {
		cfg, err := clientcmd.BuildConfigFromFlags("", s.configs[name])
		if err != nil {
			return sites{}, err
		}
		if *client, err = kubernetes.NewForConfig(cfg); err != nil {
			return sites{}, err
		}
	}
	return all, nil
}

// disasterRecovery plays the example of that name.
func (s *stage) disasterRecovery(ctx context.Context) error {
	at, err := s.sites()
	if err != nil {
		return err
	}
	for _, act := range []func(context.Context, sites) error{s.fillsProduction, s.imports, s.synchronises, s.followsChanges, s.rehearsesSwitch, s.switchesOver, s.returnsPassive, s.switchesBack} {
		if err := act(ctx, at); err != nil {
			return err
		}
	}
	return nil
}

// fillsProduction creates the objects of production, which are not in Git.
func (s *stage) fillsProduction(ctx context.Context, at sites) error {
	heading("Production runs: kubectl apply on %s", production)
	if _, err := command(ctx, s.path("bin", "kubectl"), "--kubeconfig", s.configs[production], "apply", "-f", filepath.Join("examples", s.example.name, "production")); err != nil {
		return err
	}
	if err := binds(ctx, at.production, "volume-of-production"); err != nil {
		return err
	}
	return s.available(ctx, at.production, production)
}

// binds binds the PersistentVolumeClaim as the storage of a cluster does, as soon as it is there. The clusters of the demo have none.
func binds(ctx context.Context, client *kubernetes.Clientset, volume string) error {
	claims := client.CoreV1().PersistentVolumeClaims(shop)
	return until(ctx, settle, "the PersistentVolumeClaim", func() (bool, error) {
		claim, err := claims.Get(ctx, "uploads", metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return false, nil
		} else if err != nil {
			return false, err
		}
		claim.Spec.VolumeName = volume
		if claim, err = claims.Update(ctx, claim, metav1.UpdateOptions{}); apierrors.IsConflict(err) {
			return false, nil
		} else if err != nil {
			return false, err
		}
		claim.Status.Phase = corev1.ClaimBound
		_, err = claims.UpdateStatus(ctx, claim, metav1.UpdateOptions{})
		return err == nil, err
	})
}

// available waits until all workloads of a cluster have their replicas.
func (s *stage) available(ctx context.Context, client *kubernetes.Clientset, name string) error {
	begun := time.Now()
	err := until(ctx, settle, "the workloads on "+name, func() (bool, error) {
		web, err := client.AppsV1().Deployments(shop).Get(ctx, "web", metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		queue, err := client.AppsV1().StatefulSets(shop).Get(ctx, "queue", metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		return web.Status.AvailableReplicas == 3 && queue.Status.AvailableReplicas == 2, nil
	})
	if err == nil {
		note("%s: web has 3 and queue 2 available replicas after %s", name, time.Since(begun).Round(10*time.Millisecond))
	}
	return err
}

// imports writes manifests of production, and compares them with it. They show which objects there are; the Federation reads production
// itself.
func (s *stage) imports(ctx context.Context, _ sites) error {
	heading("Inventory of production: accord import")
	inventory := func(more ...string) (string, error) {
		c := exec.CommandContext(ctx, s.path("bin", "accord"), append([]string{"import", "-n", shop, "--out", s.path("import")}, more...)...)
		c.Env = append(os.Environ(), "KUBECONFIG="+s.configs[production])
		out, err := c.CombinedOutput()
		return string(out), err
	}
	for _, more := range [][]string{nil, {"--verify"}} {
		out, err := inventory(more...)
		if err != nil {
			return fmt.Errorf("accord import %v: %w\n%s", more, err, out)
		}
		lines := strings.Split(strings.TrimSpace(out), "\n")
		note("%s", lines[len(lines)-1])
	}
	return nil
}

// synchronises pushes the policies, and checks every rule of the example on the standby.
func (s *stage) synchronises(ctx context.Context, at sites) error {
	begun := time.Now()
	if _, err := s.push(ctx, "policies", "policies for a standby", "The policies are in Git; the objects come from production."); err != nil {
		return err
	}
	if err := binds(ctx, at.standby, "volume-of-the-standby"); err != nil {
		return err
	}
	if err := s.waited(ctx, 0); err != nil {
		return err
	}
	note("the standby has the objects %s after the push", time.Since(begun).Round(10*time.Millisecond))
	return s.passive(ctx, at)
}

// passive checks that the standby has the objects of production as the policies change them, and runs nothing.
func (s *stage) passive(ctx context.Context, at sites) error {
	web, err := at.standby.AppsV1().Deployments(shop).Get(ctx, "web", metav1.GetOptions{})
	if err != nil {
		return err
	}
	queue, err := at.standby.AppsV1().StatefulSets(shop).Get(ctx, "queue", metav1.GetOptions{})
	if err != nil {
		return err
	}
	report, err := at.standby.BatchV1().CronJobs(shop).Get(ctx, "report", metav1.GetOptions{})
	if err != nil {
		return err
	}
	uploads, err := at.standby.CoreV1().PersistentVolumeClaims(shop).Get(ctx, "uploads", metav1.GetOptions{})
	if err != nil {
		return err
	}
	settings, err := at.standby.CoreV1().ConfigMaps(shop).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	ingress, err := at.standby.NetworkingV1().Ingresses(shop).Get(ctx, "web", metav1.GetOptions{})
	if err != nil {
		return err
	}
	skipped, err := at.standby.CoreV1().Namespaces().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, c := range []struct {
		rule string
		ok   bool
	}{
		{"web and queue have 0 replicas, and keep those of production in an annotation",
			*web.Spec.Replicas+*queue.Spec.Replicas == 0 && web.Annotations[policyapi.ReplicasAnnotation] == "3" && queue.Annotations[policyapi.ReplicasAnnotation] == "2"},
		{"report is suspended", report.Spec.Suspend != nil && *report.Spec.Suspend},
		{"the pods of web, which had no annotation, get that of the serverless cluster", serverless(web.Spec.Template)},
		{"the pods of queue keep theirs", serverless(queue.Spec.Template) && queue.Spec.Template.Annotations["prometheus.io/scrape"] == "true"},
		{"the PersistentVolumeClaim has the storage class and the volume of the standby", *uploads.Spec.StorageClassName == "serverless-ssd" && uploads.Spec.VolumeName == "volume-of-the-standby"},
		{"the Ingress has a class that no Ingress controller serves", hasClass(ingress, "none")},
		{"the ConfigMap with 253 characters in its name is there", hasName(settings, func(name string) bool { return len(name) == 253 })},
		{"the ConfigMap with the label dr=no is not", !hasName(settings, func(name string) bool { return name == "scratch" })},
		{"the skipped namespaces are not", !hasNamespace(skipped, "velero") && !hasNamespace(skipped, "prometheus")},
	} {
		if !c.ok {
			return fmt.Errorf("on the standby it is not true that %s", c.rule)
		}
		note("%s", c.rule)
	}
	return nil
}

func serverless(pod corev1.PodTemplateSpec) bool {
	return pod.Annotations["eks.tke.cloud.tencent.com/cpu-type"] == "intel" && len(pod.Spec.Tolerations) == 1
}

func hasClass(i *networkingv1.Ingress, class string) bool {
	return i.Spec.IngressClassName != nil && *i.Spec.IngressClassName == class
}

func hasName(list *corev1.ConfigMapList, is func(string) bool) bool {
	for _, m := range list.Items {
		if is(m.Name) {
			return true
		}
	}
	return false
}

func hasNamespace(list *corev1.NamespaceList, name string) bool {
	for _, n := range list.Items {
		if n.Name == name {
			return true
		}
	}
	return false
}

// followsChanges changes production and measures when the standby has the change.
func (s *stage) followsChanges(ctx context.Context, at sites) error {
	heading("Changes in production")
	var slowest time.Duration
	for i := range changesMeasured {
		value := fmt.Sprintf("sale-%d", i+1)
		begun := time.Now()
		if err := setBanner(ctx, at.production, value); err != nil {
			return err
		}
		if err := arrives(ctx, at, value); err != nil {
			return err
		}
		took := time.Since(begun)
		slowest = max(slowest, took)
		note("settings: banner=%s is on the standby after %s", value, took.Round(time.Millisecond))
	}
	note("the slowest of %d changes took %s", changesMeasured, slowest.Round(time.Millisecond))
	if err := s.tellOf(ctx, 0, "status"); err != nil {
		return err
	}
	services, err := nodePorts(ctx, at)
	if err != nil {
		return err
	}
	note("clusterIP and nodePort of the Service web belong to each cluster: %s", services)
	return nil
}

// arrives waits until the standby has a value of the ConfigMap settings.
func arrives(ctx context.Context, at sites, value string) error {
	found, err := at.standby.CoreV1().ConfigMaps(shop).Get(ctx, "settings", metav1.GetOptions{})
	if err != nil || found.Data["banner"] == value {
		return err
	}
	watched, err := at.standby.CoreV1().ConfigMaps(shop).Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=settings", ResourceVersion: found.ResourceVersion})
	if err != nil {
		return err
	}
	defer watched.Stop()
	limit := time.After(settle)
	for {
		select {
		case e := <-watched.ResultChan():
			if m, ok := e.Object.(*corev1.ConfigMap); ok && m.Data["banner"] == value {
				return nil
			} else if e.Object == nil {
				return errors.New("the watch of the standby ended")
			}
		case <-limit:
			return fmt.Errorf("the standby does not have banner=%s after %s", value, settle)
		}
	}
}

// nodePorts compares the fields of a Service that each cluster assigns.
func nodePorts(ctx context.Context, at sites) (string, error) {
	there, err := at.production.CoreV1().Services(shop).Get(ctx, "web", metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	here, err := at.standby.CoreV1().Services(shop).Get(ctx, "web", metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s:%d on production, %s:%d on the standby", there.Spec.ClusterIP, there.Spec.Ports[0].NodePort, here.Spec.ClusterIP, here.Spec.Ports[0].NodePort), nil
}
