package members

// access is part of the help of all commands that reach members.
const access = `The hub forwards the requests to the cluster: it needs the right to get and create clusters/proxy in the group cluster.karmada.io for
you. The cluster decides with the rights of your user there, and accord must be allowed to act for you (--impersonate-user of
"accord join" and "accord register"). A cluster in pull mode is reached through the tunnel of its agent.`

const anyLong = `The flags and the output are those of kubectl. Without --operation-scope and without a cluster the command acts on the hub.

` + access

const containerLong = `The flags are those of kubectl. Without --cluster accord looks for the pod or object on all clusters, and acts if exactly one has it.

` + access + `

The output of the container is passed on unchanged, with its control characters.`

const execLong = `The exit code is that of the command.

` + containerLong

const logsLong = `On several clusters, each line begins with the name of its cluster, and --follow mixes the
lines as they arrive. A cluster that fails does not end the others; accord prints its error at the end and exits with 1.

` + containerLong

const getLong = `Each kind of accord has a table of its own, which accord prints from the hub:

  clusters, federations, releases, deliveries, objects, tenants, policies

Every other kind, and every use of --operation-scope, --clusters or a flag that is kubectl's alone, is "kubectl get" with its flags and
output. Without --operation-scope and without a cluster it reads the hub. With "members" it reads all clusters, or those of --clusters,
as if they were one: the table has the cluster after the name, and last in ADOPTION whether accord delivered the object (Y), somebody
else made it (N), or it is on the hub (-). Pods show ADOPTION with -o wide. Objects of -o yaml, json and of other formats have the
annotation resource.karmada.io/cached-from-cluster. --watch mixes the events of all clusters.

accord prints the answers of the clusters that answer, then an error for each of the others, and exits with 1. A cluster that is not Ready
has 5 seconds to answer. A named object that only some clusters have is no error.

Of the tables of accord: clusters begins with the verdict on the fleet; a cluster that is being deleted is Leaving. federations is followed
by the objects that were left on removed clusters. policies are not objects of the hub: they are the policies that claim an object in an
active plan, "namespace/name" or, cluster-wide, "name". APPLIED, HEALTHY and HELD count every object on every cluster that was
chosen for it, OBSERVED the objects that all of these clusters run as decided. Policies that claim nothing are not listed;
"accord lint" reports them.

-o yaml and -o json accept several of these kinds, separated by commas. "accord plan --fleet-file" reads the output of
"accord get clusters,objects -o yaml" where the hub is not accessible. With deliveries and releases, the plan also knows which
clusters are behind or unreachable. The output has no credentials and no digests of Secrets.

` + access

const getExample = `  accord get clusters
  accord get releases -n shop -o wide
  accord get policies shop/web
  accord get clusters,objects -o yaml > facts.yaml
  accord get pods -l app=web -s members
  accord get deployments -A -C eu-1,us-1 -w`

const writeLong = `The flags and the output are those of kubectl. Without --operation-scope and without a cluster the command writes to the hub. To write
to members, name them with --clusters, or set --all-clusters. On several clusters each line begins with the name of its cluster.

accord refuses to change an object of a member that it delivers from Git, and names the file to change. --force-drift changes
the object all the same; accord repairs it later.

` + access

const applyLong = `Federations and Tenants belong on the hub. Workloads belong into Git: the controllers deliver
them. "accord deliver" delivers a repository without a hub.

` + writeLong

const topLong = `The flags are those of kubectl. The clusters need the metrics API (metrics-server). The table has the rows of all clusters, or those of
--clusters; --sort-by sorts them as one table. accord prints the error of a cluster that fails after the table, and exits with 1.

` + access
