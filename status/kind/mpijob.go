package kind

// mpiJob is not followed to what its pods refer to, as in Karmada §6.16.
var mpiJob = trainingJob(nil)
