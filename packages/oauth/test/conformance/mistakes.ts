import type { Between } from './provider-under-test.ts'

// What a provider can do wrong, as something that stands between it and everybody else.

const pathOf = (request: Request): string => new URL(request.url).pathname

/** Requests to a path are answered otherwise. */
export const answers =
  (path: string, respond: (request: Request, response: Response) => Response | Promise<Response>): Between =>
  async (request, next) => {
    const response = await next(request.clone())
    return pathOf(request) === path ? respond(request, response) : response
  }

/** The answers of a path in JSON are changed; `is` chooses those of certain requests. */
export const changesJson = (
  path: string,
  change: (body: Record<string, unknown>) => object,
  is: (request: Request) => boolean | Promise<boolean> = () => true,
): Between =>
  answers(path, async (request, response) => {
    if (!(await is(request))) return response
    const body = await response.clone().json()
    return new Response(JSON.stringify(change(body)), { status: response.status, headers: response.headers })
  })

/** Authorization requests reach the provider with other parameters; `null` takes one away. */
export const overlooks =
  (changes: Readonly<Record<string, string | null>>): Between =>
  (request, next) => {
    const url = new URL(request.url)
    if (url.pathname !== '/authorize') return next(request)
    for (const [name, value] of Object.entries(changes)) {
      if (!url.searchParams.has(name)) continue
      if (value === null) url.searchParams.delete(name)
      else url.searchParams.set(name, value)
    }
    return next(new Request(url, request))
  }

/** The answers of the authorization endpoint to a client are changed. */
export const changesAnswer = (change: (to: URL) => void): Between =>
  answers('/authorize', (_request, response) => {
    const location = response.headers.get('location')
    if (location === null || location.startsWith('/')) return response
    const to = new URL(location)
    change(to)
    return redirectTo(to.href)
  })

/** Authorization requests with a parameter are refused. */
export const refuses = (name: string): Between =>
  answers('/authorize', (request, response) => {
    const { searchParams } = new URL(request.url)
    if (!searchParams.has(name)) return response
    const to = new URL(searchParams.get('redirect_uri') ?? '')
    to.search = `${new URLSearchParams({ error: 'invalid_request', state: searchParams.get('state') ?? '' })}`
    return redirectTo(to.href)
  })

/** Goes to whatever address a request names. */
export const trusts = (path: string, name: string): Between =>
  answers(path, async (request, response) => {
    const sent =
      request.method === 'POST' ? new URLSearchParams(await request.text()) : new URL(request.url).searchParams
    const address = sent.get(name)
    return address === null ? response : redirectTo(address)
  })

export function redirectTo(location: string): Response {
  return new Response(null, { status: 303, headers: { location } })
}
