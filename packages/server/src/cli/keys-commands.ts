import { parseArgs } from 'node:util'
import { aboutFile, type CommandServer, withServer } from './import-server.ts'
import type { Command } from './run-command.ts'
import { listSigningKeys, type SigningKey } from './signing-key.ts'
import { toTable } from './to-table.ts'

const theRest = `${aboutFile} No key and no secret is printed: the id of a key, its
\`kid\`, is part of every token that it signs.`

const exitCodes = `Exit code
  0  done
  1  the keys could not be read or written, or the file cannot be imported
  2  wrong arguments: the file does not exist, an unknown option, the file exports no \`server\``

const jsonKeys = 'a list of { id, algorithm, state, createdAt, retiredAt }, times in epoch milliseconds'

interface KeysCommand<Result> {
  readonly verb: 'list' | 'generate' | 'rotate'
  readonly summary: string
  readonly explanation: string
  /** What `--json` prints. */
  readonly json: string
  readonly failure: string
  readonly isChange: boolean
  run(server: CommandServer): Promise<Result>
  /** Returns the result as text. */
  describe(result: Result): string
}

function createKeysCommand<Result>(given: KeysCommand<Result>): Command {
  const { verb, summary, explanation, json, failure, isChange, run, describe } = given
  const command = `keys ${verb}`
  return {
    name: command,
    summary,
    help: `usage: latchkey ${command} <file> [--json]

${explanation}

${theRest}

  --json  prints ${json}
  --help  this text

${exitCodes}`,
    async run(args) {
      const { values, positionals: files } = parseArgs({
        args: [...args],
        allowPositionals: true,
        options: { json: { type: 'boolean' } },
      })
      const changes = isChange ? { changes: 'keys' as const } : {}
      const result = await withServer({ command, files, failure, ...changes }, run)
      return { text: values.json ? `${JSON.stringify(result, null, 2)}\n` : describe(result), exitCode: 0 }
    },
  }
}

const keysOf = ({ stores }: CommandServer): Promise<readonly SigningKey[]> => listSigningKeys(stores.keys)

function describeKeys(keys: readonly SigningKey[]): string {
  if (keys.length === 0) return 'There are no keys yet: the first start creates them, or latchkey keys generate.\n'
  const time = (at: number | null): string => (at === null ? '' : new Date(at).toISOString())
  const rows = keys.map(({ id, algorithm, state, createdAt, retiredAt }) => {
    return [id, state, algorithm, time(createdAt), time(retiredAt)]
  })
  return toTable(['Key', 'State', 'Algorithm', 'Created', 'Retired'], rows)
}

/** `latchkey keys list|generate|rotate <file>` */
export const keysCommands: readonly Command[] = [
  createKeysCommand({
    verb: 'list',
    summary: 'the keys that sign access tokens',
    explanation:
      'Prints the keys that sign access tokens: the one that signs, the next one, and those that are retired.',
    json: jsonKeys,
    failure: 'The signing keys could not be read.',
    isChange: false,
    run: keysOf,
    describe: describeKeys,
  }),
  createKeysCommand({
    verb: 'generate',
    summary: 'create the signing keys that are missing',
    explanation: `Creates the signing keys that are missing, as the first start does, and prints all. If none is missing it changes
nothing, so it may run any number of times.`,
    json: jsonKeys,
    failure: 'The signing keys could not be generated.',
    isChange: true,
    async run(server) {
      await server.open()
      return keysOf(server)
    },
    describe: describeKeys,
  }),
  createKeysCommand({
    verb: 'rotate',
    summary: 'let a new key sign access tokens',
    explanation: `Lets a new key sign access tokens from now on. Running processes use it within a minute, without a restart; tokens that
the old key has signed are valid until they expire.`,
    json: '{ keyId }: the `kid` of the new key',
    failure: 'The keys could not be rotated.',
    isChange: true,
    run: (server) => server.rotateKeys(),
    describe: ({ keyId }) => `The key ${keyId} signs from now on; running processes use it within a minute.\n`,
  }),
]
