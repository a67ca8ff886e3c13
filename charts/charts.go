// Package charts has the Helm charts of accord and of its agent, and renders their templates without Helm for "accord install" and
// "accord register". "make release" packages the charts; that of accord with the CustomResourceDefinitions and admission policies of api/.
package charts
