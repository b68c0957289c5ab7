#!/bin/sh
# Makes the secrets that compose.yaml gives to its containers: passwords for the role that owns the database and for the
# role that serves, the URLs with them, and a key to sign tokens with. Run it once, after "docker compose build".
#
#   scripts/containers/make-secrets.sh [DIRECTORY]     ./secrets where none is given; it must not exist yet
set -eu

directory=${1:-secrets}
if [ -e "$directory" ]; then
  echo "$directory is there already. Other secrets would lock the service out of its database: nothing was changed." >&2
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

# The containers read the files as users of their own. On this machine the directory is what keeps others out.
chmod 644 "$unfinished"/*
mv "$unfinished" "$directory"
trap - EXIT
