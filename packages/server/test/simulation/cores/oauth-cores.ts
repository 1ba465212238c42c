import { createKeyRing, generateJwtKey } from '@latchkey/jwt'
import { createPkcePair } from '@latchkey/oauth'
import { createAuthorizationServer } from '@latchkey/oauth/server'
import { createCredential } from '@latchkey/store'
import { createReplayTrackedCredentials, documentId } from '@latchkey/store/internal'
import type { After, Core } from './core.ts'
import { issuer, type Process, secrets } from './process.ts'
import { allAnswered, answersOf, openAccount, sentences } from './visits.ts'

const scopes = ['offline_access', 'notes:write']
const redirectUri = 'http://127.0.0.1:4001/callback'
const client = { id: 'spa', name: 'SPA', authentication: ['none'], redirectUris: [redirectUri], scopes } as const
// Its signatures are the same for the same token.
const key = await generateJwtKey('EdDSA')

function openAuthorizationServer({ stores, refreshTokens, now }: Process) {
  return createAuthorizationServer({
    ...{ issuer, secrets, refreshTokens, now, records: stores.records, documents: stores.documents },
    keys: createKeyRing({ keys: [key], now }),
    resources: [`${issuer}/graphql`],
    scopes: ['notes:write'],
    fixedClients: [client],
    claims: async () => null,
    signedIn: async () => null,
    accountState: async (subject) => {
      const account = await stores.accounts.get(subject)
      return account?.status === 'active' ? { epoch: account.epoch } : null
    },
    pages: { signIn: '/sign-in', consent: '/consent' },
    onEvent: () => undefined,
  })
}

interface TokenAnswer {
  readonly status: number
  readonly body: { readonly access_token?: string; readonly refresh_token?: string; readonly error?: string }
}

type Form = Readonly<Record<string, string>>

async function askForTokens(process: Process, form: Form): Promise<TokenAnswer> {
  const init = { method: 'POST', body: new URLSearchParams(form) }
  const response = await openAuthorizationServer(process).fetch(new Request(`${issuer}/token`, init))
  return { status: response.status, body: await response.json() }
}

/** Stores a consent and a code of it, as the authorization endpoint does, and returns the form that redeems it. */
async function giveCode(process: Process): Promise<Form> {
  const owner = await openAccount(process)
  const { documents, records } = process.stores
  const [grantId, at] = [createCredential('gr').key, process.now()]
  const consent = { v: 2, grantId, clientId: client.id, scopes, givenAt: at, changedAt: at }
  const id = documentId(owner, client.id)
  await documents.insert({ collection: 'oauth-grant', id, owner, version: grantId, value: JSON.stringify(consent) })
  const { verifier, challenge } = createPkcePair()
  const codes = createReplayTrackedCredentials({ records, kind: 'ac', ttlSeconds: 60, now: process.now })
  const session = { sessionKey: 'se_1', epoch: 0, factors: [], authenticatedAt: at, keyBinding: null }
  const asked = { clientId: client.id, redirectUri, challenge, scopes, resources: [], nonce: null, grantId }
  const { credential } = await codes.create({ owner, value: JSON.stringify({ v: 2, ...asked, ...session }) })
  const named = { client_id: client.id, redirect_uri: redirectUri, code_verifier: verifier }
  return { grant_type: 'authorization_code', code: credential, ...named }
}

function codeOf(...names: readonly string[]): Core<Form> {
  return {
    prepare: giveCode,
    callers: Object.fromEntries(names.map((name) => [name, askForTokens])),
    judge: judgeCode,
  }
}

/** Clients redeem one authorization code. */
export const authorizationCode = codeOf('A', 'B', 'C')
export const authorizationCodeOfTwo = codeOf('A', 'B')

async function judgeCode({ given, endings, process }: After<Form>) {
  // A server whose store has failed answers 503.
  const answers = (Object.values(answersOf(endings)) as readonly TokenAnswer[]).filter(({ status }) => status !== 503)
  const won = answers.filter(({ status }) => status === 200)
  const refresh = async ({ body }: TokenAnswer): Promise<boolean> => {
    const form = { grant_type: 'refresh_token', client_id: client.id, refresh_token: body.refresh_token ?? '' }
    return (await askForTokens(process, form)).status === 200
  }
  const isShownTwice = answers.length > won.length
  const goesOn = won.length > 0 && !isShownTwice ? await refresh(won[0] as TokenAnswer) : null
  const open = isShownTwice ? await Promise.all(won.map(refresh)) : []
  const later = await askForTokens(process, given)
  const left = await Promise.all(won.map(refresh))
  return sentences(
    [won.length > 1, 'two callers win'],
    [answers.some(({ status, body }) => status !== 200 && body.error !== 'invalid_grant'), 'another refusal'],
    [
      goesOn === false && allAnswered(endings) && answers.length === Object.keys(endings).length,
      'shown once, and its tokens are refused',
    ],
    [won.length > 0 && later.status === 200, 'the code works once more'],
    [isShownTwice && later.status === 200, 'the code was refused, and works later'],
    [open.includes(true), 'shown twice, and its tokens go on'],
    [left.includes(true), 'shown once more, and its tokens go on'],
    [(await askForTokens(process, given)).status === 200, 'the code works for ever'],
  )
}
