import { parseArgs } from 'node:util'
import { isJwtError } from '@latchkey/jwt'
import { type ListedKey, listKeys } from '@latchkey/jwt/internal'
import { clientKeysPurpose, idTokenKeysPurpose } from '../options/sessions/access-tokens.ts'
import { CommandFailure } from './command-failure.ts'
import { aboutFile, type CommandServer, withServer } from './import-server.ts'
import type { Command } from './run-command.ts'
import { toTable } from './to-table.ts'

const theRest = `${aboutFile}
No key and no secret is printed, only the id of a key: its \`kid\`, which is part of every token that it signs.`

const exitCodes = `Exit code
  0  done
  1  the keys could not be read or written, it is too early for a rotation, or the file cannot be imported
  2  wrong arguments: the file does not exist, an unknown option, the file exports no \`server\``

const jsonKeys =
  'a list of { id, tokens, algorithm, state, createdAt, retiredAt, signsAt }, times in epoch milliseconds'

interface KeysCommand<Result> {
  readonly verb: 'list' | 'generate' | 'rotate'
  readonly summary: string
  readonly explanation: string
  /** The output of `--json`. */
  readonly json: string
  /** The effect of each further option, by its name. */
  readonly flags?: Readonly<Record<string, string>>
  readonly failure: string
  readonly isChange: boolean
  run(server: CommandServer, flags: ReadonlySet<string>): Promise<Result>
  /** Returns the result as text. */
  describe(result: Result, flags: ReadonlySet<string>): string
}

function createKeysCommand<Result>(given: KeysCommand<Result>): Command {
  const { verb, summary, explanation, json, flags = {}, failure, isChange, run, describe } = given
  const command = `keys ${verb}`
  const names = Object.keys(flags)
  return {
    name: command,
    summary,
    help: `usage: latchkey ${command} <file> ${names.map((name) => `[--${name}] `).join('')}[--json]

${explanation}

${theRest}

${describeFlags(flags)}  --json  prints ${json}
  --help  this text

${exitCodes}`,
    async run(args) {
      const { values, positionals: files } = parseArgs({
        args: [...args],
        allowPositionals: true,
        options: Object.fromEntries(['json', ...names].map((name) => [name, { type: 'boolean' as const }])),
      })
      const changes = isChange ? { changes: 'documents' as const } : {}
      const used = new Set(names.filter((name) => values[name]))
      const result = await withServer({ command, files, failure, ...changes }, (server) => run(server, used))
      return { text: values.json ? `${JSON.stringify(result, null, 2)}\n` : describe(result, used), exitCode: 0 }
    },
  }
}

function describeFlags(flags: Readonly<Record<string, string>>): string {
  return Object.entries(flags)
    .map(([name, does]) => `  --${name.padEnd(4)}  ${does}\n`)
    .join('')
}

interface ServiceKey extends ListedKey {
  /** The tokens that the key signs: the service's own, or those issued to clients. */
  readonly tokens: 'service' | 'clients'
}

async function keysOf({ stores: { documents, records }, accessTokens }: CommandServer): Promise<readonly ServiceKey[]> {
  const { algorithm, clientAlgorithm, publishAheadSeconds } = accessTokens
  const common = { documents, publishAheadSeconds, now: () => records.now() }
  const own = await listKeys({ ...common, algorithm })
  const ofClients = await listKeys({ ...common, algorithm: clientAlgorithm, purpose: clientKeysPurpose })
  const ofIdTokens = await listKeys({ ...common, algorithm: 'RS256', purpose: idTokenKeysPurpose })
  return [
    ...own.map((key): ServiceKey => ({ ...key, tokens: 'service' })),
    ...[...ofClients, ...ofIdTokens].map((key): ServiceKey => ({ ...key, tokens: 'clients' })),
  ]
}

function describeKeys(keys: readonly ServiceKey[]): string {
  if (keys.length === 0) return 'There are no keys yet: the first start creates them, or latchkey keys generate.\n'
  const rows = keys.map(({ id, tokens, algorithm, state, createdAt, retiredAt, signsAt }) => {
    return [id, tokens, state, algorithm, ...[createdAt, signsAt, retiredAt].map(formatTime)]
  })
  return toTable(['Key', 'Tokens', 'State', 'Algorithm', 'Created', 'Signs from', 'Retired'], rows)
}

function formatTime(at: number | null): string {
  return at === null ? '' : new Date(at).toISOString()
}

interface Rotation {
  readonly keyId: string
}

async function rotate(server: CommandServer, isLeak: boolean): Promise<Rotation> {
  try {
    return await (isLeak ? server.replaceKeys() : server.rotateKeys())
  } catch (cause) {
    if (!(isJwtError(cause) && cause.code === 'JWT_ROTATION_TOO_EARLY')) throw cause
    const times = (await keysOf(server)).map(({ signsAt }) => signsAt ?? 0)
    const from = formatTime(Math.max(...times))
    throw new CommandFailure(
      `The next key may sign from ${from}, when every service that verifies tokens by itself knows it. Nothing has changed.`,
      { exitCode: 1, next: 'If a key has leaked: latchkey keys rotate --now, which refuses every earlier token.' },
    )
  }
}

function describeRotation({ keyId }: Rotation, isLeak: boolean): string {
  if (!isLeak) return `The key ${keyId} signs from now on; running processes use it within a minute.\n`
  return `The key ${keyId} signs from now on.
Every earlier access token is refused, in running processes within a minute. Clients refresh theirs; sessions and refresh tokens stay
valid. Services that verify tokens by themselves may refuse new tokens and accept old ones until they fetch the keys again.
`
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
    explanation: `Creates the signing keys that are missing, as the first start does, and prints all keys. If none is missing, it changes
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
    explanation: `Lets the next key sign access tokens from now on. Running processes use it within a minute, without a restart; tokens
that the old key has signed are valid until they expire. The next key is published before it signs
(accessTokens.publishAheadSeconds); the command refuses to let it sign earlier, because other services do not know it yet.`,
    json: '{ keyId }: the `kid` of the new key',
    flags: {
      now: 'for a key that has leaked: a new key signs at once, and every earlier token is refused',
    },
    failure: 'The keys could not be rotated.',
    isChange: true,
    run: (server, flags) => rotate(server, flags.has('now')),
    describe: (rotation, flags) => describeRotation(rotation, flags.has('now')),
  }),
]
