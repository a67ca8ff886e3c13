package main

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/cmd/accord/exit"
	"github.com/accord-dev/accord/cmd/accord/interpret"
	"github.com/accord-dev/accord/cmd/accord/text"
)

const interpretLong = `Try what is known about kinds on sample objects, without any cluster.

FILE has ResourceInterpreterCustomizations; --federation names a manifest of a Federation, whose healthCheckExprs are
tried. The first line is the verdict; then, for every sample, what each operation made of it, and the health that accord
concludes. Scripts run as in the controllers: nothing outside can be reached, and work and memory are bounded.

Operation               Function          Sample
retention               Retain            --desired and --observed
replicaResource         GetReplicas       --desired (this and all below: else --observed)
componentResource       GetComponents     --desired
replicaRevision         ReviseReplica     --desired, --replicas
statusReflection        ReflectStatus     --observed
statusAggregation       AggregateStatus   --desired, --items: a list of {clusterName, status, current, applied,
                                          appliedMessage, health}; default: the reflected status of --observed
healthInterpretation    InterpretHealth   --observed
dependencyInterpretation GetDependencies  --desired

A sample file has one or several objects, as "kubectl get -o yaml" prints them; those of the same name in both files are
one sample. An object of a kind that nothing is said about is an error. With --check nothing is run: every script is
compiled and must define its function, every expression must be CEL, and no two may say the same of one kind.

Exit codes: 0 no errors, 1 a mistake or a script that fails, 2 usage error or an error of accord itself.`

type interpretFlags struct {
	output                       text.FormatFlag
	desired, observed            string
	replicas                     int32
	items, federation, knowledge string
	check                        bool
}

func interpretCommand() *cobra.Command {
	f := &interpretFlags{}
	c := &cobra.Command{
		Use:   "interpret [FILE]",
		Short: "Try what is known about kinds on sample objects, without any cluster",
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
	flags.StringVar(&f.desired, "desired", "", "file with objects as they are in Git")
	flags.StringVar(&f.observed, "observed", "", "file with live objects")
	flags.Int32Var(&f.replicas, "replicas", 1, "replicas that ReviseReplica is to set")
	flags.StringVar(&f.items, "items", "", "file with the status of each cluster, for AggregateStatus")
	flags.StringVarP(&f.federation, "federation", "f", "", "manifest of a Federation, whose healthCheckExprs count too")
	flags.BoolVar(&f.check, "check", false, "only look for mistakes, and run nothing")
	for _, sample := range []string{"desired", "observed", "replicas", "items"} {
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
