import { isJsonObject, type JsonMembers } from '../connection/json-object.ts'
import type { ClientContext } from '../context/client-context.ts'
import type { CallbackVerdict, TokenSet } from '../contract/oauth-client.ts'
import type { ProviderMetadata } from '../metadata/provider-metadata.ts'
import { type IdTokenRefusal, judgeTokens } from '../tokens/id-token.ts'
import { codeOf, requestTokens } from '../tokens/token-request.ts'
import { readOAuthTokens } from '../tokens/token-set.ts'
import { type Answer, type AnswerRefusal, readAnswer } from '../transactions/answers.ts'
import { nonceOf, type Transaction, transactionSeconds, verifierOf } from '../transactions/transaction.ts'
import { type PlainRefusal, type ProviderIdentity, readErrorCode } from './callback-verdict.ts'
import { identityOf, userOf } from './provider-identity.ts'

/** The reason for a refused answer, with the detail for an id token. */
type Refusal = PlainRefusal | { readonly idToken: IdTokenRefusal }

/** A used callback is stored longer than it is accepted, because the store's clock may differ. */
const clockMarginMs = 60_000

interface Accepted {
  readonly identity: ProviderIdentity
  readonly tokens: TokenSet
}

/** Verifies a callback. Each callback signs in a user at most once. */
export async function finishSignIn(
  context: ClientContext,
  address: string | URL,
  cookieHeader: string | null,
): Promise<CallbackVerdict> {
  const { provider, cookies, emit } = context
  const answer = await findAnswer(context, address)
  if (typeof answer === 'string') return refuse(context, answer, null)
  const transaction = await cookies.read(answer.state, cookieHeader)
  if (!transaction) return refuse(context, 'state', null)
  const outcome = await judge(context, answer, transaction)
  if (!isAccepted(outcome)) return refuse(context, outcome, transaction)
  emit({ type: 'callback.accepted', provider: provider.name })
  const { identity, tokens } = outcome
  const { returnTo, binding, state } = transaction
  return { ok: true, ...identity, tokens, returnTo, binding, cookie: cookies.clear(state) }
}

function isAccepted(outcome: Refusal | Accepted): outcome is Accepted {
  return typeof outcome === 'object' && 'identity' in outcome
}

function refuse(
  { provider, cookies, emit }: ClientContext,
  refusal: Refusal,
  found: Transaction | null,
): CallbackVerdict {
  const rest = { returnTo: found?.returnTo ?? null, cookie: found && cookies.clear(found.state) }
  const reason = typeof refusal === 'string' ? refusal : 'id-token'
  const detail = typeof refusal === 'string' ? null : refusal.idToken
  emit({ type: 'callback.refused', provider: provider.name, reason, detail })
  return typeof refusal === 'string'
    ? { ok: false, reason: refusal, ...rest }
    : { ok: false, reason: 'id-token', detail: refusal.idToken, ...rest }
}

/** Returns the answer of a callback. A posted answer is loaded by its handle. */
async function findAnswer(
  { redirectUri, provider, postedAnswers }: ClientContext,
  address: string | URL,
): Promise<Answer | AnswerRefusal | 'redirect-uri'> {
  const [url, expected] = [URL.parse(address, redirectUri), new URL(redirectUri)]
  // The host may be a proxy's: providers are told apart by the path.
  if (url?.pathname !== expected.pathname) return 'redirect-uri'
  const parameters = new URLSearchParams(url.searchParams)
  for (const [name, value] of expected.searchParams) {
    if (parameters.getAll(name).join() !== value) return 'redirect-uri'
    parameters.delete(name)
  }
  if (provider.responseMode !== 'form_post') return readAnswer(parameters)
  return (await postedAnswers.take(parameters.get('handle'))) ?? 'state'
}

/** Runs the checks in order. A refusal before `callbacks.accept` leaves the callback unused. */
async function judge(context: ClientContext, answer: Answer, transaction: Transaction): Promise<Refusal | Accepted> {
  const { provider, callbacks } = context
  const endsAt = transaction.startedAt + transactionSeconds * 1000
  if (context.now() >= endsAt) return 'expired'
  const isNamed = await context.askProvider(async (metadata) => isFromProvider(context, metadata, answer))
  if (!isNamed) return 'issuer'
  if (!(await callbacks.accept([answer.state], endsAt + clockMarginMs))) return 'used'
  if (answer.error !== null) return readErrorCode(codeOf(provider.errorCodes, answer.error))
  return context.askProvider((metadata) => redeem(context, metadata, answer, transaction))
}

/** RFC 9207 §2.4. If a provider has many issuers, the issuer is compared with the id token's later. */
function isFromProvider(
  { provider, sharesRedirectUri }: ClientContext,
  metadata: ProviderMetadata,
  answer: Answer,
): boolean {
  if (answer.issuer === null)
    return !sharesRedirectUri && metadata.authorization_response_iss_parameter_supported !== true
  return answer.issuer === provider.issuer || (provider.protocol === 'openid' && provider.issuerOf !== undefined)
}

async function redeem(
  context: ClientContext,
  metadata: ProviderMetadata,
  answer: Answer,
  transaction: Transaction,
): Promise<Refusal | Accepted> {
  // Only an id token says when a user has signed in.
  if (context.provider.protocol === 'oauth' && transaction.maxAgeSeconds !== null) return { idToken: 'missing' }
  const response = await requestTokens(context, metadata, 'authorization_code', {
    code: answer.code ?? '',
    redirect_uri: context.redirectUri,
    code_verifier: verifierOf(transaction),
  })
  if (!response) return 'code'
  const { provider } = context
  if (provider.protocol === 'oauth') {
    const tokens = await readOAuthTokens(context, metadata, response)
    const identity = await userOf(context, provider, tokens.accessToken)
    return identity ? { identity, tokens } : 'user'
  }
  const expected = { of: 'code', nonce: nonceOf(transaction), maxAgeSeconds: transaction.maxAgeSeconds } as const
  const verdict = await judgeTokens(context, metadata, response, expected)
  if (!verdict.ok) return { idToken: verdict.detail }
  const { tokens, claims } = verdict
  const identity = claims && (await identityOf(context, provider, metadata, claims, tokens.accessToken))
  if (!identity) return 'user'
  if (answer.issuer !== null && answer.issuer !== identity.issuer) return 'issuer'
  return { identity: withName(identity, answer.user), tokens }
}

/** Apple posts the name only with its first answer. The name is not signed, so it is only for display. */
function withName(identity: ProviderIdentity, user: string | null): ProviderIdentity {
  const name = user === null || identity.claims.name !== undefined ? null : readName(user)
  return name === null ? identity : { ...identity, claims: { ...identity.claims, name } }
}

function readName(user: string): string | null {
  const { name } = parseObject(user)
  if (!isJsonObject(name)) return null
  const parts = [name.firstName, name.lastName].filter((part) => typeof part === 'string' && part !== '')
  return parts.length > 0 ? parts.join(' ').slice(0, 200) : null
}

function parseObject(text: string): JsonMembers {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : {}
  } catch {
    return {}
  }
}
