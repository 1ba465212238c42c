import { emailOf, password } from './start-guide.ts'

export interface Visited {
  readonly status: number
  readonly location: string | null
  readonly retryAfter: string | null
  /** The `Set-Cookie` lines. */
  readonly cookies: readonly string[]
  readonly text: string
  /** The hidden field of the form that is shown. */
  readonly csrf: string
}

/** A browser without scripts and with an address of its own. It keeps cookies, and follows no redirect by itself. */
export interface Visitor {
  /** Name → value. */
  readonly jar: Map<string, string>
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Visited>
  /** Posts a form of a page of the application. */
  post(
    path: string,
    fields: Readonly<Record<string, string>> | URLSearchParams,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Visited>
  signIn(name: string, more?: Readonly<Record<string, string>>): Promise<Visited>
}

let visitors = 0

export function createVisitor(origin: string, address = `203.0.113.${++visitors}`): Visitor {
  const jar = new Map<string, string>()
  async function send(path: string, init: RequestInit & { readonly headers: Readonly<Record<string, string>> }) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { 'x-forwarded-for': address, ...(cookie !== '' && { cookie }), ...init.headers }
    const response = await fetch(origin + path, { ...init, redirect: 'manual', headers })
    const cookies = response.headers.getSetCookie()
    for (const line of cookies) keep(jar, line)
    const text = await response.text()
    return {
      status: response.status,
      location: response.headers.get('location'),
      retryAfter: response.headers.get('retry-after'),
      cookies,
      text,
      csrf: /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? '',
    }
  }
  const post: Visitor['post'] = (path, fields, headers = {}) =>
    send(path, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: without({ origin, 'sec-fetch-site': 'same-origin', ...headers }, ''),
    })
  return {
    jar,
    get: (path, headers = {}) => send(path, { headers }),
    post,
    signIn: (name, more = {}) => post('/sign-in', { email: emailOf(name), password, ...more }),
  }
}

/** A header with that value is not sent. */
function without(headers: Readonly<Record<string, string>>, left: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== left))
}

function keep(jar: Map<string, string>, line: string): void {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
  if (value === '') jar.delete(name)
  else jar.set(name, value)
}
