export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly cookies: readonly string[]
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  readonly data: any
  readonly errors: readonly {
    readonly message: string
    readonly path?: readonly unknown[]
    readonly extensions: Readonly<Record<string, unknown>> & { readonly code: string }
  }[]
  readonly codes: readonly string[]
}

type Headings = Readonly<Record<string, string>>
export const deliveries = ['SESSION', 'TOKEN', 'NATIVE'] as const
export type Delivery = (typeof deliveries)[number]

/** A user of a service, with a jar for cookies, and perhaps with tokens. */
export interface Visitor {
  readonly jar: Map<string, string>
  csrfToken: string | null
  bearer: string | null
  refreshToken: string | null
  /** By what an application outside browsers is remembered; a browser has a cookie for it. */
  trustedDeviceToken: string | null
  /** Sent with every request. */
  headers: Headings
  ask(query: string, variables?: object, headers?: Headings): Promise<Answer>
  get(path: string, headers?: Headings): Promise<Answer>
  post(path: string, fields: Headings, headers?: Headings): Promise<Answer>
  /** Sends a body as it is. */
  postText(path: string, body: string, headers: Headings): Promise<Answer>
  signIn(email: string, password: string, delivery?: Delivery): Promise<Answer>
}

export const signInMutation = `mutation ($input: SignInInput!) { signIn(input: $input) {
  status account { id name email role } accessToken expiresIn refreshToken csrfToken challenge factors deviceToken
} }`

/** What a browser adds to a request of the service's own page. */
export const ownPage = {
  origin: 'https://example.com',
  'sec-fetch-site': 'same-origin',
  'sec-fetch-mode': 'cors',
  'sec-fetch-dest': 'empty',
}

/** Over sockets with a URL, in process with a server at `baseUrl`. */
export function createVisitor(
  service: { fetch(request: Request): Promise<Response> } | string,
  baseUrl = 'https://example.com',
): Visitor {
  const [origin, send] =
    typeof service === 'string'
      ? [service, fetch]
      : [new URL(baseUrl).origin, (request: Request) => service.fetch(request)]

  const exchange = async (path: string, init: RequestInit, headers: Headings): Promise<Answer> => {
    const all = { ...credentialsOf(visitor, init), ...visitor.headers, ...headers }
    const response = await send(new Request(`${origin}${path}`, { redirect: 'manual', ...init, headers: all }))
    const cookies = response.headers.getSetCookie()
    keepCookies(visitor.jar, cookies)
    if (cookies.some(opensSession) && !response.headers.has('x-csrf-token')) {
      throw new Error(`${path}: the response sets a session cookie without the CSRF token that belongs to it`)
    }
    return toAnswer(response)
  }
  const visitor: Visitor = {
    jar: new Map(),
    csrfToken: null,
    bearer: null,
    refreshToken: null,
    trustedDeviceToken: null,
    headers: {},
    ask: (query, variables = {}, headers = {}) =>
      exchange(
        '/graphql',
        { method: 'POST', body: JSON.stringify({ query, variables }) },
        { 'content-type': 'application/json', accept: 'application/graphql-response+json', ...headers },
      ),
    get: (path, headers = {}) => exchange(path, {}, headers),
    post: (path, fields, headers = {}) => visitor.postText(path, new URLSearchParams(fields).toString(), headers),
    postText: (path, body, headers) =>
      exchange(path, { method: 'POST', body }, { 'content-type': 'application/x-www-form-urlencoded', ...headers }),
    async signIn(email, password, delivery = 'SESSION') {
      const { trustedDeviceToken } = visitor
      const input = { email, password, delivery, ...(trustedDeviceToken !== null && { trustedDeviceToken }) }
      const answer = await visitor.ask(signInMutation, { input })
      const delivered = answer.data?.signIn
      if (delivered) {
        visitor.csrfToken = delivered.csrfToken
        visitor.bearer = delivered.accessToken
        visitor.refreshToken = delivered.refreshToken
      }
      return answer
    },
  }
  return visitor
}

/** The outcomes of what was allowed, and of what needs a fresh proof first. */
export const allowed = [200, null]
export const asked = [401, 'STEP_UP_REQUIRED']

/** Whether an operation was refused because a second factor must be set up first. */
export const saysRestricted = ({ status, errors }: Answer): boolean =>
  status === 403 && errors.length > 0 && errors.every(({ extensions }) => extensions.reason === 'enrollment-required')

/** What happened, in two words. */
export const outcomeOf = ({ status, codes }: Answer): readonly [number, string | null] => [status, codes[0] ?? null]

const opensSession = (line: string): boolean => /^[\w-]*session=/.test(line) && !line.includes('; Max-Age=0')

async function toAnswer(response: Response): Promise<Answer> {
  const text = await response.text()
  const isJson = /json/.test(response.headers.get('content-type') ?? '')
  const body = isJson ? JSON.parse(text) : {}
  const errors: Answer['errors'] = body.errors ?? []
  return {
    status: response.status,
    headers: response.headers,
    cookies: response.headers.getSetCookie(),
    text,
    data: body.data,
    errors,
    codes: errors.map(({ extensions }) => extensions.code),
  }
}

/** Shows the CSRF token where it is required, even if it is an old one. */
function credentialsOf({ jar, bearer, csrfToken }: Visitor, { body }: RequestInit): Record<string, string> {
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  return {
    ...(cookie && { cookie }),
    ...(bearer && { authorization: `Bearer ${bearer}` }),
    ...(csrfToken && String(body).includes('mutation') && { 'x-csrf-token': csrfToken }),
  }
}

function keepCookies(jar: Map<string, string>, lines: readonly string[]): void {
  for (const line of lines) {
    const [pair = '', ...attributes] = line.split('; ')
    const [name = '', value = ''] = pair.split(/=(.*)/s)
    if (attributes.includes('Max-Age=0')) jar.delete(name)
    else jar.set(name, value)
  }
}

/** Copies the credentials of another visitor to one, to show them once more later. */
export function copyOf({ jar, bearer, csrfToken, refreshToken }: Visitor, copy: Visitor): Visitor {
  return Object.assign(copy, { jar: new Map(jar), bearer, csrfToken, refreshToken })
}

/** The cookies that an answer sets, without those that it takes away. */
export function newCookies({ cookies }: Answer): readonly string[] {
  return cookies.filter((line) => !/; max-age=0/i.test(line))
}

/** Shows the refresh token that a visitor has, in its cookie or in the input, and nothing else. */
export function refreshBy(delivery: Delivery, visitor: Visitor): Promise<Answer> {
  const input = delivery === 'NATIVE' ? { refreshToken: visitor.refreshToken } : null
  const query = 'mutation ($input: RefreshInput) { refresh(input: $input) { accessToken refreshToken } }'
  return Object.assign(visitor, { bearer: null }).ask(query, { input })
}
