"""Runs a conversion in parts with Ray: python3 ray_parts.py IN OUT PARTS WORK

All nodes need geomill and the directories of all files. Parts that end with 75 are repeated, and so are those of nodes that died.
"""
import subprocess
import sys

import ray

PASSES = 3  # At most; a pass that is not needed does nothing.
TRY_AGAIN = 75


@ray.remote(num_cpus=1, max_retries=3, retry_exceptions=[OSError])
def run_part(work, number, index):
    command = ["geomill", "part", work, "--pass", str(number), "--index", str(index), "--quiet"]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    if done.returncode == TRY_AGAIN:
        raise OSError(done.stderr)
    # A result, so that Ray does not repeat what fails again.
    return done.returncode, done.stderr


source, target, parts, work = sys.argv[1:]
planned = subprocess.run(
    ["geomill", "plan", source, target, "--parts", parts, "--work", work], stdout=subprocess.PIPE, text=True, check=True
)
ray.init()
for number in range(1, PASSES + 1):
    for status, message in ray.get([run_part.remote(work, number, i) for i in range(int(planned.stdout))]):
        if status != 0:
            sys.exit(message)
sys.exit(subprocess.run(["geomill", "join", work]).returncode)
