#!/bin/sh
# A base backup while the database serves, once a day by a timer. Runs in tests/restore.integration.test.ts.
#
#   base-backup.sh postgres://backup@db.example:5432/router /var/backups/router/base-2026-11-25
#
# The user needs REPLICATION and a line for it in pg_hba.conf. Keep the archive of WAL from the oldest backup on.
set -eu
url=$1
folder=$2
pg_basebackup --dbname "$url" --pgdata "$folder" --checkpoint fast --wal-method stream --no-password
pg_verifybackup "$folder"
