#!/usr/bin/env bash
# Cells of a table, a method a task of an array, each in a folder of its own: sbatch cells.sh
#SBATCH --job-name=cells
#SBATCH --array=0-1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --time=24:00:00
set -euo pipefail
METHODS=(kriging floral-kl)
METHOD="${METHODS[$SLURM_ARRAY_TASK_ID]}"
"${FLORAL:-floral}" reproduce table1 --scale "${SCALE:-recommended}" --only "${ONLY:-1dcr}" --methods "$METHOD" \
    --threads "$SLURM_CPUS_PER_TASK" -o "${RESULTS:-reproduce}/$METHOD"
