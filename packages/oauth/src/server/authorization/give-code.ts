import type { HttpRequest } from '@latchkey/http'
import type { AuthorizationRequest } from '../checks/authorization-request.ts'
import type { ServerContext } from '../context/server-context.ts'
import type { Grant } from '../grants/grants.ts'
import { answerUrl } from './answers.ts'
import type { JudgedSession } from './sign-in-need.ts'

/** Returns the address of a client with a code for what its user has allowed. */
export async function giveCode(
  context: ServerContext,
  request: AuthorizationRequest,
  session: JudgedSession,
  grant: Grant,
): Promise<string> {
  const { clientId, redirectUri, challenge, scopes, resources, nonce, keyBinding } = request
  const { subject, lineage, epoch, factors, authenticatedAt } = session
  const asked = { clientId, redirectUri, challenge, scopes, resources, nonce, keyBinding }
  const by = { sessionKey: lineage, epoch, factors, authenticatedAt, grantId: grant.id }
  return answerUrl(context, request, { code: await context.codes.create(subject, { ...asked, ...by }) })
}

/** Remembers what an account allows a client, by the browser that has sent the request. */
export async function allow(
  { grants, addressOf, emit }: ServerContext,
  browser: HttpRequest,
  { clientId, scopes }: Pick<AuthorizationRequest, 'clientId' | 'scopes'>,
  { subject, key }: Pick<JudgedSession, 'subject' | 'key'>,
): Promise<Grant> {
  const grant = await grants.allow({ accountId: subject, clientId, scopes }, browser)
  const by = { accountId: subject, sessionKey: key, address: addressOf(browser) }
  emit({ type: 'grant.given', ...by, clientId, grantId: grant.id, scopes: grant.scopes })
  return grant
}
