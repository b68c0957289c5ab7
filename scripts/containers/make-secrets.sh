#!/bin/sh
# Creates the secrets that compose.yaml passes to its containers: passwords of the role that owns the database and of the
# role of the service, the database URLs, and a key that signs tokens. Run it once, after "docker compose build".
#
#   scripts/containers/make-secrets.sh [DIRECTORY]     default ./secrets; the directory must not exist
set -eu

directory=${1:-secrets}
if [ -e "$directory" ]; then
  echo "$directory already exists; nothing was changed. New secrets would not match the passwords in the database." >&2
  exit 1
fi

umask 077
unfinished=$(mktemp -d "$directory.XXXXXX")
trap 'rm -rf "$unfinished"' EXIT

make_password() { od -A n -N 24 -t x1 /dev/urandom | tr -d ' \n'; }
owner=$(make_password)
printf %s "$owner" > "$unfinished/database_password"
printf %s "postgresql://chapter:$owner@database:5432/chapter" > "$unfinished/owner_database_url"
service=$(make_password)
echo "create role chapter_service login password '$service';" > "$unfinished/service_role.sql"
printf %s "postgresql://chapter_service:$service@database:5432/chapter" > "$unfinished/database_url"
docker run --rm --network none "${CHAPTER_IMAGE:-chapter-membership-service}" keys generate > "$unfinished/jwt_keys.json"

# The containers read the files as other users. On this machine, the mode of the directory protects them.
chmod 644 "$unfinished"/*
mv "$unfinished" "$directory"
trap - EXIT
