package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// installedObjects returns the objects that "accord install" prints for a namespace, with the right to register clusters, in the order in
// which they are applied.
func installedObjects(namespace string) ([]*unstructured.Unstructured, error) {
	var stream bytes.Buffer
	install := installCommand()
	install.SetArgs([]string{"--namespace", namespace, "--register-clusters"})
	install.SetOut(&stream)
	install.SilenceUsage, install.SilenceErrors = true, true
	if err := install.Execute(); err != nil {
		return nil, err
	}
	var all []*unstructured.Unstructured
	for decoder := yaml.NewYAMLOrJSONDecoder(&stream, 4096); ; {
		u := &unstructured.Unstructured{}
		switch err := decoder.Decode(&u.Object); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("decoding the built-in manifests: %w", err)
		case len(u.Object) > 0:
			all = append(all, u)
		}
	}
}

// controllerRules returns the rights in all namespaces that the controllers always need.
func controllerRules(namespace string) ([]rbacv1.PolicyRule, error) {
	all, err := installedObjects(namespace)
	if err != nil {
		return nil, err
	}
	for _, u := range all {
		if u.GetKind() == "ClusterRole" && u.GetName() == "accord" {
			role := &rbacv1.ClusterRole{}
			return role.Rules, runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, role)
		}
	}
	return nil, errors.New("the built-in manifests have no ClusterRole accord")
}
