import { Agent, type IncomingMessage, request } from 'node:http'
import { text as readText } from 'node:stream/consumers'

/** Where a service answers, and what of it was opened. */
export interface Site {
  /** On 127.0.0.1: the service is known by another name. */
  readonly port: number
  readonly origin: string
  /** The paths that were opened, without their queries. */
  readonly opened: Set<string>
  /** Each place that was 404, or failed, and the page that has led there. */
  readonly dead: Set<string>
}

export interface Answer {
  readonly status: number
  readonly text: string
  /** Where it leads: links, forms, redirects. */
  readonly links: readonly string[]
}

/** One person's browser, which runs no scripts. It follows redirects, and notes what is 404. */
export interface Browser {
  /** Opens a path or an address of the service. */
  open(place: string, from?: string): Promise<Answer>
  /** Sends a form, with the hidden fields that the page before has for it. */
  send(path: string, fields?: Readonly<Record<string, string>>): Promise<Answer>
  /** Sends an operation of a script of the service's own page. */
  ask(query: string, variables?: object): Promise<{ readonly data?: Readonly<Record<string, unknown>> | null }>
  /** Opens whatever the pages so far have led to, and the pages there. */
  openAll(): Promise<void>
}

const agent = new Agent({ keepAlive: true })
const navigation = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', 'sec-fetch-user': '?1' }

export function createBrowser(site: Site, address: string): Browser {
  const jar = new Map<string, string>()
  const seen = new Set<string>()
  const found = new Map<string, string>()
  let page = { path: '/', text: '' }

  async function exchange(method: string, path: string, given: Readonly<Record<string, string>>, body = '') {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const own = { host: new URL(site.origin).host, 'x-forwarded-for': address, 'user-agent': `Browser of ${address}` }
    const headers = { ...own, ...(cookie && { cookie }), 'sec-fetch-site': 'same-origin', ...given }
    const sent = request({ port: site.port, host: '127.0.0.1', path, method, headers, agent })
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      sent.once('response', resolve).once('error', reject).end(body)
    })
    for (const line of response.headers['set-cookie'] ?? []) keepCookie(jar, line)
    return { response, text: await readText(response) }
  }

  async function note(path: string, { response, text }: Awaited<ReturnType<typeof exchange>>, from: string) {
    const { statusCode: status = 0, headers } = response
    const [pathname = ''] = path.split('?', 1)
    seen.add(path)
    site.opened.add(pathname)
    if (status === 404 || status >= 500) site.dead.add(`${status} at ${pathname}, from ${from.split('?', 1)[0]}`)
    const answer = { status, text, links: linksOf(headers, text, site.origin) }
    for (const link of answer.links) if (!found.has(link)) found.set(link, path)
    if (status < 300 || status > 399) page = { path, text }
    const { location } = headers
    return location === undefined || !location.startsWith('/') ? answer : browser.open(location, path)
  }

  const browser: Browser = {
    async open(place, from = 'the address bar') {
      const path = place.startsWith(site.origin) ? place.slice(site.origin.length) || '/' : place
      return note(path, await exchange('GET', path, navigation), from)
    },
    async send(path, fields = {}) {
      const body = new URLSearchParams({ ...hiddenFields(page.text, path), ...fields }).toString()
      const headers = { ...navigation, 'content-type': 'application/x-www-form-urlencoded', origin: site.origin }
      return note(path, await exchange('POST', path, headers, body), page.path)
    },
    async ask(query, variables = {}) {
      const headers = { 'content-type': 'application/json', origin: site.origin }
      const post = async (operation: object, more = {}) =>
        JSON.parse((await exchange('POST', '/graphql', { ...headers, ...more }, JSON.stringify(operation))).text)
      const { data } = await post({ query: '{ csrfToken }' })
      return post({ query, variables }, { ...(data.csrfToken && { 'x-csrf-token': data.csrfToken }) })
    },
    async openAll() {
      const before = page
      for (const [link, from] of found) if (!seen.has(link) && !isOfOneUse(link)) await browser.open(link, from)
      page = before
    },
  }
  return browser
}

/** What a provider leads back to is opened once, by who has come back. */
function isOfOneUse(link: string): boolean {
  return link.includes('/callback?')
}

function keepCookie(jar: Map<string, string>, line: string): void {
  const [pair = '', ...attributes] = line.split('; ')
  const [name = '', value = ''] = pair.split(/=(.*)/s)
  if (attributes.includes('Max-Age=0')) jar.delete(name)
  else jar.set(name, value)
}

/** The places of the service that an answer leads to, as paths with their queries. */
function linksOf(headers: IncomingMessage['headers'], text: string, origin: string): readonly string[] {
  const written = [...text.matchAll(/ (?:href|src|action)="([^"]*)"/g)].map(([, link = '']) => unescapeHtml(link))
  const refresh = /^\d+; url=(.*)$/.exec(String(headers.refresh ?? ''))?.[1]
  const given = [...written, refresh, headers.location].filter((link): link is string => link !== undefined)
  return given
    .map((link) => (link.startsWith(origin) ? link.slice(origin.length) || '/' : link))
    .filter((link) => link.startsWith('/'))
}

/** The fields of a form that are not shown. */
function hiddenFields(text: string, action: string): Readonly<Record<string, string>> {
  const form = text
    .split('<form ')
    .find((part) => part.includes(` action="${action}"`) || part.startsWith(`action="${action}"`))
  const [inside = ''] = (form ?? '').split('</form>', 1)
  const fields = inside.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)
  return Object.fromEntries([...fields].map(([, name = '', value = '']) => [name, unescapeHtml(value)]))
}

function unescapeHtml(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}
