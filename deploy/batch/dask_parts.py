"""Runs a conversion in parts with Dask: python3 dask_parts.py SCHEDULER IN OUT PARTS WORK

All workers need geomill and the directories of all files. Parts that end with 75 are repeated, and so are those of workers that died.
"""
import subprocess
import sys

from dask.distributed import Client

PASSES = 3  # At most; a pass that is not needed does nothing.
TRY_AGAIN = 75


def run_part(work, number, index):
    command = ["geomill", "part", work, "--pass", str(number), "--index", str(index), "--quiet"]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    if done.returncode == TRY_AGAIN:
        raise OSError(done.stderr)
    # A result, so that Dask does not repeat what fails again.
    return done.returncode, done.stderr


scheduler, source, target, parts, work = sys.argv[1:]
planned = subprocess.run(
    ["geomill", "plan", source, target, "--parts", parts, "--work", work], stdout=subprocess.PIPE, text=True, check=True
)
with Client(scheduler) as client:
    for number in range(1, PASSES + 1):
        tasks = [client.submit(run_part, work, number, i, retries=3, pure=False) for i in range(int(planned.stdout))]
        for status, message in client.gather(tasks):
            if status != 0:
                sys.exit(message)
sys.exit(subprocess.run(["geomill", "join", work]).returncode)
