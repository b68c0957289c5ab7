#!/bin/sh
# Patroni runs this on the first primary of a new cluster, with a connection string of its superuser. Creates the database and
# the role of the service.
set -eu
psql --quiet --set ON_ERROR_STOP=1 "$1" --command 'create database chapter' --file /run/secrets/service_role
