import { createPkcePair } from '@latchkey/oauth'
import { createAuthorizationServer, createClientRegistry, type FixedClient } from '@latchkey/oauth/server'
import type { ServerOptions } from '@latchkey/server'
import { type Bench, type BenchOptions, password, type policy } from '../bench.ts'
import { createFactorBench } from '../factor-bench.ts'
import { ownForm } from '../forms.ts'
import type { Answer, Visitor } from '../visitor.ts'

export const callback = 'https://reader.example.org/callback'

/** The client of an application, which may ask for all that there is. */
export const reader: FixedClient = {
  id: 'reader',
  name: 'Reader',
  authentication: ['none'],
  redirectUris: [callback],
  postLogoutRedirectUris: ['https://reader.example.org/'],
  scopes: ['openid', 'profile', 'email', 'offline_access', 'notes:write', 'accounts:read'],
}
const pocket: FixedClient = {
  id: 'pocket',
  name: 'Pocket',
  kind: 'native',
  authentication: ['none'],
  redirectUris: ['com.example.pocket:/callback'],
  scopes: ['openid'],
}
const television: FixedClient = {
  id: 'television',
  name: 'Television',
  authentication: ['none'],
  grantTypes: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
  redirectUris: [],
  scopes: ['openid', 'offline_access', 'notes:write'],
}

type Oauth = NonNullable<ServerOptions<typeof policy>['oauth']>

/** An authorization server whose users are asked. */
const asking: Oauth = (parts) => createAuthorizationServer({ ...parts, fixedClients: [reader, pocket, television] })

/** A service with clients and every second factor. */
export function createAskingBench(given: BenchOptions = {}): Bench {
  return createFactorBench({ ...given, options: { oauth: asking, ...given.options } })
}

/** The path of a request of a client; `null` leaves a parameter out. */
export function requestPath(changes: Readonly<Record<string, string | null>> = {}): string {
  const asked = {
    response_type: 'code',
    client_id: 'reader',
    redirect_uri: callback,
    scope: 'openid',
    state: 'state-1',
    code_challenge: createPkcePair().challenge,
    code_challenge_method: 'S256',
    ...changes,
  }
  const sent = Object.entries(asked).filter((entry): entry is [string, string] => entry[1] !== null)
  return `/authorize?${new URLSearchParams(sent)}`
}

/** Where an answer leads: a path of the service, or an address elsewhere. */
export function leadsTo({ status, headers, text }: Answer): string {
  if (status !== 303) throw new Error(`it leads nowhere: ${status} ${text}`)
  return headers.get('location') ?? ''
}

/** Goes wherever an answer leads, until there is a page, or an address elsewhere. */
export async function follow(visitor: Visitor, answer: Answer): Promise<Answer> {
  let last = answer
  for (let steps = 0; last.status === 303 && leadsTo(last).startsWith('/'); steps++) {
    if (steps > 10) throw new Error(`it goes round in circles: ${leadsTo(last)}`)
    last = await visitor.get(leadsTo(last))
  }
  return last
}

/** Opens a path, and goes wherever that leads. */
export async function open(visitor: Visitor, path: string): Promise<Answer> {
  return follow(visitor, await visitor.get(path))
}

/** The parameters of the answer to a client. */
export function answerTo(answer: Answer, address: string = callback): Record<string, string> {
  const location = leadsTo(answer)
  if (!location.startsWith(address)) throw new Error(`no answer to the client: ${location}`)
  return Object.fromEntries(new URL(location).searchParams)
}

/** The fields of a page that are not shown, as a browser sends them. */
export function hiddenFields({ text }: Answer): Record<string, string> {
  const found = text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)
  return Object.fromEntries([...found].map(([, name = '', value = '']) => [name, value.replaceAll('&amp;', '&')]))
}

/** Sends the form of a consent page. */
export function decide(visitor: Visitor, page: Answer, decision: string): Promise<Answer> {
  return visitor.post('/consent', { ...hiddenFields(page), decision }, ownForm)
}

/** Sends the form of a sign-in page. */
export function signInAt(visitor: Visitor, page: Answer, email: string, typed = password): Promise<Answer> {
  return visitor.post('/sign-in', { ...hiddenFields(page), email, password: typed }, ownForm)
}

/** Registers a client whose stored name is whatever a store can hold. */
export async function registerNamed({ stores }: Bench, name: string): Promise<string> {
  const { documents } = stores
  const registered = await createClientRegistry({ documents }).create({ ...reader, id: `${reader.id}-${++named}` })
  const { id } = registered.client
  const { value = '', version = '' } = (await documents.get('oauth-client', id)) ?? {}
  const renamed = { version: 'renamed', value: JSON.stringify({ ...JSON.parse(value), name }) }
  if (await documents.replace({ collection: 'oauth-client', id, version }, renamed)) return id
  throw new Error('the client has changed')
}

let named = 0
