import { setTimeout } from 'node:timers/promises'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: what a test looks for in an answer is its own affair
  readonly data: any
  readonly errors: readonly {
    readonly message: string
    readonly path?: readonly unknown[]
    readonly extensions: { readonly code: string } & Record<string, unknown>
  }[]
  readonly text: string
}

export type Variables = Readonly<Record<string, unknown>>

export type Delivery = 'SESSION' | 'TOKEN' | 'NATIVE'

/** A user of the service over HTTP, with a cookie jar and perhaps with tokens. */
export interface Visitor {
  readonly cookies: Map<string, string>
  csrfToken: string | null
  bearer: string | null
  refreshToken: string | null
  /** Of the client, as this machine names it where it is a trusted proxy. */
  readonly address: string
  ask(query: string, variables?: Variables, headers?: Readonly<Record<string, string>>): Promise<Answer>
  signIn(email: string, delivery?: Delivery, password?: string): Promise<Answer>
}

export const seedPassword = 'otters read quietly at dawn'

const signInMutation = `mutation SignIn($input: SignInInput!) {
  signIn(input: $input) { status account { id name role } accessToken expiresIn refreshToken csrfToken challenge factors }
}`

/**
 * Returns a visitor who has not been there yet.
 *
 * @param isPatient asks again what was answered 503, which is what it says: on a busy machine the first connections to a
 * database take longer than a request waits for them.
 */
export function createVisitor(
  url: string,
  { isPatient = false, address = nextAddress() }: { readonly isPatient?: boolean; readonly address?: string } = {},
): Visitor {
  const visitor: Visitor = {
    cookies: new Map(),
    csrfToken: null,
    bearer: null,
    refreshToken: null,
    address,
    ask: (query, variables, headers = {}) => askAs(visitor, url, { query, variables, headers, isPatient }),
    async signIn(email, delivery = 'SESSION', password = seedPassword) {
      const answer = await visitor.ask(signInMutation, { input: { email, password, delivery } })
      keep(visitor, answer.data?.signIn ?? {})
      return answer
    },
  }
  return visitor
}

/** Keeps what an answer has delivered in its body. */
export function keep(
  visitor: Visitor,
  { csrfToken, accessToken, refreshToken }: { csrfToken?: string; accessToken?: string; refreshToken?: string },
): void {
  visitor.csrfToken = csrfToken ?? null
  visitor.bearer = accessToken ?? null
  visitor.refreshToken = refreshToken ?? null
}

export interface Question {
  readonly query: string
  readonly variables?: Variables | undefined
  readonly headers?: Readonly<Record<string, string>>
  /** Asks again what was answered 503. */
  readonly isPatient?: boolean
}

/** A request of a visitor to a process of the service, which need not be the one that the visitor asks otherwise. */
export async function askAs(visitor: Visitor, url: string, question: Question): Promise<Answer> {
  const { query, variables, headers = {}, isPatient = false } = question
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/graphql-response+json',
      ...credentials(visitor, query.includes('mutation')),
      ...headers,
    },
    body: JSON.stringify({ query, ...(variables && { variables }) }),
  })
  keepCookies(visitor.cookies, response.headers.getSetCookie())
  const answer = toAnswer(response, await response.text())
  if (!isPatient || answer.status !== 503) return answer
  await setTimeout(100)
  return askAs(visitor, url, question)
}

/** What a visitor sends with a form of a page. */
export interface SentForm {
  readonly fields?: Readonly<Record<string, string>>
  /** In place of all that the visitor has. */
  readonly cookie?: string
}

/** Opens a page of the service, or with fields sends its form; `publicUrl` is the origin that it serves. */
export async function visit(
  visitor: Visitor,
  { url, publicUrl = url }: { readonly url: string; readonly publicUrl?: string },
  path: string,
  { fields, cookie }: SentForm = {},
): Promise<Answer> {
  const kept = credentials({ ...visitor, bearer: null }, false)
  const ownForm = { origin: publicUrl, 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate' }
  const response = await fetch(`${url}${path}`, {
    redirect: 'manual',
    headers: { ...kept, ...(cookie !== undefined && { cookie }), ...(fields && ownForm) },
    ...(fields && { method: 'POST', body: new URLSearchParams(fields) }),
  })
  keepCookies(visitor.cookies, response.headers.getSetCookie())
  const { status, headers } = response
  return { status, headers, data: undefined, errors: [], text: await response.text() }
}

function toAnswer(response: Response, text: string): Answer {
  const body = text === '' ? {} : JSON.parse(text)
  return { status: response.status, headers: response.headers, data: body.data, errors: body.errors ?? [], text }
}

/** Shows the CSRF token where it is required, even if it is an old one. */
function credentials({ cookies, bearer, csrfToken, address }: Visitor, isMutation: boolean): Record<string, string> {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  return {
    ...(cookie && { cookie }),
    ...(bearer && { authorization: `Bearer ${bearer}` }),
    ...(csrfToken && isMutation && { 'x-csrf-token': csrfToken }),
    'x-forwarded-for': address,
  }
}

function keepCookies(jar: Map<string, string>, lines: readonly string[]): void {
  for (const line of lines) {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
    const [name = '', value = ''] = pair.split(/=(.*)/s)
    if (attributes.some((attribute) => /^max-age=0$/i.test(attribute))) jar.delete(name)
    else jar.set(name, value)
  }
}

let clients = 0

/** Returns an address that no client had before: limits count each for itself, where a service trusts this machine as a proxy. */
export function nextAddress(): string {
  clients += 1
  const [network, subnet] = [Math.floor(clients / 62_500), Math.floor(clients / 250) % 250]
  return `198.${18 + network}.${subnet}.${(clients % 250) + 1}`
}
