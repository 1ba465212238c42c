import { serviceOf } from '../../service/openable-service.ts'
import { openServiceAudit, type ServiceAudit, type ServiceDecision } from '../../service/service-audit.ts'
import { openStoredVersion } from '../../service/upkeep/stored-version.ts'
import { CommandFailure } from '../command-failure.ts'
import { type CommandServer, type ServerWork, withServer } from '../import-server.ts'
import { type ClientRegistry, loadClientRegistry } from './client-registry.ts'

type ClientChange = Extract<ServiceDecision, { readonly type: `client.${string}` }>['type']

/** The clients of a service, as its commands work on them. */
export interface ServiceClients {
  readonly registry: ClientRegistry
  /** Makes a change with its event and its rows of the audit log. A refusal of the registry is a `CommandFailure`. */
  change<Result>(type: ClientChange, work: () => Promise<Changed<Result>>): Promise<Result>
  /** Whether a client is stored under an id, disabled ones too. */
  has(id: string): Promise<boolean>
}

/** What came of a change: the client that it was made to. Rejects where nothing has changed. */
export interface Changed<Result> {
  readonly clientId: string
  readonly result: Result
}

export interface ClientsWork extends Pick<ServerWork, 'command' | 'files'> {
  /** Whether the work changes clients, which must be where other processes see them. */
  readonly isChange?: boolean
  /** Whether it registers clients, for which the authorization server of the service is asked what they may ask for. */
  readonly isRegistration?: boolean
}

/** What every authorization server knows beside the permissions of its policy and their groups. */
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

/** Where there is no authorization server, there can be one that takes over what its service knows. */
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
    // A refusal has changed nothing; of any other error that is not known.
    if (refusal) await changing.failed()
    throw refusal ?? error
  })
  await changing.done({ type, clientId })
  return result
}

/** Returns a refusal as one sentence; `null` for what failed otherwise. */
function refusalOf(error: unknown): CommandFailure | null {
  if (error instanceof CommandFailure) return error
  if (!(error instanceof Error) || error.name !== 'OAuthError') return null
  const [first = '', ...rest] = error.message
  return new CommandFailure(`${first.toUpperCase()}${rest.join('')}.`, { exitCode: 1 })
}
