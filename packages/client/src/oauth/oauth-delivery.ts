import { type AuthError, isUnanswered } from '../errors.ts'
import type { Kept as Storage } from '../platform/open-storage.ts'
import { ask } from '../requests/ask.ts'
import type { Delivery, Found } from '../state/delivery.ts'
import type { Keys } from './open-keys.ts'
import { type Arrival, takeArrival } from './redirects.ts'
import type { TokenAnswer, TokenEndpoint } from './token-endpoint.ts'

interface Parts {
  readonly issuer: string
  readonly redirectUri: string
  readonly kept: Storage
  readonly keys: Keys
  readonly endpoint: TokenEndpoint
}

/** The answer of the service, once for a page. */
interface Redirected {
  readonly arrival: Arrival | null
  readonly outcome: Promise<{ readonly returnTo: string } | null>
  isPending: boolean
  decide(error: unknown): void
}

/** The delivery of access tokens that are bound to a key, and the result of the redirect. */
export function oauthDelivery<User extends { readonly id: string }>(parts: Parts): {
  readonly delivery: Delivery<User>
  redirect(): Promise<{ readonly returnTo: string } | null>
} {
  const { issuer, redirectUri, kept, endpoint } = parts
  let redirected: Redirected | undefined
  const arrive = (): Redirected => {
    redirected ??= readRedirect(redirectUri, issuer)
    return redirected
  }
  const delivery: Delivery<User> = {
    credentials: 'omit',
    mayRenew: () => arrive().isPending || kept.get('in') !== null,
    sign: async (request, token) => {
      if (token === null) return
      request.headers.set('authorization', `DPoP ${token}`)
      request.headers.set('dpop', await endpoint.prove(request.method, request.url, token))
    },
    read: endpoint.read,
    params: async (token, url) =>
      token === null ? {} : { authorization: `DPoP ${token}`, dpop: await endpoint.prove('GET', url, token) },
    renew: () => renew(parts, arrive()),
    end: (page, everywhere, token) =>
      end(parts, everywhere && token !== null ? () => ask(page, revokeAll, token) : null),
  }
  return { delivery, redirect: () => arrive().outcome }
}

const revokeAll = 'mutation{revokeAllSessions(exceptCurrent:false)}'

function readRedirect(redirectUri: string, issuer: string): Redirected {
  let decide = (_error: unknown): void => {}
  try {
    const arrival = takeArrival(redirectUri, issuer)
    const outcome = new Promise<{ readonly returnTo: string } | null>((resolve, reject) => {
      decide = (error) => (error ? reject(error) : resolve(arrival && { returnTo: arrival.returnTo }))
    })
    outcome.catch(ignore)
    if (!arrival) decide(null)
    return { arrival, outcome, isPending: arrival !== null, decide }
  } catch (error) {
    const outcome = Promise.reject(error)
    outcome.catch(ignore)
    return { arrival: null, outcome, isPending: false, decide }
  }
}

async function renew<User>(parts: Parts, redirected: Redirected): Promise<Found<User> | null> {
  const { arrival } = redirected
  if (!arrival || !redirected.isPending) return refresh(parts)
  try {
    const { code, verifier } = arrival
    const form = { grant_type: 'authorization_code', redirect_uri: parts.redirectUri, code, code_verifier: verifier }
    const found = await take<User>(parts, await parts.endpoint.post('/token', form))
    redirected.isPending = false
    redirected.decide(null)
    return found
  } catch (error) {
    if (isUnanswered(error as AuthError)) throw error
    redirected.isPending = false
    redirected.decide(error)
    return refresh(parts)
  }
}

async function refresh<User>(parts: Parts, refused?: string): Promise<Found<User> | null> {
  const { keys, isOut, refreshToken } = await parts.keys.read()
  if (refreshToken === undefined || refreshToken === refused) return null
  if (isOut) return revoke(parts, refreshToken)
  try {
    const form = { grant_type: 'refresh_token', refresh_token: refreshToken }
    const answer = await parts.endpoint.post('/token', form)
    if (!(await parts.keys.read()).isOut) return await take<User>(parts, answer)
    const newest = answer.refresh_token ?? refreshToken
    await parts.keys.write({ keys, refreshToken: newest, isOut: true })
    return await revoke(parts, newest)
  } catch (error) {
    if ((error as AuthError).code !== 'invalid_grant') throw error
    const found = await refresh<User>(parts, refreshToken)
    if (!found) await parts.keys.write({ keys })
    return found
  }
}

async function take<User>({ keys }: Parts, answer: TokenAnswer): Promise<Found<User>> {
  const { access_token: token, refresh_token: refreshToken, expires_in: expiresIn = 0 } = answer
  await keys.write({ keys: (await keys.read()).keys, ...(refreshToken && { refreshToken }) })
  return { token, expiresIn }
}

async function end(parts: Parts, revokeAllSessions: (() => Promise<unknown>) | null): Promise<void> {
  const kept = await parts.keys.read()
  const { refreshToken } = kept
  if (refreshToken === undefined) return
  parts.kept.set('in', '1')
  await parts.keys.write({ ...kept, isOut: true })
  await revokeAllSessions?.().catch(ignore)
  await revoke(parts, refreshToken)
}

async function revoke({ kept, keys, endpoint }: Parts, token: string): Promise<null> {
  await endpoint.post('/revoke', { token })
  const { keys: pair, refreshToken } = await keys.read()
  if (refreshToken === token) await keys.write({ keys: pair })
  kept.set('in', null)
  return null
}

function ignore(): void {}
