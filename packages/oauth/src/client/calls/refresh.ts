import { encodeBase64url, sha256 } from '@latchkey/bytes'
import type { ClientContext } from '../context/client-context.ts'
import { type IdTokenRefusal, judgeTokens } from '../tokens/id-token.ts'
import { requestTokens } from '../tokens/token-request.ts'
import { readOAuthTokens, type TokenSet } from '../tokens/token-set.ts'

/** Whose tokens are renewed, as the callback has said it: an id token that comes with them must be of the same user. */
export interface RefreshInput {
  readonly issuer: string
  readonly subject: string
}

/** What comes of a refresh. */
export type RefreshVerdict =
  /** `tokens.refreshToken`: the next one; `null`: the one that was shown stays. `claims`: of a new id token. */
  | { readonly ok: true; readonly tokens: TokenSet; readonly claims: Readonly<Record<string, unknown>> | null }
  /** The provider refuses the refresh token: the user signs in again. */
  | { readonly ok: false; readonly reason: 'refused' }
  | { readonly ok: false; readonly reason: 'id-token'; readonly detail: IdTokenRefusal }

/** Renews tokens. */
export type Refresh = (refreshToken: string, input: RefreshInput) => Promise<RefreshVerdict>

/**
 * Creates the refresh of a client. Calls at once with one token are one request: a provider that rotates refresh tokens takes a
 * second one for theft.
 */
export function createRefresh(context: ClientContext): Refresh {
  const underWay = new Map<string, Promise<RefreshVerdict>>()
  return (refreshToken, { issuer, subject }) => {
    const name = encodeBase64url(sha256(JSON.stringify([refreshToken, issuer, subject])))
    const known = underWay.get(name)
    if (known) return known
    const work = renew(context, refreshToken, { issuer, subject }).finally(() => underWay.delete(name))
    underWay.set(name, work)
    return work
  }
}

async function renew(context: ClientContext, refreshToken: string, input: RefreshInput): Promise<RefreshVerdict> {
  return context.askProvider(async (metadata) => {
    const parameters = { refresh_token: refreshToken }
    const response = await requestTokens(context, metadata, 'refresh_token', parameters)
    if (!response) return { ok: false, reason: 'refused' }
    if (context.provider.protocol === 'oauth') {
      return { ok: true, tokens: await readOAuthTokens(context, metadata, response), claims: null }
    }
    const verdict = await judgeTokens(context, metadata, response, { of: 'refresh', ...input })
    return verdict.ok ? verdict : { ok: false, reason: 'id-token', detail: verdict.detail }
  })
}
