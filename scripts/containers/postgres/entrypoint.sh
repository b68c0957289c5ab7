#!/bin/sh
# Implements the part of the public image's entrypoint that this repository uses. The first start creates a cluster with
# POSTGRES_USER, POSTGRES_PASSWORD (or the content of POSTGRES_PASSWORD_FILE) and POSTGRES_DB. It then runs the SQL files in
# /docker-entrypoint-initdb.d, which have one statement per line. The server never runs as root.
set -eu

[ "${1:-}" = postgres ] || exec "$@"

if [ "$(id -u)" = 0 ]; then
  install -d -o postgres -g postgres -m 0700 "$PGDATA"
  install -d -o postgres -g postgres -m 0775 /run/postgresql
  exec setpriv --reuid=postgres --regid=postgres --init-groups "$0" "$@"
fi

if [ ! -s "$PGDATA/PG_VERSION" ]; then
  user=${POSTGRES_USER:-postgres}
  database=${POSTGRES_DB:-$user}
  password=${POSTGRES_PASSWORD:-$(cat "${POSTGRES_PASSWORD_FILE:-/dev/null}")}
  if [ -z "$password" ]; then
    echo 'Set POSTGRES_PASSWORD, or POSTGRES_PASSWORD_FILE, to provide the password of the first user.' >&2
    exit 1
  fi
  printf '%s\n' "$password" | initdb --pgdata="$PGDATA" --username="$user" --pwfile=/dev/stdin --encoding=UTF8 \
    --auth-local=trust --auth-host=scram-sha-256 --no-instructions
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  if [ "$database" != postgres ]; then
    quoted=$(printf %s "$database" | sed 's/"/""/g')
    printf 'create database "%s"\n' "$quoted" | postgres --single -D "$PGDATA" postgres > /dev/null
  fi
  for file in /docker-entrypoint-initdb.d/*.sql; do
    if [ -e "$file" ]; then postgres --single -D "$PGDATA" "$database" < "$file" > /dev/null; fi
  done
fi

shift
exec postgres -D "$PGDATA" -c listen_addresses='*' "$@"
