import type { HttpRequest } from '@latchkey/http'
import { consumeAll } from '@latchkey/rate-limit'
import type { AuthorizationParts } from '../authorization/authorization-parts.ts'
import { allow } from '../authorization/give-code.ts'
import { judgeSession } from '../authorization/sign-in-need.ts'
import type { RegisteredClient } from '../clients/registered-client.ts'
import type { AuthorizationServer } from '../context/authorization-server.ts'
import type { SignedIn } from '../context/server-options.ts'
import { scopesNow } from '../grant-types/scope.ts'
import { normalizeUserCode, type WaitingDevice } from '../grants/device-codes.ts'

type DeviceVerdict = Awaited<ReturnType<AuthorizationServer['readDevice']>>
type DeviceRefusal = Extract<DeviceVerdict, { readonly ok: false }>
type DeviceDecision = Parameters<AuthorizationServer['decideDevice']>[1]

interface Asked {
  readonly userCode: string
  /** The token of the form on which the device was shown; `null`: the device was not shown yet. */
  readonly token: string | null
}

interface Found {
  readonly ok: true
  readonly device: WaitingDevice
  readonly client: RegisteredClient
  readonly session: SignedIn
}

/** Returns the device whose code a user has entered. */
export async function readDevice(
  parts: AuthorizationParts,
  browser: HttpRequest,
  userCode: string,
): Promise<DeviceVerdict> {
  const found = await findDevice(parts, browser, { userCode, token: null })
  if (!found.ok) return found
  const { client, device, session } = found
  const { scopes } = device.request
  const grant = await parts.grants.find(session.subject, client.id)
  return {
    ok: true,
    client: { id: client.id, name: client.name, kind: client.kind },
    scopes,
    newScopes: scopes.filter((scope) => !grant?.scopes.includes(scope)),
    token: parts.forms.createToken(formOf(session, userCode)),
  }
}

/** Answers a device. Of several calls only one succeeds. */
export async function decideDevice(
  parts: AuthorizationParts,
  browser: HttpRequest,
  { userCode, token, decision }: DeviceDecision,
): Promise<{ readonly ok: true } | DeviceRefusal> {
  const found = await findDevice(parts, browser, { userCode, token })
  if (!found.ok) return found
  const { device, session } = found
  if (!parts.forms.verifyToken(token, formOf(session, userCode))) return { ok: false, reason: 'token' }
  // Of concurrent answers only the first counts, and nothing of the others is stored.
  const isAnswered = (await parts.deviceCodes.claim(device.id)) && (await give[decision](parts, browser, found))
  return isAnswered ? { ok: true } : { ok: false, reason: 'over' }
}

const give = { allow: approve, deny }

async function approve(parts: AuthorizationParts, browser: HttpRequest, { device, session }: Found): Promise<boolean> {
  const { subject, lineage, epoch, factors, authenticatedAt } = judgeSession(session)
  const grant = await allow(parts, browser, device.request, session)
  const by = { accountId: subject, grantId: grant.id, sessionKey: lineage, epoch, factors, authenticatedAt }
  return parts.deviceCodes.answer(device.id, by)
}

async function deny(parts: AuthorizationParts, browser: HttpRequest, { device, session }: Found): Promise<boolean> {
  if (!(await parts.deviceCodes.answer(device.id, null))) return false
  const { clientId, scopes } = device.request
  const by = { accountId: session.subject, sessionKey: session.key, address: parts.addressOf(browser) }
  parts.emit({ type: 'grant.denied', ...by, clientId, scopes })
  return true
}

/** Looks up a code. It counts as an attempt, unless a device has or had this code. */
async function findDevice(
  parts: AuthorizationParts,
  browser: HttpRequest,
  { userCode, token }: Asked,
): Promise<Found | DeviceRefusal> {
  const session = await parts.signedIn(browser)
  if (!session) return { ok: false, reason: 'signed-out' }
  const attempt = await takeAttempt(parts, browser, session)
  if (!attempt.ok) return { ok: false, reason: 'throttled', retryAfterSeconds: attempt.retryAfterSeconds }
  const found = await parts.deviceCodes.find(userCode)
  const client = found && (await parts.clients.find(found.request.clientId))
  const wasShown = client !== null || parts.forms.verifyToken(token, formOf(session, userCode))
  if (!wasShown) return { ok: false, reason: 'unknown' }
  await attempt.giveBack()
  if (!client) return { ok: false, reason: 'over' }
  const scopes = scopesNow(parts, client, found.request.scopes)
  return { ok: true, device: { ...found, request: { ...found.request, scopes } }, client, session }
}

async function takeAttempt(
  { userCodeLimit, addressOf }: AuthorizationParts,
  browser: HttpRequest,
  { subject }: SignedIn,
): ReturnType<typeof consumeAll> {
  if (!userCodeLimit) return { ok: true, giveBack: async () => undefined, fail: async () => undefined }
  return consumeAll([
    [userCodeLimit, 'address', addressOf(browser)],
    [userCodeLimit, 'account', subject],
  ])
}

/** The values that the token of the form is bound to: a valid token proves that this session has seen the device. */
function formOf(session: SignedIn, userCode: string): string {
  return `device ${session.key} ${normalizeUserCode(userCode)}`
}
