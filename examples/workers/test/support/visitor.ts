import { origin, type Workers } from './start-workers.ts'

export interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  readonly data: any
  readonly codes: readonly string[]
  readonly text: string
}

/** A person in a browser: with a jar for cookies, on a page of the service. */
export interface Visitor {
  readonly jar: Map<string, string>
  /** Sent with every request, such as `x-csrf-token` and `authorization`. */
  readonly headers: Record<string, string>
  ask(query: string, variables?: object): Promise<Answer>
  submit(path: string, fields: Record<string, string>): Promise<Answer>
}

/** What a browser adds to a request of the service's own page. */
const ownPage = { origin, 'sec-fetch-site': 'same-origin', 'cf-connecting-ip': '192.0.2.7' }

export function createVisitor(workers: Pick<Workers, 'fetch'>): Visitor {
  const jar = new Map<string, string>()
  const own: Record<string, string> = {}
  const send = async (path: string, type: string, body: string): Promise<Answer> => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...ownPage, 'content-type': type, ...(cookie && { cookie }), ...own }
    const response = await workers.fetch(path, { method: 'POST', body, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) keep(jar, line)
    const text = await response.text()
    const { data = null, errors = [] } = path === '/graphql' ? JSON.parse(text) : {}
    const codes = errors.map(({ extensions }: { extensions: { code: string } }) => extensions.code)
    return { status: response.status, data, codes, text }
  }
  return {
    jar,
    headers: own,
    ask: (query, variables = {}) => send('/graphql', 'application/json', JSON.stringify({ query, variables })),
    submit: (path, fields) => send(path, 'application/x-www-form-urlencoded', new URLSearchParams(fields).toString()),
  }
}

function keep(jar: Map<string, string>, line: string): void {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
  if (value === '' || /max-age=0/i.test(line)) jar.delete(name)
  else jar.set(name, value)
}
