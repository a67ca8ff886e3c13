// Package english keeps kubectl's texts in English, the language of accord's own texts.
//
// kubectl translates a text when its packages start, and reads all translations before the first one, which takes a sixth of the CPU time of a
// short command. This package sets the way to read them before that: a program starts its packages in the order of their import paths, each
// after the packages that it imports, and kubectl's commands come after this package in that order.
package english

import "k8s.io/kubectl/pkg/util/i18n"

func init() {
	if err := i18n.SetLoadTranslationsFunc(func() error { return nil }); err != nil {
		panic(err) // the translations were read before: the order above no longer holds
	}
}
