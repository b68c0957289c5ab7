#!/bin/sh
# Starts pgbouncer with the passwords in the secrets.
set -eu
umask 077
for secret in owner_database_url database_url; do
  sed -E 's|^postgresql://([^:]+):([^@]+)@.*|"\1" "\2"|' "/run/secrets/$secret"
  echo
done > /tmp/users
exec pgbouncer /etc/ha/pgbouncer.ini
