#!/bin/sh
# Starts one of the three members of etcd, in which Patroni stores which server is the primary. NAME is its host name.
set -eu
members=etcd1=http://etcd1:2380,etcd2=http://etcd2:2380,etcd3=http://etcd3:2380
exec etcd --name "$NAME" --data-dir /data/etcd \
  --initial-cluster "$members" --initial-cluster-token chapter --initial-advertise-peer-urls "http://$NAME:2380" \
  --listen-peer-urls http://0.0.0.0:2380 --listen-client-urls http://0.0.0.0:2379 --advertise-client-urls "http://$NAME:2379"
