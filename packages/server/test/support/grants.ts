import type { StoredAccount } from '@latchkey/accounts'
import { deriveSecrets } from '@latchkey/bytes'
import { createJwtSigner, type JwtClaims, openKeyRing } from '@latchkey/jwt'
import type { RefreshTokens } from '@latchkey/sessions'
import { createRefreshTokens, type RefreshFamily } from '@latchkey/sessions'
import type { Bench } from './bench.ts'

export interface Grant {
  readonly accessToken: string
  readonly refreshToken: string
  readonly family: RefreshFamily
}

/** Signs an access token of the service, with its key and for its audience. */
export async function signToken({ stores, secrets, clock }: Bench, claims: JwtClaims): Promise<string> {
  const now = () => clock.time
  const keys = await openKeyRing({
    documents: stores.documents,
    secrets: deriveSecrets(secrets, 'access-token-keys'),
    algorithm: 'HS256',
    now,
  })
  const issuer = 'https://example.com'
  const signer = createJwtSigner({ issuer, audience: issuer, keys, now })
  return (await signer.sign(claims)).token
}

/** Issues a client of others a family of an account, as an authorization server of the same service would. */
export async function openGrant(
  bench: Bench,
  account: StoredAccount,
  input: Partial<Parameters<RefreshTokens['issue']>[0]> & Pick<Parameters<RefreshTokens['issue']>[0], 'clientId'>,
): Promise<Grant> {
  const { stores, secrets, clock } = bench
  const refreshTokens = createRefreshTokens({
    records: stores.records,
    secrets: deriveSecrets(secrets, 'refresh-tokens'),
    now: () => clock.time,
  })
  const factors = [{ kind: 'password', at: clock.time }]
  const { token, family } = await refreshTokens.issue({ subject: account.id, epoch: account.epoch, factors, ...input })
  const accessToken = await signToken(bench, {
    sub: account.id,
    role: account.roles.join(' '),
    sid: family.key,
    epoch: family.epoch,
    client_id: family.clientId,
    ...(family.scopes && { scope: family.scopes.join(' ') }),
  })
  return { accessToken, refreshToken: token, family }
}
