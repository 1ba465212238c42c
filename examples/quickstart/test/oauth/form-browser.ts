/** A person in a browser without scripts: follows redirects, keeps cookies, fills in forms. */
export interface FormBrowser {
  /** Opens an address, and returns where it leads: a page of the service, or an address elsewhere. */
  open(address: string | URL): Promise<Visited>
  /** Fills in the form of a page and posts it, by the button of that name and value where there are several. */
  submit(page: Page, fields: Readonly<Record<string, string>>): Promise<Visited>
}

export type Visited = Page | Elsewhere

/** A page of the service. */
export interface Page {
  readonly kind: 'page'
  readonly status: number
  readonly url: URL
  readonly text: string
  readonly headers: Headers
}

/** The browser has left the service: nothing there is asked. */
export interface Elsewhere {
  readonly kind: 'elsewhere'
  readonly url: URL
}

const mostRedirects = 10

/** Creates a browser that knows nothing yet. `origin`: of the service. */
export function createFormBrowser(origin: string): FormBrowser {
  const cookies = new Map<string, string>()

  async function follow(url: URL, init: RequestInit = {}, redirects = 0): Promise<Visited> {
    if (url.origin !== origin) return { kind: 'elsewhere', url }
    if (redirects > mostRedirects) throw new Error(`redirected without end, at last to ${url}`)
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { ...init.headers, ...(cookie && { cookie }), 'sec-fetch-mode': 'navigate' },
    })
    for (const line of response.headers.getSetCookie()) keepCookie(cookies, line)
    const { status, headers } = response
    const location = headers.get('location')
    if (location !== null) return follow(new URL(location, url), {}, redirects + 1)
    return { kind: 'page', status, url, headers, text: await response.text() }
  }

  return {
    open: (address) => follow(new URL(address, origin)),
    submit(page, fields) {
      const form = formOf(page, fields)
      const headers = { origin, 'sec-fetch-site': 'same-origin' }
      return follow(form.action, { method: 'POST', body: form.body, headers })
    },
  }
}

function keepCookie(cookies: Map<string, string>, line: string): void {
  const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
  const [name = '', value = ''] = pair.split(/=(.*)/s)
  if (attributes.some((attribute) => /^max-age=0$/i.test(attribute))) cookies.delete(name)
  else cookies.set(name, value)
}

/** The first form that has all of the fields, with what it sends unasked. */
function formOf({ text, url }: Page, fields: Readonly<Record<string, string>>): { action: URL; body: URLSearchParams } {
  for (const [form, attributes = '', inside = ''] of text.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)) {
    if (!Object.keys(fields).every((name) => form.includes(`name="${name}"`))) continue
    const hidden = [...inside.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)]
    const sent = hidden.map(([, name = '', value = '']) => [name, toText(value)])
    const action = toText(/action="([^"]*)"/.exec(attributes)?.[1] ?? '')
    return { action: new URL(action, url), body: new URLSearchParams([...sent, ...Object.entries(fields)]) }
  }
  throw new Error(`no form with ${Object.keys(fields).join(', ')} at ${url}: ${text}`)
}

function toText(escaped: string): string {
  const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
  return escaped.replace(/&(amp|lt|gt|quot|#39);/g, (_entity, name: string) => entities[name] ?? '')
}
