#!/bin/sh
# Makes a data folder of a base backup and the archive of WAL, as of a moment. Runs in tests/restore.integration.test.ts.
#
#   restore.sh /var/backups/router/base-2026-11-25 /var/backups/router/wal /var/lib/postgresql/15/restored '2026-11-25 14:03:00+00'
#
# Without a moment it goes as far as the archive does. As the user that PostgreSQL runs as, into a folder that is not
# there yet. Start PostgreSQL on it, and no router before `router ledger verify` has proved the books.
set -eu
base=$1
archive=$2
data=$3
moment=${4:-}
if [ -e "$data" ]; then
  echo "$data is there already" >&2
  exit 1
fi
if [ ! -d "$archive" ]; then
  echo "$archive is no folder" >&2
  exit 1
fi
# PostgreSQL looks for it from its own folder.
archive=$(cd "$archive" && pwd)
# What breaks off leaves nothing that PostgreSQL would start on.
unfinished=$data.unfinished
rm -rf "$unfinished"
cp -R "$base" "$unfinished"
chmod 0700 "$unfinished"
{
  echo "restore_command = 'cp \"$archive/%f\" \"%p\"'"
  echo "recovery_target_action = 'promote'"
  if [ -n "$moment" ]; then
    echo "recovery_target_time = '$moment'"
  fi
  # Until somebody says so, the restored database adds nothing to the archive of the lost one.
  echo "archive_mode = 'off'"
} >>"$unfinished/postgresql.auto.conf"
touch "$unfinished/recovery.signal"
mv "$unfinished" "$data"
