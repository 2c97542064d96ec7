#!/bin/bash
# Submits a conversion in parts; run it on a login node: bash SCRIPT
# The nodes must share the directories of all files. A part that ends with 75 is requeued; 65 and 78 end the conversion.
set -euo pipefail
parts=$(geomill plan roads.geojsonl roads.csv --parts 8 --work work)
part=$(cat <<'COMMAND'
geomill part work --pass "$GEOMILL_PASS" --quiet || {
  status=$?
  if [ $status = 75 ] && [ "${SLURM_RESTART_COUNT:-0}" -lt 3 ]; then scontrol requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}"; fi
  exit $status
}
COMMAND
)
after=
for pass in 1 2 3; do
  job=$(sbatch --parsable --requeue --job-name=geomill-part --array="0-$((parts - 1))%20" \
    --cpus-per-task=1 --mem=2G $after --export="ALL,GEOMILL_PASS=$pass" --wrap "$part")
  after="--dependency=afterok:${job%%;*} --kill-on-invalid-dep=yes"
done
sbatch --job-name=geomill-join --cpus-per-task=1 --mem=2G $after --wrap 'geomill join work'
