#!/bin/sh
# Patroni runs this on the first primary of a new cluster, with a connection string of its superuser. Creates the database and
# the role of the service. A transaction pooler does not keep settings of sessions, so both roles get them.
set -eu
psql --quiet --set ON_ERROR_STOP=1 "$1" --command 'create database chapter' --file /run/secrets/service_role
for role in chapter chapter_service; do
  for setting in "max_parallel_workers_per_gather = 0" "jit = off" "random_page_cost = 1.1" "statement_timeout = '15s'" \
    "idle_in_transaction_session_timeout = '15s'" "lock_timeout = '2500ms'"; do
    psql --quiet --set ON_ERROR_STOP=1 "$1" --command "alter role $role in database chapter set $setting"
  done
done
