import { createHash } from 'node:crypto'
import type { Accounts } from '@latchkey/accounts'
import { createAuthorizationServer } from '@latchkey/oauth/server'
import { createRefreshTokens } from '@latchkey/sessions'
import { StoreError } from '@latchkey/store'
import type { Apps, AppTokens, ServiceParts } from './service.ts'

type Options = Parameters<typeof createAuthorizationServer>[0]

const issuer = 'https://example.com'
const callback = 'https://app.example.net/callback'
const verifier = 'the-application-keeps-this-text-until-it-redeems-its-code'
const challenge = createHash('sha256').update(verifier).digest('base64url')
const requestOf = (scope: string): URLSearchParams =>
  new URLSearchParams({
    ...{ response_type: 'code', client_id: 'app', redirect_uri: callback, scope },
    ...{ code_challenge: challenge, code_challenge_method: 'S256' },
  })
const lasting = requestOf('notes:read offline_access')
const brief = requestOf('notes:read')

/** The authorization server of the service, created when it is first used, with one application that all people know. */
export function openApps(parts: ServiceParts, accounts: Accounts): Apps {
  let opened: ReturnType<typeof createAuthorizationServer> | null = null
  const open = () => {
    opened ??= createAuthorizationServer(optionsOf(parts, accounts))
    return opened
  }
  const ask = async (form: Readonly<Record<string, string>>): Promise<AppTokens | null> => {
    const body = new URLSearchParams({ client_id: 'app', ...form })
    const response = await open().fetch(new Request(`${issuer}/token`, { method: 'POST', body }))
    refuseOutage(response)
    const answer = (await response.json()) as Readonly<Record<string, string>>
    if (response.status !== 200) return null
    return { accessToken: answer.access_token ?? '', refreshToken: answer.refresh_token ?? null }
  }
  return {
    async authorize(session, { isBrief }) {
      const request = `${issuer}/authorize?${isBrief ? brief : lasting}`
      const response = await open().fetch(new Request(request, { headers: { cookie: session } }))
      refuseOutage(response)
      return new URL(response.headers.get('location') ?? '', issuer).searchParams.get('code')
    },
    redeem: (code) => ask({ grant_type: 'authorization_code', redirect_uri: callback, code, code_verifier: verifier }),
    refresh: (token) => ask({ grant_type: 'refresh_token', refresh_token: token }),
    async withdraw(accountId) {
      const grants = await open().listGrants(accountId)
      const revoked = await Promise.all(grants.map(({ id }) => open().revokeGrant(accountId, id)))
      return revoked.includes(true)
    },
    async revoke(token) {
      const body = new URLSearchParams({ client_id: 'app', token })
      refuseOutage(await open().fetch(new Request(`${issuer}/revoke`, { method: 'POST', body })))
    },
    bindSessions: (sessions) => open().bindSessions(sessions),
    async identify(accessToken) {
      const presented = { method: 'GET', target: '/', headers: new Map([['authorization', `Bearer ${accessToken}`]]) }
      const verdict = await open().readAccessToken(presented, { resource: `${issuer}/` })
      const facts = verdict.ok ? await accounts.identifyToken(verdict.token.claims) : null
      return facts?.kind === 'account' ? facts : null
    },
  }
}

function refuseOutage({ status }: Response): void {
  if (status === 503) throw new StoreError('STORE_UNAVAILABLE', 'the service answered with 503')
}

function optionsOf({ stores, secrets, appKeys, happened, terms }: ServiceParts, accounts: Accounts): Options {
  const { records, documents } = stores
  const now = () => records.now()
  return {
    ...{ issuer, records, documents, secrets, now, keys: appKeys, onEvent: happened },
    refreshTokens: createRefreshTokens({
      ...{ records, secrets, now, onEvent: happened },
      ...{ ttlSeconds: terms.refreshToken, familyTtlSeconds: terms.family, graceSeconds: terms.grace },
    }),
    resources: [`${issuer}/`],
    scopes: ['notes:read'],
    fixedClients: [
      {
        ...{ id: 'app', name: 'Notes', authentication: ['none'], redirectUris: [callback] },
        scopes: ['notes:read', 'offline_access'],
      },
    ],
    accessTokenSeconds: terms.accessToken,
    consent: () => 'granted',
    pages: { signIn: '/sign-in', consent: '/consent' },
    claims: async () => null,
    async signedIn({ headers }) {
      const found = await accounts.identifyCredential(headers.get('cookie') ?? null)
      if (!found) return null
      const { subject, key, epoch, factors } = found.facts
      return { subject, key, lineage: found.session.lineage, epoch, factors }
    },
    async accountState(subject) {
      const account = await stores.accounts.get(subject)
      return account?.status === 'active' ? { epoch: account.epoch } : null
    },
  }
}
