import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { describeFinding, verifyAudit } from '@latchkey/audit'
import { CommandFailure } from '../command-failure.ts'
import { aboutFile } from '../import-server.ts'
import type { Command } from '../run-command.ts'
import { withAudit } from './with-audit.ts'

/** `latchkey audit verify <file>` */
export const verifyCommand: Command = {
  name: 'audit verify',
  summary: 'check whether the audit log was changed',
  help: `usage: latchkey audit verify <file> [--checkpoints <path>] [--json]

Reads the whole audit log and names every difference from what was written: rows that were removed, changed or moved, ends that were
cut off, tables that were emptied, personal data that was changed. It may run beside the service. Whoever can write to the database
can also restore an older copy of the whole log, or empty it: only checkpoints that are kept elsewhere reveal that.

${aboutFile}

  --checkpoints <path>  a file with checkpoints of latchkey audit export or onCheckpoint, one a line
  --json                prints { ok, compared, chains, rows, unknown, erased, prunedBefore, findings, found }; compared:
                        whether checkpoints were given
  --help                this text

Exit code
  0  the log is as it was written, and contains the checkpoints
  1  the log was changed, with one sentence for each change; or it could not be read, or the file cannot be imported
  2  wrong arguments: a file does not exist or has no checkpoint, an unknown option, the file exports no \`server\`
  3  the log is consistent, but no checkpoint was given to compare it with: it may be empty because all rows were removed`,
  async run(args) {
    const { values, positionals: files } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: 'boolean' }, checkpoints: { type: 'string' } },
    })
    const checkpoints = values.checkpoints === undefined ? [] : await readLines(values.checkpoints)
    const verdict = await withAudit({ command: 'audit verify', files }, ({ store, secrets }) =>
      verifyAudit({ store, secrets, checkpoints }),
    )
    const { ok, ...rest } = verdict
    const compared = checkpoints.length > 0
    const text = values.json
      ? `${JSON.stringify({ ok, compared, ...rest }, null, 2)}\n`
      : describeVerdict(verdict, compared)
    if (!ok) return { text, exitCode: 1 }
    return { text, exitCode: compared ? 0 : 3 }
  },
}

async function readLines(path: string): Promise<readonly string[]> {
  const lines = await readFile(path, 'utf8').then(toLines, (cause: unknown) => {
    throw new CommandFailure(`latchkey audit verify: the file ${path} cannot be read.`, { exitCode: 2, cause })
  })
  // A failed export leaves an empty file, and a verdict without checkpoints would look like a verdict with them.
  if (lines.length > 0) return lines
  throw new CommandFailure(`latchkey audit verify: the file ${path} has no checkpoint.`, { exitCode: 2 })
}

function toLines(text: string): readonly string[] {
  return text.split(/\r?\n/).filter((line) => line.trim() !== '')
}

function describeVerdict(verdict: Awaited<ReturnType<typeof verifyAudit>>, compared: boolean): string {
  const { ok, rows, chains, unknown, prunedBefore, findings, found } = verdict
  const lines = [
    ...findings.map(describeFinding),
    ...(found > findings.length ? [`${found - findings.length} more.`] : []),
    ok ? describeWhole(compared) : `Not as it was written: ${found} ${found === 1 ? 'place' : 'places'}.`,
    `Rows: ${rows}, processes: ${chains}, decisions with an unknown outcome: ${unknown}.`,
    ...(prunedBefore === null
      ? []
      : [`Rows from before ${new Date(prunedBefore).toISOString()} may have been removed.`]),
    ...(compared ? [] : ['No checkpoint was given: keep those of latchkey audit export elsewhere, for --checkpoints.']),
  ]
  return `${lines.join('\n')}\n`
}

function describeWhole(compared: boolean): string {
  return compared ? 'The log is as it was written.' : 'The log is consistent.'
}
