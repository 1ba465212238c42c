import type { Accounts } from '@latchkey/accounts'
import type { HttpRequest } from '@latchkey/http'
import type { ListedSession, Sessions } from '@latchkey/sessions'
import type { Inline } from '../../options/inline.ts'
import type { ClientConsent, ServiceAuthorizationServer } from '../../options/oauth/authorization-server.ts'

/** A session of an account, with the name of its client; `null`: it is not the session of a client. */
export interface PresentedSession extends ListedSession {
  readonly clientName: string | null
}

/** The consents of accounts to clients. Callers check permissions. */
export interface ClientConsents {
  list(accountId: string): Promise<
    readonly (Inline<ClientConsent> & {
      /** The time of the client's latest tokens, epoch milliseconds; `null` without tokens. */
      readonly lastUsedAt: number | null
    })[]
  >
  /**
   * Revokes a consent and all that was issued by it, and nothing that was issued by a later consent to the same client. `true` for
   * exactly one caller. Another call removes what an earlier call has left, because a store has failed.
   *
   * @param request the request that revokes it, for event and audit log. Omitted: none.
   */
  revoke(accountId: string, id: string, request?: HttpRequest): Promise<boolean>
  /**
   * Returns the sessions with the names of their clients. Sessions whose consent is revoked, and sessions that belong
   * to another session (`online_access`), are omitted.
   */
  nameSessions(accountId: string, sessions: readonly ListedSession[]): Promise<readonly Inline<PresentedSession>[]>
}

/** Returns consents whose `revoke` reports this request by default. */
export function consentsBy(consents: ClientConsents, request: HttpRequest): ClientConsents {
  return { ...consents, revoke: (accountId, id, by = request) => consents.revoke(accountId, id, by) }
}

export interface ClientConsentsOptions {
  readonly server: Pick<ServiceAuthorizationServer, 'listGrants' | 'revokeGrant'>
  readonly accounts: Pick<Accounts, 'listSessions'>
  readonly sessions: Pick<Sessions, 'revoke'>
  /** Receives errors after a consent was revoked. Remaining tokens are refused without their consent. */
  readonly onFailure: (cause: unknown) => void
}

export function createClientConsents(options: ClientConsentsOptions): ClientConsents {
  const { server, accounts, sessions, onFailure } = options

  async function removeSessions(accountId: string, id: string): Promise<void> {
    const opened = (await accounts.listSessions(accountId)).filter(({ grant }) => grant === id)
    await Promise.all(opened.map(({ key }) => sessions.revoke(accountId, key)))
  }

  return {
    async list(accountId) {
      const [grants, opened] = await Promise.all([server.listGrants(accountId), accounts.listSessions(accountId)])
      return grants.map((grant) => ({ ...grant, lastUsedAt: lastUseOf(opened, grant.id) }))
    },
    async revoke(accountId, id, request) {
      const isRevoked = await server.revokeGrant(accountId, id, request)
      await removeSessions(accountId, id).catch(onFailure)
      return isRevoked
    },
    async nameSessions(accountId, opened) {
      if (opened.every(({ clientId }) => clientId === null)) return opened.map(withoutClient)
      const names = new Map((await server.listGrants(accountId)).map(({ id, clientName }) => [id, clientName]))
      return opened.flatMap((session) => {
        if (session.clientId === null) return [withoutClient(session)]
        if (session.partOf !== undefined) return []
        const clientName = names.get(session.grant ?? '')
        return clientName === undefined ? [] : [{ ...session, clientName }]
      })
    },
  }
}

function withoutClient(session: ListedSession): PresentedSession {
  return { ...session, clientName: null }
}

/** Returns the latest use: the list is sorted by it. */
function lastUseOf(opened: readonly ListedSession[], id: string): number | null {
  return opened.find(({ grant }) => grant === id)?.lastUsedAt ?? null
}
