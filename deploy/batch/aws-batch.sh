#!/bin/bash
# Submits a conversion in parts to AWS Batch, from a machine that has the file system of the jobs at /data: bash aws-batch.sh QUEUE
# Before: aws batch register-job-definition --cli-input-json file://aws-batch.json
set -euo pipefail
queue=$1
parts=$(geomill plan /data/roads.geojsonl /data/roads.csv --parts 8 --work /data/work)
submit() { # NAME COMMAND... ; the job runs after $after
  aws batch submit-job --job-queue "$queue" --job-definition geomill --job-name "$1" --query jobId --output text \
    --container-overrides "command=$2" ${after:+--depends-on "jobId=$after"} ${array:+--array-properties "size=$array"}
}
after=
# An array has at least two jobs; the index of the second of two is within the number of parts that were asked for.
array=$((parts < 2 ? 2 : parts))
for pass in 1 2 3; do
  after=$(submit "geomill-part-$pass" "part,/data/work,--pass,$pass,--quiet")
done
array=
submit geomill-join "join,/data/work,--quiet"
