import { describeFailure } from '@latchkey/core/internal'
import type { ServerContext } from '../context/server-context.ts'
import type { SessionClient } from '../grants/session-clients.ts'
import { issueLogoutToken } from '../issuing/logout-tokens.ts'

/**
 * Notifies the clients of the revoked sessions of an account, each once (OpenID Connect Back-Channel Logout 1.0 §2.5). Returns
 * before they are notified, so that they can neither delay nor fail the logout. A failure is an event.
 */
export function notifyClients(
  context: ServerContext,
  accountId: string,
  hasEnded: (sessionKey: string) => boolean,
): void {
  const { background, sessionClients, emit } = context
  background.run(async () => {
    try {
      const clients = await sessionClients.list(accountId)
      const told = clients.filter(({ sessionKey }) => hasEnded(sessionKey))
      await Promise.all(told.map((client) => tell(context, accountId, client)))
    } catch (cause) {
      emit({ type: 'logout.failed', accountId, clientId: '', ...failureOf('store', cause) })
    }
  })
}

async function tell(context: ServerContext, accountId: string, told: SessionClient): Promise<void> {
  const { clients, sessionClients, logoutCalls, emit } = context
  const { clientId, sessionKey } = told
  const of = { accountId, sessionKey, clientId }
  try {
    const client = await clients.find(clientId)
    const uri = client?.backchannelLogoutUri ?? null
    if (!(await sessionClients.take(accountId, told))) return
    // The client is disabled, or its address was removed.
    if (!client || uri === null) return
    const createToken = () => issueLogoutToken(context, { client, subject: accountId, sessionKey })
    const outcome = await logoutCalls.post({ clientId, uri }, createToken)
    if (outcome.ok) emit({ type: 'logout.sent', ...of })
    else emit({ type: 'logout.failed', ...of, ...failureOf(outcome.reason, outcome.cause) })
  } catch (cause) {
    emit({ type: 'logout.failed', ...of, ...failureOf('store', cause) })
  }
}

function failureOf<Reason extends string>(reason: Reason, cause: unknown) {
  return { reason, failure: describeFailure(cause), cause }
}
