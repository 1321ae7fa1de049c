#!/usr/bin/env bash
# A dataset by the ranks of a job: sbatch generate.sh
#SBATCH --job-name=generate
#SBATCH --ntasks=2
#SBATCH --cpus-per-task=1
#SBATCH --time=04:00:00
#SBATCH --signal=B:TERM@120
#SBATCH --requeue
set -euo pipefail
mpirun -n "$SLURM_NTASKS" --bind-to none "${FLORAL:-floral}" generate darcy --inputs "${INPUTS:-2000}" \
    --threads "$SLURM_CPUS_PER_TASK" -o "${DATA:-darcy.zarr}" &
# To a rank of this host, not to mpirun, which would kill all a second later. What is stored stays; the job
# goes on from it when it is submitted again.
trap 'pkill -TERM -P $!' TERM
wait || wait
