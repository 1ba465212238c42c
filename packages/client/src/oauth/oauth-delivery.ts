import { type AuthError, isUnanswered } from '../errors.ts'
import type { Kept as Storage } from '../platform/open-storage.ts'
import { ignore } from '../presence/presence.ts'
import { ask } from '../requests/ask.ts'
import type { Delivery, Identified } from '../state/page.ts'
import type { Found } from '../state/session-fields.ts'
import type { Keys } from './open-keys.ts'
import { type Arrival, takeArrival } from './redirects.ts'
import type { TokenEndpoint } from './token-endpoint.ts'

interface Parts {
  readonly issuer: string
  readonly redirectUri: string
  readonly kept: Storage
  readonly keys: Keys
  readonly endpoint: TokenEndpoint
}

/** The delivery of access tokens that are bound to a key, and the result of the redirect. */
export function oauthDelivery<User extends Identified>(
  parts: Parts,
): {
  readonly delivery: Delivery<User>
  redirect(): Promise<{ readonly returnTo: string } | null>
} {
  const { issuer, redirectUri, kept, keys, endpoint } = parts
  /** The response in the address of the page, until its code is exchanged or refused. */
  let arrival: Arrival | null = null
  let outcome: Promise<{ readonly returnTo: string } | null> | undefined
  let resolve: (result: { readonly returnTo: string } | null) => void
  let reject: (error: unknown) => void
  const redirect = (): Promise<{ readonly returnTo: string } | null> => {
    outcome ??= new Promise((onResult, onError) => {
      resolve = onResult
      reject = onError
      arrival = takeArrival(redirectUri, issuer)
      if (!arrival) resolve(null)
    })
    outcome.catch(ignore)
    return outcome
  }
  const delivery: Delivery<User> = {
    credentials: 'omit',
    mayRenew: () => {
      void redirect()
      return !!arrival || kept.get('in') !== null
    },
    show: async (token, { method, url }) => ({
      authorization: `DPoP ${token}`,
      dpop: await endpoint.prove(method, url, token),
    }),
    read: endpoint.read,
    renew: async () => {
      if (!arrival) return refresh(parts)
      const { code, verifier, returnTo } = arrival
      try {
        const form = { grant_type: 'authorization_code', redirect_uri: redirectUri, code, code_verifier: verifier }
        const found = await exchange<User>(parts, form)
        resolve({ returnTo })
        arrival = null
        return found
      } catch (error) {
        if (isUnanswered(error as AuthError)) throw error
        reject(error)
        arrival = null
        return refresh(parts)
      }
    },
    end: async (page, everywhere, token) => {
      const { refreshToken } = await keys.read()
      if (!refreshToken) return
      kept.set('in', '1')
      await keys.write({ refreshToken, isOut: true })
      if (everywhere && token) await ask(page, 'mutation{revokeAllSessions(exceptCurrent:false)}', token).catch(ignore)
      await revoke(parts, refreshToken)
    },
  }
  return { delivery, redirect }
}

/** Exchanges a code or a refresh token, and keeps the result. The result of a refresh is revoked if the user has signed out. */
async function exchange<User>(parts: Parts, form: Readonly<Record<string, string>>): Promise<Found<User> | null> {
  const { keys, endpoint } = parts
  const answer = await endpoint.post('/token', form)
  const isOut = !!form.refresh_token && (await keys.read()).isOut
  const { access_token: token, refresh_token: refreshToken = form.refresh_token, expires_in: expiresIn } = answer
  await keys.write(refreshToken ? { refreshToken, isOut } : {})
  return isOut && refreshToken ? revoke(parts, refreshToken) : { token, expiresIn }
}

async function refresh<User>(parts: Parts, refused?: string): Promise<Found<User> | null> {
  const { isOut, refreshToken } = await parts.keys.read()
  if (!refreshToken || refreshToken === refused) return null
  if (isOut) return revoke(parts, refreshToken)
  try {
    return await exchange(parts, { grant_type: 'refresh_token', refresh_token: refreshToken })
  } catch (error) {
    if ((error as AuthError).code !== 'invalid_grant') throw error
    const found = await refresh<User>(parts, refreshToken)
    if (!found) await parts.keys.write({})
    return found
  }
}

async function revoke({ kept, keys, endpoint }: Parts, token: string): Promise<null> {
  await endpoint.post('/revoke', { token })
  if ((await keys.read()).refreshToken === token) await keys.write({})
  kept.set('in', null)
  return null
}
