import type { HttpRequest } from '@latchkey/http'
import type { AuthorizationRequest } from '../checks/authorization-request.ts'
import { hostOfClientId } from '../clients/client-host.ts'
import { redirectTargetOf } from '../clients/redirect-uri.ts'
import type { RegisteredClient } from '../clients/registered-client.ts'
import type { ServerContext } from '../context/server-context.ts'
import type { Grant, ShownClient } from '../grants/grants.ts'
import { answerUrl } from './answers.ts'
import type { JudgedSession } from './sign-in-need.ts'

/** Returns the client's redirect with a code for the allowed request. */
export async function giveCode(
  context: ServerContext,
  request: AuthorizationRequest,
  session: JudgedSession,
  grant: Grant,
): Promise<string> {
  const { clientId, redirectUri, challenge, scopes, resources, nonce, keyBinding } = request
  const { subject, lineage, epoch, factors, authenticatedAt } = session
  if (request.document) await context.metadataClients?.allow(request.document)
  const asked = { clientId, redirectUri, challenge, scopes, resources, nonce, keyBinding }
  const by = { sessionKey: lineage, epoch, factors, authenticatedAt, grantId: grant.id }
  return answerUrl(context, request, { code: await context.codes.create(subject, { ...asked, ...by }) })
}

interface Allowed extends Pick<AuthorizationRequest, 'clientId' | 'scopes'> {
  /** Omitted: the client is registered. */
  readonly shown?: ShownClient | null
}

/** Returns the data of an unregistered client that its user was shown; `null`: the client is registered. */
export function shownOf(
  { id, name }: RegisteredClient,
  { redirectUri }: Pick<AuthorizationRequest, 'redirectUri'>,
): ShownClient | null {
  return hostOfClientId(id) === null ? null : { clientName: name, redirectTarget: redirectTargetOf(redirectUri) }
}

/** Stores the consent of an account to a client. */
export async function allow(
  { grants, addressOf, emit }: ServerContext,
  browser: HttpRequest,
  { clientId, scopes, shown = null }: Allowed,
  { subject, key }: Pick<JudgedSession, 'subject' | 'key'>,
): Promise<Grant> {
  const grant = await grants.allow({ accountId: subject, clientId, scopes, shown }, browser)
  const by = { accountId: subject, sessionKey: key, address: addressOf(browser) }
  emit({ type: 'grant.given', ...by, clientId, grantId: grant.id, scopes: grant.scopes })
  return grant
}
