import { encodeBase64url, sha256 } from '@latchkey/bytes'
import type { ClientContext } from '../context/client-context.ts'
import type { OAuthClient } from '../contract/oauth-client.ts'
import { judgeTokens } from '../tokens/id-token.ts'
import { requestTokens } from '../tokens/token-request.ts'
import { readOAuthTokens } from '../tokens/token-set.ts'

type Refresh = OAuthClient['refresh']
type RefreshInput = Parameters<Refresh>[1]
type RefreshVerdict = Awaited<ReturnType<Refresh>>

/**
 * Creates the refresh of a client. Concurrent calls with the same token send a single request, because a provider that
 * rotates refresh tokens treats a second use as theft.
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
