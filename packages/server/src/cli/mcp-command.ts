import { parseArgs } from 'node:util'
import type { Server } from '../create-server.ts'
import { CommandFailure } from './command-failure.ts'
import { aboutFile, withServer } from './import-server.ts'
import type { Command } from './run-command.ts'
import { toTable } from './to-table.ts'

type Verdicts = NonNullable<Awaited<ReturnType<Server['tools']>>>

/** `latchkey mcp <file>` */
export const mcpCommand: Command = {
  name: 'mcp',
  summary: 'the tools of the service, and what each tool requires',
  help: `usage: latchkey mcp <file> [--json]

Prints the tools of the option \`mcp\` in their order: the scopes that a token needs (alternatives are separated by "or"), the kinds of
resources that the account must own, how old the proof of a factor may be, and what each role may do with all published
scopes: yes, own (with what it owns), or no.

${aboutFile}

  --json  prints a list of { name, kind, document, scopes, owner, stepUp, roles }, to be committed and reviewed; \`document\` is the
          SHA-256 digest of the document
  --help  this text

Exit code
  0  printed
  1  the service has no tools, a tool cannot be called, the stores do not answer, or the file cannot be imported
  2  wrong arguments: the file does not exist, an unknown option, the file exports no \`server\``,
  async run(args) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: 'boolean' } },
    })
    const failure = 'The tools could not be read.'
    const verdicts = await withServer({ command: 'mcp', files: positionals, failure }, (server) => server.tools())
    if (!verdicts) {
      throw new CommandFailure('The service has no tools.', {
        exitCode: 1,
        next: 'Give createServer the option `mcp`, with createMcp of @latchkey/mcp.',
      })
    }
    return { text: values.json ? `${JSON.stringify(verdicts, null, 2)}\n` : describeTools(verdicts), exitCode: 0 }
  },
}

function describeTools(verdicts: Verdicts): string {
  const roles = Object.keys(verdicts[0]?.roles ?? {})
  const rows = verdicts.map((verdict) => [
    verdict.name,
    verdict.kind,
    verdict.scopes.map((names) => names.join(' ')).join(' or ') || 'none',
    verdict.owner.join(', ') || '-',
    verdict.stepUp ? `${verdict.stepUp.maxAgeSeconds} s` : '-',
    ...roles.map((role) => verdict.roles[role] ?? ''),
  ])
  return toTable(['Tool', 'Kind', 'Scopes', 'Own', 'Factor', ...roles], rows)
}
