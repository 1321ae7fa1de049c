#!/usr/bin/env bash
# A network by the ranks of a job, 8 at most: sbatch train.sh
#SBATCH --job-name=train
#SBATCH --ntasks=2
#SBATCH --cpus-per-task=1
#SBATCH --time=24:00:00
#SBATCH --signal=B:TERM@120
#SBATCH --requeue
set -euo pipefail
mpirun -n "$SLURM_NTASKS" --bind-to none "${FLORAL:-floral}" train "${DATA:-darcy.zarr}" --method floral \
    --threads "$SLURM_CPUS_PER_TASK" ${SETTINGS:-} -o "${RUN:-runs/darcy}" &
# To a rank of this host, not to mpirun, which would kill all a second later. All ranks stop at the same
# step, with a checkpoint; the job goes on from it when it is submitted again.
trap 'pkill -TERM -P $!' TERM
wait || wait
