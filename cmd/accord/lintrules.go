package main

import "github.com/accord-dev/accord/propagate/check"

// codeInvalid is what a manifest is told that cannot be read.
const codeInvalid = "invalid"

// lintRules are all there are.
func lintRules() []check.Check { return check.All() }
