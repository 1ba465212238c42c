import { parseArgs } from 'node:util'
import { storedVersion } from '@latchkey/store/internal'
import type { ServerStores } from '../options/server-stores.ts'
import { openStoredVersion } from '../service/upkeep/stored-version.ts'
import { CommandFailure } from './command-failure.ts'
import { type Exports, importFile, missingExport, propertyOf } from './import-file.ts'
import { refuseMemory } from './import-server.ts'
import type { Command } from './run-command.ts'

const name = 'migrate'

const help = `usage: latchkey migrate <file> [--print | --finish] [--json]

Creates or upgrades the tables of the stores, and prints from which version to which. It may run any number of times, also in
several processes at the same time. Run it before the new code starts, or start with latchkey serve --migrate.

<file> is the module, in JavaScript or TypeScript, that exports \`server\` (of createServer) or \`stores\`; package.json may name it
instead: "latchkey": { "server": "server.ts" }.

  --print   only prints the SQL for a database without tables of Latchkey, and opens nothing
  --finish  lets the services write values that the previous release cannot read: use it when no process of that release runs.
            Running services see it within a minute. It cannot be undone
  --json    prints { from, to }, with --finish { from, to, stored: { from, to } }, with --print { sql }
  --help    this text

Exit code
  0  the tables have the version of this code
  1  they could not be migrated, or the file cannot be imported
  2  wrong arguments: the file does not exist, an unknown option, the file exports no \`server\` and no \`stores\` with tables`

/** `latchkey migrate <file>` */
export const migrateCommand: Command = {
  name,
  summary: 'create or upgrade the tables, or print their SQL',
  help,
  async run(args, note) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: 'boolean' }, print: { type: 'boolean' }, finish: { type: 'boolean' } },
    })
    const [file, exports] = await importFile(name, positionals)
    const stores = findStores(file, exports)
    if (values.print) {
      const sql = printSql(file, stores)
      note('For a database without tables of Latchkey. Nothing was opened.')
      return { text: values.json ? `${JSON.stringify({ sql })}\n` : sql, exitCode: 0 }
    }
    const report = await migrate(file, stores, values.finish === true)
    return { text: `${values.json ? JSON.stringify(report) : sentencesOf(report)}\n`, exitCode: 0 }
  },
}

type Migrating = Partial<Pick<ServerStores, 'migrate' | 'migrationSql' | 'documents' | 'isInMemory' | 'close'>>

function findStores(file: string, exports: Exports): Migrating {
  const stores = [propertyOf(exports.server, 'stores'), exports.stores].find(isStores)
  if (!stores) throw missingExport(file, exports, '`server` of createServer, or `stores`')
  return stores
}

function isStores(value: unknown): value is Migrating {
  return typeof propertyOf(value, 'migrate') === 'function' || typeof propertyOf(value, 'records') === 'object'
}

function printSql(file: string, stores: Migrating): string {
  if (!stores.migrationSql) throw missingMethod(file, 'migrationSql')
  return stores.migrationSql()
}

function missingMethod(file: string, method: keyof Migrating): CommandFailure {
  return new CommandFailure(`The stores of ${file} have no "${method}".`, {
    exitCode: 2,
    next: 'Stores in memory have no tables; those of @latchkey/sql do.',
  })
}

/** The versions before and after; `null` if the stores do not report a version. */
interface Versions {
  readonly from: number | null
  readonly to: number | null
}

interface Report extends Versions {
  /** The version of stored values, with `--finish`. */
  readonly stored?: Versions
}

async function migrate(file: string, stores: Migrating, isFinished: boolean): Promise<Report> {
  if (!stores.migrate) throw missingMethod(file, 'migrate')
  if (isFinished && !stores.documents) throw missingMethod(file, 'documents')
  try {
    await refuseMemory(file, [stores])
    const report = await stores.migrate()
    const tables = { from: versionOf(report, 'from'), to: versionOf(report, 'to') }
    if (!isFinished || !stores.documents) return tables
    const version = openStoredVersion(stores.documents)
    const from = await version.read()
    return { ...tables, stored: { from, to: await version.raise(storedVersion) } }
  } catch (cause) {
    if (cause instanceof CommandFailure) throw cause
    throw new CommandFailure('The tables could not be migrated.', {
      exitCode: 1,
      next: `Check the database that ${file} opens, and run this again.`,
      cause,
    })
  } finally {
    await stores.close?.()
  }
}

function versionOf(report: unknown, end: keyof Versions): number | null {
  const version = propertyOf(report, end)
  return typeof version === 'number' ? version : null
}

function sentencesOf({ stored, ...tables }: Report): string {
  if (!stored) return sentenceOf(tables)
  const values =
    stored.from === stored.to
      ? `Stored values already have version ${stored.to}.`
      : `Stored values are written in version ${stored.to} from now on; it was ${stored.from}.`
  return `${sentenceOf(tables)}\n${values}`
}

function sentenceOf({ from, to }: Versions): string {
  if (from === null || to === null) return 'The tables are migrated.'
  if (from === to) return `The tables already have version ${to}.`
  return from === 0
    ? `The tables were created: version ${to}.`
    : `The tables were upgraded from version ${from} to version ${to}.`
}
