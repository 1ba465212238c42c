import { latestVersion, upgradeFrom } from '../migrations.ts'
import { refuseNewerVersion } from '../table-version.ts'
import type { PostgresConnection } from './postgres-connection.ts'
import { migratedMeanwhile, sqlStateOf } from './postgres-error.ts'

/** The number of the advisory lock: `latchkey` in ASCII. */
const lock = '7809651138471421305'

/**
 * Migrates the tables to the version of this code, in one transaction under a lock. Of several processes that start
 * together one migrates; the script of another process finds an unexpected version and changes no table, and that
 * process checks again.
 *
 * @throws StoreError `STORE_TOO_NEW`.
 */
export async function migratePostgres(
  connection: PostgresConnection,
  deadlineMs: number,
): Promise<{ readonly from: number; readonly to: number }> {
  for (;;) {
    const from = refuseNewerVersion(await connection.readVersion(deadlineMs))
    if (from >= latestVersion) return { from, to: from }
    try {
      await connection.script(writeUpgrade(from, deadlineMs), deadlineMs)
      return { from, to: latestVersion }
    } catch (error) {
      if (sqlStateOf((error as Error).cause) !== migratedMeanwhile) throw error
    }
  }
}

function writeUpgrade(from: number, deadlineMs: number): string {
  return `set local statement_timeout = ${deadlineMs};
select pg_advisory_xact_lock(${lock});
do $$ begin
  if to_regclass('latchkey_migrations') is null then
    if ${from} <> 0 then raise exception 'migrated meanwhile' using errcode = '${migratedMeanwhile}'; end if;
  elsif (select coalesce(max(version), 0) from latchkey_migrations) <> ${from} then
    raise exception 'migrated meanwhile' using errcode = '${migratedMeanwhile}';
  end if;
end $$;
${upgradeFrom(from, 'postgres')}`
}

/** Returns the same as a script to be applied by hand, for a database without these tables. */
export function writePostgresScript(): string {
  return `begin;\nselect pg_advisory_xact_lock(${lock});\n${upgradeFrom(0, 'postgres')}\ncommit;\n`
}
