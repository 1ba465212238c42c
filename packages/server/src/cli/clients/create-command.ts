import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { CommandFailure } from '../command-failure.ts'
import { aboutFile } from '../import-server.ts'
import type { Command } from '../run-command.ts'
import type { IssuedClient, NewClient } from './client-registry.ts'
import { withClients } from './with-clients.ts'

const name = 'clients create'
const methods = ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt']

/** `latchkey clients create <file>` */
export const createCommand: Command = {
  name,
  summary: 'register a client of the authorization server',
  help: `usage: latchkey ${name} <file> --name <name> --auth <method> [--redirect-uri <address> …] [--scope <scope> …]
       [--post-logout-redirect-uri <address> …] [--backchannel-logout-uri <address>] [--jwks <path>] [--native] [--device]
       [--first-party] [--id-token-signed-response-alg <algorithm>] [--id <id>]

Registers a client and prints one line of JSON: { client_id }, and client_secret if it has one. The secret is shown only once, and
only a digest of it is stored. A redirect is absolute, without fragment, user info, wildcard or "..": https, http on loopback, or
a scheme with a dot.

  latchkey ${name} server.ts --name Reader --auth none --redirect-uri https://reader.example.com/callback --scope openid
  latchkey ${name} server.ts --name Reports --auth client_secret_basic --scope articles:read

${aboutFile}
<file> comes before the options.

  --name <name>              the name that users see on the consent page
  --auth <method>            how it authenticates: ${methods.join(', ')}
  --redirect-uri <address>…  the addresses that receive codes; if there is none, the client requests tokens for itself
  --scope <scope>…           the scopes that it may request: openid, profile, email, offline_access, online_access, and the
                             permissions of the policy and their groups that the authorization server grants
  --post-logout-redirect-uri <address>…
                             the addresses to which browsers may return after logout
  --backchannel-logout-uri <address>
                             the address that is notified when a session ends: https, or http on loopback
  --id-token-signed-response-alg <algorithm>
                             the algorithm of its id tokens, such as RS256; default: sessions.accessTokens.clientAlgorithm, ES256
  --jwks <path>              a file with the public keys for private_key_jwt, a JSON Web Key Set
  --native                   the port of its redirects to 127.0.0.1, [::1] and localhost may differ
  --first-party              one of your own applications, for --auth none: it sends DPoP proofs, its users are not asked for
                             consent if the redirect is https, and its tokens meet @firstParty, except on fields with @credential
                             or @stepUp
  --device                   a device without a browser: it uses device codes
  --id <id>                  its id; default: a random one
  --json                     prints the same
  --help                     this text

Exit code
  0  done
  1  refused, the stores do not answer, @latchkey/oauth is not installed, or the file cannot be imported
  2  wrong arguments: the file does not exist, an option is unknown or missing, the file exports no \`server\``,
  async run(args) {
    const { files, ...asked } = readArguments(args)
    const jwks = await readJwks(asked.jwks)
    const client = { ...asked.client, ...(jwks === undefined ? {} : { jwks }) }
    const issued = await withClients(
      { command: name, files, isChange: true, isRegistration: true },
      ({ registry, change }) =>
        change('client.created', async () => {
          const result = await registry.create(client)
          return { clientId: result.client.id, result }
        }),
    )
    return { text: describeIssued(issued), exitCode: 0 }
  },
}

/** Returns one line of JSON for a program: the id and the secret that the client needs. */
export function describeIssued({ client: { id }, secret }: IssuedClient): string {
  return `${JSON.stringify({ client_id: id, ...(secret !== null && { client_secret: secret }) })}\n`
}

interface Asked {
  readonly files: readonly string[]
  readonly client: NewClient
  /** The path of the file. */
  readonly jwks: string | undefined
}

/** @throws CommandFailure for wrong usage. */
function readArguments(args: readonly string[]): Asked {
  const text = { type: 'string' } as const
  const texts = { ...text, multiple: true } as const
  const flag = { type: 'boolean' } as const
  const { values, tokens } = parseArgs({
    args: [...args],
    allowPositionals: true,
    tokens: true,
    options: {
      ...{ name: text, auth: text, jwks: text, id: text, native: flag, device: flag, json: flag },
      'first-party': flag,
      ...{ 'backchannel-logout-uri': text, 'id-token-signed-response-alg': text },
      ...{ 'redirect-uri': texts, 'post-logout-redirect-uri': texts, scope: texts },
    },
  })
  const { auth, jwks, id, 'backchannel-logout-uri': backchannelLogoutUri } = values
  const { 'id-token-signed-response-alg': idTokenSignedResponseAlg } = values
  if (values.name === undefined) throw misused('--name is required')
  if (auth === undefined || !methods.includes(auth)) throw misused(`--auth is required, one of ${methods.join(', ')}`)
  if ((auth === 'private_key_jwt') !== (jwks !== undefined)) throw misused('--jwks and private_key_jwt belong together')
  const lists = readLists(tokens)
  const redirectUris = lists.of('redirect-uri')
  const client = {
    name: values.name,
    kind: values.native ? ('native' as const) : ('web' as const),
    authentication: [auth],
    redirectUris,
    postLogoutRedirectUris: lists.of('post-logout-redirect-uri'),
    scopes: lists.of('scope').flatMap((scopes) => scopes.split(' ').filter((scope) => scope !== '')),
    firstParty: values['first-party'] ?? false,
    ...(backchannelLogoutUri !== undefined && { backchannelLogoutUri }),
    ...(idTokenSignedResponseAlg !== undefined && { idTokenSignedResponseAlg }),
    ...(id !== undefined && { id }),
    ...(values.device && { grantTypes: grantTypesWithDevice(redirectUris) }),
  }
  return { files: lists.files, client, jwks }
}

function grantTypesWithDevice(redirectUris: readonly string[]): readonly string[] {
  const deviceCode = 'urn:ietf:params:oauth:grant-type:device_code'
  return [...(redirectUris.length > 0 ? ['authorization_code'] : []), deviceCode, 'refresh_token']
}

type Token = { readonly kind: string; readonly name?: string; readonly value?: string | undefined }

/**
 * Reads the values that follow each option, of which there may be several. Values before the first option are files.
 */
function readLists(tokens: readonly Token[]): {
  readonly files: readonly string[]
  of(option: string): readonly string[]
} {
  const files: string[] = []
  const lists = new Map<string, string[]>()
  let current = files
  for (const { kind, name: option = '', value } of tokens) {
    if (kind === 'option') {
      current = isList(option) ? (lists.get(option) ?? []) : files
      if (isList(option)) lists.set(option, current)
    }
    if (value !== undefined && (kind === 'positional' || isList(option))) current.push(value)
  }
  return { files, of: (option) => lists.get(option) ?? [] }
}

function isList(option: string): boolean {
  return option === 'scope' || option.endsWith('redirect-uri')
}

async function readJwks(path: string | undefined): Promise<unknown> {
  if (path === undefined) return undefined
  const text = await readFile(path, 'utf8').catch(() => null)
  if (text === null) throw misused(`the file ${path} cannot be read`)
  try {
    return JSON.parse(text)
  } catch {
    throw new CommandFailure(`The file ${path} is not a JSON Web Key Set.`, { exitCode: 1 })
  }
}

function misused(problem: string): CommandFailure {
  return new CommandFailure(`latchkey ${name}: ${problem}.`, { exitCode: 2, next: `See: latchkey ${name} --help` })
}
