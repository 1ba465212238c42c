import { readFileSync } from 'node:fs'
import process from 'node:process'
import { accessCommand } from './cli/access/access-command.ts'
import { accountsCommands } from './cli/accounts/accounts-commands.ts'
import { apiKeysCommands } from './cli/api-keys-commands.ts'
import { auditCommands } from './cli/audit/audit-commands.ts'
import { calibrateCommand } from './cli/calibrate-command.ts'
import { clientsCommands } from './cli/clients/clients-commands.ts'
import { describeFailure } from './cli/command-failure.ts'
import { keysCommands } from './cli/keys-commands.ts'
import { mcpCommand } from './cli/mcp-command.ts'
import { migrateCommand } from './cli/migrate-command.ts'
import { runCommand } from './cli/run-command.ts'
import { schemaCommand } from './cli/schema-command.ts'
import { serveCommand } from './cli/serve-command.ts'
import { sessionsCommands } from './cli/sessions-commands.ts'

const isDebugging = process.env.LATCHKEY_DEBUG === '1'

// What the imported file leaves behind, a rejected promise or a closed pipe, is reported like every failure.
process.on('uncaughtException', fail)

try {
  const { text, exitCode } = await runCommand(process.argv.slice(2), {
    commands: [
      serveCommand,
      schemaCommand,
      accessCommand,
      mcpCommand,
      migrateCommand,
      ...accountsCommands,
      ...sessionsCommands,
      ...apiKeysCommands,
      ...keysCommands,
      ...clientsCommands,
      ...auditCommands,
      calibrateCommand,
    ],
    version: readVersion,
    note: (line) => void process.stderr.write(`${line}\n`),
  })
  end(process.stdout, text, exitCode)
} catch (error) {
  fail(error)
}

/** The path is the same from the source and from the build. */
function readVersion(): string {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version
}

function fail(error: unknown): void {
  // The reader of the output, `head` for example, has closed it.
  if (error instanceof Error && 'code' in error && error.code === 'EPIPE') process.exit(0)
  const { text, exitCode } = describeFailure(error, isDebugging)
  end(process.stderr, text, exitCode)
}

/** Exits once the output is written, although the imported file may listen already. */
function end(stream: NodeJS.WriteStream, text: string, exitCode: number): void {
  stream.write(text, () => process.exit(exitCode))
}
