#!/bin/sh
# Runs a conversion in parts with GNU parallel, one for each core: sh SCRIPT
set -eu
parts=$(geomill plan roads.geojsonl roads.csv --parts 8 --work work)
for pass in 1 2 3; do
  seq 0 $((parts - 1)) | parallel --quote --retries 3 --halt soon,fail=1 geomill part work --pass "$pass" --quiet --threads 1 --index
done
geomill join work
