import { parseArgs } from 'node:util'
import type { AuditLog } from '@latchkey/audit'
import { type AuditEntry, createAuditLog, exportCheckpoint, pruneAudit } from '@latchkey/audit'
import { CommandFailure } from '../command-failure.ts'
import { aboutFile } from '../import-server.ts'
import type { Command } from '../run-command.ts'
import { toTable } from '../to-table.ts'
import { verifyCommand } from './verify-command.ts'
import { exitCodes, withAudit } from './with-audit.ts'

const json = { json: { type: 'boolean' } } as const

/** `latchkey audit list <file>` */
const listCommand: Command = {
  name: 'audit list',
  summary: 'the decisions of the audit log, the newest first',
  help: `usage: latchkey audit list <file> [--account <id>] [--kind <kind>] [--first <n>] [--after <cursor>] [--json]

Prints the decisions, each once and the newest first. The state "unknown" means that a decision was begun and its outcome was not
written, because the process ended or the store failed.

${aboutFile}

  --account <id>    only decisions about this account
  --kind <kind>     only decisions of this kind, such as password.changed
  --first <n>       the number of decisions, from 1 to 1000; default: 50
  --after <cursor>  the next page: the cursor at the end of the page before
  --json            prints { items, cursor }: items are { id, at, kind, state, accountId, actorId, address, userAgent,
                    requestId, details }, times in epoch milliseconds
  --help            this text

${exitCodes}`,
  async run(args) {
    const text = { type: 'string' } as const
    const { values, positionals: files } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { ...json, account: text, kind: text, first: text, after: text },
    })
    const { account, kind, after, first = '50' } = values
    if (!(/^[1-9]\d{0,3}$/.test(first) && Number(first) <= 1000)) {
      throw misused('audit list', '--first is a number from 1 to 1000')
    }
    const query = {
      first: Number(first),
      ...(account !== undefined && { accountId: account }),
      ...(kind !== undefined && { kind }),
      ...(after !== undefined && { after }),
    }
    const page = await withAudit({ command: 'audit list', files }, (audit) =>
      createAuditLog(audit)
        .list(query)
        .catch((error: unknown) => {
          throw error instanceof TypeError ? misused('audit list', '--after is the cursor at the end of a page') : error
        }),
    )
    return { text: values.json ? toJson(page) : describePage(page), exitCode: 0 }
  },
}

function describePage({ items, cursor }: Awaited<ReturnType<AuditLog['list']>>): string {
  if (items.length === 0) return cursor === undefined ? 'There are no decisions.\n' : `More: --after '${cursor}'\n`
  const rows = items.map(({ at, kind, state, accountId, actorId, address, requestId }: AuditEntry) => {
    return [
      new Date(at).toISOString(),
      kind,
      state,
      ...[accountId, actorId, address, requestId].map((one) => one ?? ''),
    ]
  })
  const table = toTable(['Time', 'Kind', 'State', 'Account', 'By', 'Address', 'Request'], rows)
  return cursor === undefined ? table : `${table}More: --after '${cursor}'\n`
}

/** `latchkey audit export <file>` */
const exportCommand: Command = {
  name: 'audit export',
  summary: 'print a signed checkpoint, to be kept elsewhere',
  help: `usage: latchkey audit export <file> [--json]

Prints a checkpoint, the signed state of the audit log, in one or several lines. It changes nothing. Keep it where nobody who can
write to the database can change it: latchkey audit verify --checkpoints then names everything that is removed from the log later.

${aboutFile}

  --json  prints { checkpoints }, a list of the lines
  --help  this text

${exitCodes}`,
  async run(args) {
    const { values, positionals: files } = parseArgs({ args: [...args], allowPositionals: true, options: json })
    const checkpoints = await withAudit({ command: 'audit export', files }, exportCheckpoint)
    const lines = checkpoints.map((line) => `${line}\n`).join('')
    return { text: values.json ? toJson({ checkpoints }) : lines, exitCode: 0 }
  },
}

/** `latchkey audit prune <file>` */
const pruneCommand: Command = {
  name: 'audit prune',
  summary: 'remove old rows of the audit log',
  help: `usage: latchkey audit prune <file> --before <time> [--json]

Removes older rows: for each process, the rows before its last checkpoint of that time. It first records that rows from before that
time may be missing, so that latchkey audit verify names every other missing row. Verify the log before you prune it: removed rows
can no longer be verified.

  latchkey audit prune server.ts --before 2026-01-01

${aboutFile}

  --before <time>  a date or a time of ISO 8601, in the past; a date begins at midnight UTC
  --json           prints { rows, chains }: the number of removed rows, and the number of processes without any row left
  --help           this text

${exitCodes}`,
  async run(args) {
    const { values, positionals: files } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { ...json, before: { type: 'string' } },
    })
    const before = readTime(values.before)
    const pruned = await withAudit({ command: 'audit prune', files, isChange: true }, (audit) => {
      if (before > audit.now()) throw misused('audit prune', '--before is a time in the past')
      return pruneAudit({ ...audit, before })
    })
    const sentence = pruned.rows === 1 ? '1 row removed.' : `${pruned.rows} rows removed.`
    return { text: values.json ? toJson(pruned) : `${sentence}\n`, exitCode: 0 }
  },
}

const timeFormat = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/

function readTime(given = ''): number {
  const time = timeFormat.test(given) ? Date.parse(given) : Number.NaN
  if (time >= 0) return time
  throw misused('audit prune', '--before is required, a date or a time of ISO 8601 such as 2026-01-01')
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

function misused(command: string, rule: string): CommandFailure {
  return new CommandFailure(`latchkey ${command}: ${rule}.`, { exitCode: 2, next: `See: latchkey ${command} --help` })
}

/** `latchkey audit list|verify|export|prune <file>` */
export const auditCommands: readonly Command[] = [listCommand, verifyCommand, exportCommand, pruneCommand]
