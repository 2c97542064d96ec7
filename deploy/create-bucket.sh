# Creates the bucket S3_BUCKET on the server S3_ENDPOINT if it does not exist. Needs curl 7.85 or newer.
set -eu

# SHA-256 of an empty body.
empty=e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855

request() {
  # The secret is read from a pipe: arguments can be seen by other users.
  printf 'user = "%s:%s"\n' "$S3_ACCESS_KEY" "$S3_SECRET_KEY" |
    curl --config - --silent --show-error --output /dev/null --write-out '%{http_code}' \
      --aws-sigv4 "aws:amz:$S3_REGION:s3" --header "x-amz-content-sha256: $empty" "$@" "$S3_ENDPOINT/$S3_BUCKET"
}

if [ "$(request --head)" = 200 ]; then
  echo "the bucket $S3_BUCKET exists"
  exit 0
fi
status=$(request --request PUT)
if [ "$status" != 200 ]; then
  echo "the bucket $S3_BUCKET could not be created: $S3_ENDPOINT answered $status" >&2
  exit 1
fi
echo "created the bucket $S3_BUCKET"
