import { serviceOf } from '../../service/openable-service.ts'
import { openServiceAudit, type ServiceAudit, type ServiceDecision } from '../../service/service-audit.ts'
import { openStoredVersion } from '../../service/upkeep/stored-version.ts'
import { CommandFailure } from '../command-failure.ts'
import { type CommandServer, type ServerWork, withServer } from '../import-server.ts'
import { type ClientRegistry, loadClientRegistry } from './client-registry.ts'

type ClientChange = Extract<ServiceDecision, { readonly type: `client.${string}` }>['type']

/** The functions by which commands change clients. */
export interface ServiceClients {
  readonly registry: ClientRegistry
  /** Makes a change with its event and its rows of the audit log. A refusal of the registry is a `CommandFailure`. */
  change<Result>(type: ClientChange, work: () => Promise<Changed<Result>>): Promise<Result>
  /** Whether a client is stored under an id, disabled ones too. */
  has(id: string): Promise<boolean>
}

/** The result of a change to a client. */
export interface Changed<Result> {
  readonly clientId: string
  readonly result: Result
}

export interface ClientsWork extends Pick<ServerWork, 'command' | 'files'> {
  /** Whether the work changes clients, so that stores in memory are refused. */
  readonly isChange?: boolean
  /**
   * Whether the work registers clients. The service's authorization server then tells which scopes they may request.
   */
  readonly isRegistration?: boolean
}

/** The scopes that every authorization server knows in addition to the policy's permissions and scopes. */
const standardScopes = ['openid', 'profile', 'email', 'offline_access', 'online_access']

/**
 * Runs the work with the clients of the service that a file exports.
 *
 * @throws CommandFailure as `withServer` does, and without `@latchkey/oauth`.
 */
export function withClients<Result>(
  { command, files, isChange = false, isRegistration = false }: ClientsWork,
  run: (clients: ServiceClients) => Promise<Result>,
): Promise<Result> {
  const changes = isChange ? { changes: 'documents' as const } : {}
  const failure = 'The clients could not be read or changed.'
  return withServer({ command, files, failure, ...changes }, async (server) => {
    const { documents } = server.stores
    const service = serviceOf(server)
    if (service === null) throw new TypeError('"server" must be what createServer returned, not a copy of it')
    const createClientRegistry = await loadClientRegistry()
    const authorization = isRegistration ? (await service.open()).authorization : null
    const { scopes = scopesOf(server), fixedClientIds = [] } = authorization ?? {}
    const version = isChange ? await openStoredVersion(documents).read() : 0
    const storedVersion = (): number => version
    const audit = openServiceAudit(service, await service.options.secrets.load())
    try {
      return await run({
        registry: createClientRegistry({ documents, scopes, fixedClientIds, now: service.now, storedVersion }),
        change: (type, work) => changeClient(audit.recorder, type, work),
        has: async (id) => (await documents.get('oauth-client', id)) !== null,
      })
    } finally {
      await audit.close()
    }
  })
}

/** Returns the scopes for a service without an authorization server: another server may use its policy. */
function scopesOf({ access: { policy } }: CommandServer): readonly string[] {
  return [...standardScopes, ...policy.permissions, ...policy.scopes]
}

async function changeClient<Result>(
  recorder: ServiceAudit['recorder'],
  type: ClientChange,
  work: () => Promise<Changed<Result>>,
): Promise<Result> {
  const changing = recorder.plan({ type })
  await changing.begin()
  const { clientId, result } = await work().catch(async (error: unknown) => {
    const refusal = refusalOf(error)
    // A refusal changes nothing. After any other error, the outcome is unknown.
    if (refusal) await changing.failed()
    throw refusal ?? error
  })
  await changing.done({ type, clientId })
  return result
}

/** Returns a refusal as one sentence; `null` for any other error. */
function refusalOf(error: unknown): CommandFailure | null {
  if (error instanceof CommandFailure) return error
  if (!(error instanceof Error) || error.name !== 'OAuthError') return null
  const [first = '', ...rest] = error.message
  return new CommandFailure(`${first.toUpperCase()}${rest.join('')}.`, { exitCode: 1 })
}
