/** A page, or what else was answered in its place. */
export interface Visited {
  readonly url: URL
  readonly status: number
  readonly text: string
}

/** A browser without scripts: it keeps the cookies of each name, follows redirects, and presses buttons. */
export interface FormBrowser {
  open(address: string): Promise<Visited>
  /** Presses the button with that text, in the form that has it, with what was typed into the form. */
  press(page: Visited, button: string, typed?: Readonly<Record<string, string>>): Promise<Visited>
  /** Posts what a form of that page would. */
  post(page: Visited, path: string, fields: Readonly<Record<string, string>>): Promise<Visited>
  /** Forgets the cookies of a name, as another user's browser has none. */
  forget(hostname: string): void
}

const mostRedirects = 10

export function createFormBrowser(): FormBrowser {
  const cookies = new Map<string, Map<string, string>>()

  async function follow(url: URL, init: RequestInit = {}, redirects = 0): Promise<Visited> {
    if (redirects > mostRedirects) throw new Error(`redirected without end, at last to ${url}`)
    const jar = cookies.get(url.hostname) ?? new Map<string, string>()
    cookies.set(url.hostname, jar)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, { ...init, redirect: 'manual', headers: { ...init.headers, cookie } })
    for (const line of response.headers.getSetCookie()) keep(jar, line)
    const location = response.headers.get('location') ?? readRefresh(response.headers)
    if (location !== null) return follow(new URL(location, url), {}, redirects + 1)
    return { url, status: response.status, text: await response.text() }
  }

  function send({ origin }: URL, action: URL, body: URLSearchParams): Promise<Visited> {
    const site = origin === action.origin ? 'same-origin' : 'cross-site'
    return follow(action, { method: 'POST', body, headers: { origin, 'sec-fetch-site': site } })
  }

  return {
    open: (address) => follow(new URL(address)),
    press(page, button, typed = {}) {
      const { action, body } = formOf(page, button)
      for (const [name, value] of Object.entries(typed)) body.set(name, value)
      return send(page.url, action, body)
    },
    post: ({ url }, path, fields) => send(url, new URL(path, url), new URLSearchParams(fields)),
    forget: (hostname) => void cookies.delete(hostname),
  }
}

/** A page that leads on by itself. */
function readRefresh(headers: Headers): string | null {
  return /^0; url=(.*)$/.exec(headers.get('refresh') ?? '')?.[1] ?? null
}

function keep(jar: Map<string, string>, line: string): void {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
  if (value === '') jar.delete(name)
  else jar.set(name, value)
}

/** The form with a button, and what it sends without being filled in. */
function formOf({ text, url }: Visited, label: string): { action: URL; body: URLSearchParams } {
  for (const [, attributes = '', inside = ''] of text.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)) {
    const buttons = [...inside.matchAll(/<button\b([^>]*)>(.*?)<\/button>/gs)]
    const pressed = buttons.find(([, , shown = '']) => toText(shown.replace(/<[^>]*>/g, '')).trim() === label)
    if (!pressed) continue
    const inputs = [...inside.matchAll(/<input\b([^>]*)>/g)].map(([, input = '']) => input)
    const body = new URLSearchParams()
    for (const sender of [...inputs, pressed[1] ?? '']) {
      const name = attribute(sender, 'name')
      if (name !== null) body.set(name, attribute(sender, 'value') ?? '')
    }
    return { action: new URL(attribute(attributes, 'action') ?? '', url), body }
  }
  throw new Error(`no button “${label}” at ${url}: ${text.slice(text.indexOf('<main'))}`)
}

function attribute(tag: string, name: string): string | null {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1]
  return value === undefined ? null : toText(value)
}

function toText(escaped: string): string {
  const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
  return escaped.replace(/&(amp|lt|gt|quot|#39);/g, (_entity, name: string) => entities[name] ?? '')
}
