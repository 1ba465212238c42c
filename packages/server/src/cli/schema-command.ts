import { parseArgs } from 'node:util'
import { printSchema } from 'graphql'
import { findAccess } from './find-access.ts'
import { importFile } from './import-file.ts'
import type { Command } from './run-command.ts'

const name = 'schema'

/** `latchkey schema <file>` */
export const schemaCommand: Command = {
  name,
  summary: 'the schema of the service, as text for code generators and clients',
  help: `usage: latchkey schema <file>

Prints the schema in the schema language, with the types and operations of the accounts, for code generators, editors and
clients. The rules are not part of it: latchkey access prints those. <file> is the module, in JavaScript or TypeScript,
that exports \`server\` (of createServer) or \`access\` (of compileAccess); package.json may name it instead:
"latchkey": { "server": "server.ts" }. Nothing is opened.

  --help  this text

Exit code
  0  printed
  1  the file cannot be imported
  2  wrong arguments: the file does not exist, an unknown option, the file exports no \`server\` and no \`access\``,
  async run(args) {
    const { positionals } = parseArgs({ args: [...args], allowPositionals: true, options: {} })
    const [file, exports] = await importFile(name, positionals)
    return { text: `${printSchema(findAccess(file, exports).schema)}\n`, exitCode: 0 }
  },
}
