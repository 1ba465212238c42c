import { createSealer, deriveSecrets, randomBytes } from '@latchkey/bytes'
import { createClientRegistry, type FixedClient } from '@latchkey/oauth/server'
import {
  createMemoryDocumentStore,
  createMemoryRecordStore,
  type DocumentStore,
  type RecordStore,
} from '@latchkey/store'
import { storedVersion as newest } from '@latchkey/store/internal'
import { expect, test } from 'vitest'
import { answerOf, authorizeTarget, type Browser, callback, decideAt, locationOf, pair } from './support/provider.ts'
import { createToldProvider, type ToldProvider } from './support/told-clients.ts'

const older = newest - 1
const accountId = 'acc_ada'
const now = () => 1_790_000_000_000
const secrets = [{ id: 'a', bytes: randomBytes(32) }] as const
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'
const television: FixedClient = {
  id: 'tv',
  name: 'Television',
  authentication: ['none'],
  grantTypes: [deviceGrant],
  scopes: ['openid'],
}
const signedIn = { subject: accountId, key: 'se_1', epoch: 0, factors: [{ kind: 'password', at: now() }] }
const client = {
  id: 'desk',
  name: 'Desk',
  authentication: ['none'],
  redirectUris: [callback],
  backchannelLogoutUri: 'https://desk.example.com/logout',
  scopes: ['openid', 'profile', 'articles:read'],
} as const
/** Its request is too long for an address. */
const long = 's'.repeat(2048)

/** A server, what it has written, and a browser which is signed in there. */
interface Side extends ToldProvider {
  readonly version: number
  readonly documents: DocumentStore
  readonly browser: Browser
  /** Kind of value → the versions that were written. */
  readonly written: Map<string, Set<number>>
}

async function openSide(version: number, stores: { records: RecordStore; documents: DocumentStore }): Promise<Side> {
  const written = new Map<string, Set<number>>()
  const note = (kind: string, text: string): void => {
    // A digest may stand before the value; a mark has no members; families are written by the option `refreshTokens`.
    const [json] = /\{".*/.exec(text) ?? []
    if (json === undefined || kind === 'rt') return
    const { v = 0, value } = JSON.parse(json)
    written.set(kind, (written.get(kind) ?? new Set()).add(v))
    if (typeof value === 'string') note(`${kind}, what it is for`, value)
  }
  const records: RecordStore = {
    ...stores.records,
    now,
    insert(record) {
      note(record.key.split('_', 1)[0] ?? '', record.value)
      return stores.records.insert(record)
    },
    replace(current, next) {
      note(current.key.split('_', 1)[0] ?? '', next.value)
      return stores.records.replace(current, next)
    },
  }
  const documents: DocumentStore = {
    ...stores.documents,
    insert(document) {
      note(document.collection, document.value)
      return stores.documents.insert(document)
    },
    replace(current, next) {
      note(current.collection, next.value)
      return stores.documents.replace(current, next)
    },
  }
  const storedVersion = () => version
  const options = { records, documents, secrets, storedVersion, signedIn: async () => signedIn }
  const asked = { consent: () => 'ask' as const, fixedClients: [television], now }
  const provider = await createToldProvider(undefined, { ...options, ...asked })
  return { ...provider, version, documents, written, browser: provider.openBrowser() }
}

/** The browser goes on at the other server. */
function takeAlong(from: Side, to: Side): void {
  for (const [name, value] of from.browser.cookies) to.browser.cookies.set(name, value)
}

const target = (changes = {}) => authorizeTarget({ client_id: client.id, scope: 'openid', ...changes })
const formOf = (changes = {}) => Object.fromEntries(new URLSearchParams(target(changes).split('?')[1]))

/** Notes the version of a value that travels in its handle. */
async function noteSealed({ written }: Side, handle: string | null, purpose: string): Promise<void> {
  const [, kind = '', sealed] = /^(ar|pp)\.(.*)$/.exec(handle ?? '') ?? []
  if (sealed === undefined) return
  const sealer = createSealer({ secrets: deriveSecrets(secrets, `oauth/${purpose}`), purpose: kind })
  const opened = new TextDecoder().decode((await sealer.open(sealed, '')) ?? undefined)
  const { v } = JSON.parse(opened.slice(opened.indexOf('{')))
  const name = `${kind}, sealed`
  written.set(name, (written.get(name) ?? new Set()).add(v))
}

/** A client is registered at the one, and asks at both; the grant is changed at the other. */
async function authorize(one: Side, other: Side): Promise<readonly string[]> {
  const { documents, version } = one
  await createClientRegistry({ documents, storedVersion: () => version }).create(client)
  const codes: string[] = []
  for (const [changes, isPosted] of [
    [{ scope: 'openid' }, false],
    [{ scope: 'openid profile', state: long }, false],
    [{ scope: 'openid articles:read' }, true],
    [{ scope: 'openid', prompt: 'consent', state: long }, true],
  ] as const) {
    const posted = isPosted
      ? await one.browser.post('/authorize', formOf(changes), { 'sec-fetch-site': 'cross-site' })
      : null
    const handle = posted && locationOf(posted).searchParams.get('handle')
    await noteSealed(one, handle, 'posted')
    takeAlong(one, other)
    const [asked, decided] = posted ? [other, one] : [one, other]
    const response = await asked.browser.get(posted?.headers.get('location') ?? target(changes))
    const waiting = locationOf(response).searchParams.get('handle')
    await noteSealed(asked, waiting, 'pending')
    takeAlong(asked, decided)
    const back = await decideAt(decided, decided.browser, response)
    codes.push(back.searchParams.get('code') ?? '')
  }
  const pushed = await one.browser.post('/par', formOf())
  const { request_uri } = await pushed.json()
  const answered = await other.browser.get(`/authorize?${new URLSearchParams({ client_id: client.id, request_uri })}`)
  return [...codes, answerOf(answered).code ?? '']
}

/** Codes are used, and their tokens end, in turn. */
async function useUp(one: Side, other: Side, codes: readonly string[]): Promise<void> {
  for (const [index, code] of codes.entries()) {
    const [redeeming, revoking] = index % 2 === 0 ? [one, other] : [other, one]
    const shown = { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: pair.verifier }
    const answer = await redeeming.browser.post('/token', { ...shown, client_id: client.id })
    const { access_token: token } = await answer.json()
    const authorization = { authorization: `Bearer ${token}` }
    expect((await revoking.browser.get('/userinfo', authorization)).status).toBe(200)
    await revoking.browser.post('/revoke', { token, client_id: client.id })
    expect((await redeeming.browser.get('/userinfo', authorization)).status).toBe(401)
  }
  await other.server.endSession(accountId, signedIn.key)
  await other.server.settled()
  expect(other.told.map(({ claims }) => claims.aud)).toEqual([client.id])
}

async function connectDevice(one: Side, other: Side): Promise<void> {
  const begun = await one.browser.post('/device_authorization', { client_id: 'tv', scope: 'openid' })
  const { device_code, user_code: userCode } = await begun.json()
  const poll = async (side: Side) =>
    (await side.browser.post('/token', { grant_type: deviceGrant, client_id: 'tv', device_code })).json()
  expect(await poll(other)).toMatchObject({ error: 'authorization_pending' })
  const shown = await other.server.readDevice(other.browser.request('/device'), userCode)
  const decision = { userCode, token: shown.ok ? shown.token : null, decision: 'allow' } as const
  expect(await other.server.decideDevice(other.browser.request('/device'), decision)).toEqual({ ok: true })
  expect(await poll(one)).toMatchObject({ token_type: 'Bearer' })
}

async function live(first: number, second: number) {
  const stores = { records: createMemoryRecordStore({ now }), documents: createMemoryDocumentStore() }
  const [one, other] = [await openSide(first, stores), await openSide(second, stores)] as const
  const codes = await authorize(one, other)
  await connectDevice(one, other)
  await useUp(one, other, codes)
  expect(await one.server.listGrants(accountId)).toEqual(await other.server.listGrants(accountId))
  return [one.written, other.written]
}

const kinds = [
  'ac',
  'ac, what it is for',
  'ar',
  'ar, sealed',
  'dc',
  'denials',
  'oauth-client',
  'oauth-grant',
  'pp',
  'pp, sealed',
  'pr',
  'sc',
]

test.each([older, newest])(
  'all records of a server have the version %i if the service writes this version',
  async (version) => {
    const [one, other] = await live(version, version)
    const written = new Map([...(one ?? []), ...(other ?? [])])
    expect([...written.keys()].sort()).toEqual(kinds)
    for (const [kind, versions] of [...(one ?? []), ...(other ?? [])])
      expect([kind, ...versions]).toEqual([kind, version])
  },
)

test.each([
  [older, newest],
  [newest, older],
])("servers that write version %i and version %i read each other's records", async (first, second) => {
  const [one, other] = await live(first, second)
  expect(one?.get('sc')).toEqual(new Set([first]))
  expect(other?.get('ac')).toContain(second)
})
