import { parseArgs } from 'node:util'
import type { Server } from '../create-server.ts'
import { CommandFailure } from './command-failure.ts'
import { type Exports, importFile, propertyOf, refuseExports } from './import-file.ts'
import type { Command } from './run-command.ts'

const name = 'keys rotate'

const help = `usage: latchkey keys rotate <file> [--json]

Lets a new key sign access tokens from now on. Processes that run take it up within a minute, without a restart; tokens
that the old key has signed are good until their end, 15 minutes at most. <file> is the module, in JavaScript or
TypeScript, that exports \`server\` (of createServer).

  --json   prints { keyId }: the \`kid\` of the new key, which is no secret
  --help   this text

Exit code
  0  the new key signs
  1  the keys could not be rotated, or the file cannot be imported
  2  the command was called wrongly: no such file, an unknown option, no \`server\` in it`

/** `latchkey keys rotate <file>` */
export const keysCommand: Command = {
  name,
  summary: 'let a new key sign access tokens',
  help,
  async run(args) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: 'boolean' } },
    })
    const [file, exports] = await importFile(name, positionals)
    const rotated = await rotate(file, findServer(file, exports))
    const words = `The key ${rotated.keyId} signs from now on; processes that run take it up within a minute.`
    return { text: `${values.json ? JSON.stringify(rotated) : words}\n`, exitCode: 0 }
  },
}

type Rotating = Pick<Server, 'rotateKeys' | 'close'>

function findServer(file: string, exports: Exports): Rotating {
  if (isServer(exports.server)) return exports.server
  throw refuseExports(file, exports, '`server` of createServer')
}

function isServer(value: unknown): value is Rotating {
  return typeof propertyOf(value, 'rotateKeys') === 'function' && typeof propertyOf(value, 'close') === 'function'
}

async function rotate(file: string, server: Rotating): Promise<{ readonly keyId: string }> {
  try {
    return await server.rotateKeys()
  } catch (cause) {
    throw new CommandFailure('The keys could not be rotated.', {
      exitCode: 1,
      next: `Look at the database and the secrets that ${file} names, and run this again.`,
      cause,
    })
  } finally {
    await server.close()
  }
}
