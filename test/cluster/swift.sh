#!/usr/bin/env bash
# OpenStack Swift with its S3 API on one machine, for tests: swift.sh DIRECTORY PORT. Needs root and the Debian packages swift, swift-proxy,
# swift-account, swift-container, swift-object, memcached and curl, and a file system with extended attributes. Runs until it is ended.
set -euo pipefail
directory=$1
port=$2
user=$(stat -c %U "$directory")
mkdir -p "$directory/devices/d1"
cd "$directory"

cat >swift.conf <<'CONF'
[swift-hash]
swift_hash_path_prefix = test
swift_hash_path_suffix = test
[storage-policy:0]
name = one
default = yes
CONF

cat >proxy.conf <<CONF
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = $port
workers = 2
user = $user
swift_dir = $directory
[pipeline:main]
pipeline = catch_errors proxy-logging cache listing_formats bulk s3api tempauth slo dlo proxy-logging proxy-server
[app:proxy-server]
use = egg:swift#proxy
allow_account_management = true
account_autocreate = true
[filter:tempauth]
use = egg:swift#tempauth
user_geomill_tests = swift-secret .admin
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
max_upload_part_num = 10000
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:$((port + 4))
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:proxy-logging]
use = egg:swift#proxy_logging
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:bulk]
use = egg:swift#bulk
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
CONF

storage() {
  cat >"$1.conf" <<CONF
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = $2
workers = 1
user = $user
swift_dir = $directory
devices = $directory/devices
mount_check = false
[pipeline:main]
pipeline = $1-server
[app:$1-server]
use = egg:swift#$1
CONF
  # One replica in 2^4 partitions on one device.
  swift-ring-builder "$1.builder" create 4 1 0
  swift-ring-builder "$1.builder" add --region 1 --zone 1 --ip 127.0.0.1 --port "$2" --device d1 --weight 1
  swift-ring-builder "$1.builder" rebalance
}
storage object $((port + 1))
storage container $((port + 2))
storage account $((port + 3))

export SWIFT_DIR=$directory
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
trap exit INT TERM
memcached -u "$user" -l 127.0.0.1 -p $((port + 4)) &
for server in object container account proxy; do
  "swift-$server-server" "$server.conf" &
done

# The bucket of the tests, by Swift's own API.
until curl -sf "http://127.0.0.1:$port/info" >/dev/null; do sleep 1; done
login=$(curl -sfi -H 'X-Storage-User: geomill:tests' -H 'X-Storage-Pass: swift-secret' "http://127.0.0.1:$port/auth/v1.0" | tr -d '\r')
header() { sed -n "s/^$1: //Ip" <<<"$login"; }
curl -sf -X PUT -H "X-Auth-Token: $(header X-Auth-Token)" "$(header X-Storage-Url)/geodata"
echo "ready: TEST_S3_PORT=$port TEST_S3_KEY_ID=geomill:tests TEST_S3_SECRET=swift-secret"
wait
