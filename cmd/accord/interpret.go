package main

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/cmd/accord/exit"
	"github.com/accord-dev/accord/cmd/accord/interpret"
	"github.com/accord-dev/accord/cmd/accord/text"
)

const interpretLong = `Run customizations of kinds on sample objects, without any cluster.

FILE has ResourceInterpreterCustomizations; --federation names the manifest of a Federation with healthCheckExprs. The first line
is the verdict. The results of each operation follow for every sample, and the health that accord computes. Scripts run as in the
controllers: they have no access to anything outside, and their work and memory are limited.

Operation               Function          Sample
retention               Retain            --desired and --observed
replicaResource         GetReplicas       --desired (this and all below: else --observed)
componentResource       GetComponents     --desired
replicaRevision         ReviseReplica     --desired, --replicas
statusReflection        ReflectStatus     --observed
statusAggregation       AggregateStatus   --desired, --items: a list of {clusterName, status, current, applied, appliedMessage,
                                          health}; without it one entry, with the reflected status of --observed
healthInterpretation    InterpretHealth   --observed
dependencyInterpretation GetDependencies  --desired

A sample file has one or several objects, as "kubectl get -o yaml" prints them. Objects of the same name in both files are one
sample. An object of a kind without rules is an error. With --check nothing runs: every script is compiled and must define its
function, every expression must be CEL, and each kind must have at most one rule for an operation.

Exit codes: 0 no errors, 1 a mistake or a script that fails, 2 usage error or an error of accord itself.`

type interpretFlags struct {
	output                       text.FormatFlag
	desired, observed            string
	replicas                     int32
	items, federation, knowledge string
	operation                    string
	check                        bool
}

func interpretCommand() *cobra.Command {
	f := &interpretFlags{}
	c := &cobra.Command{
		Use:   "interpret [FILE]",
		Short: "Run customizations of kinds on sample objects",
		Long:  interpretLong,
		Example: `  accord interpret rollout.yaml --check
  kubectl get rollout web -o yaml > live.yaml
  accord interpret rollout.yaml --desired apps/web.yaml --observed live.yaml --replicas 3
  accord interpret --federation prod.yaml --observed live.yaml -o json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			f.knowledge = text.First(args)
			return f.run(c.OutOrStdout())
		},
	}
	flags := c.Flags()
	f.output.Register(flags, text.AsText, text.AsJSON)
	flags.StringVar(&f.desired, "desired", "", "file with the objects of Git")
	flags.StringVar(&f.observed, "observed", "", "file with live objects")
	flags.Int32Var(&f.replicas, "replicas", 1, "replicas for ReviseReplica")
	flags.StringVar(&f.items, "items", "", "file with the status of each cluster, for AggregateStatus")
	flags.StringVarP(&f.federation, "federation", "f", "", "manifest of a Federation with healthCheckExprs")
	flags.StringVar(&f.operation, "operation", "", "run this operation only; Karmada's names are accepted, too")
	flags.BoolVar(&f.check, "check", false, "check the rules without running them")
	for _, sample := range []string{"desired", "observed", "replicas", "items", "operation"} {
		c.MarkFlagsMutuallyExclusive("check", sample)
	}
	return c
}

func (f *interpretFlags) run(out io.Writer) error {
	switch {
	case f.knowledge == "" && f.federation == "":
		return errors.New("specify a file with ResourceInterpreterCustomizations, or --federation")
	case !f.check && f.desired == "" && f.observed == "":
		return errors.New("specify samples with --desired or --observed, or use --check")
	}
	k, err := interpret.Read(f.knowledge, f.federation)
	if err != nil {
		return err
	}
	if f.operation != "" {
		if err := k.Only(f.operation); err != nil {
			return err
		}
	}
	report := k.Check()
	if !f.check {
		if report, err = f.try(k); err != nil {
			return err
		}
	}
	if err := report.Write(out, f.output.Value); err != nil {
		return err
	}
	if report.Errors > 0 {
		return &exit.Error{Code: 1}
	}
	return nil
}

// try runs the rules on the samples.
func (f *interpretFlags) try(k *interpret.Rules) (*interpret.Report, error) {
	samples, err := k.Samples(f.desired, f.observed)
	if err != nil {
		return nil, err
	}
	items, err := interpret.ReadItems(f.items)
	if err != nil {
		return nil, err
	}
	return k.Run(samples, f.replicas, items), nil
}
