import type { Canaries } from './canaries.ts'

/** An answer of the service, whole. */
export interface RecordedAnswer {
  readonly url: string
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  readonly text: string
}

/** Where an answer delivers what only it may hold. */
const deliveries =
  /"(accessToken|refreshToken|csrfToken|challenge|secret|otpauthUri|deviceToken)":"(?:[^"\\]|\\.)*"|"(?:codes|recoveryCodes)":\[[^\]]*\]|"options":"(?:[^"\\]|\\.)*"/g
/** A page that a link has opened has its token in its form, and every form one against forgeries. */
const ownFields = /name="(?:token|csrfToken|csrf|challenge)" value="[^"]*"|value="[^"]*" name="(?:token|csrf\w*)"/g

/** Records every answer that `fetch` gets until `stop`, and what each of them delivers. */
export function recordAnswers(canaries: Canaries): { readonly answers: RecordedAnswer[]; stop(): void } {
  const answers: RecordedAnswer[] = []
  const original = globalThis.fetch
  globalThis.fetch = async (...given) => {
    const response = await original(...given)
    const text = await response.clone().text()
    answers.push({ url: response.url, status: response.status, headers: [...response.headers], text })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      // It holds a path, which pages show.
      if (name === '__Host-way') continue
      if (value.length >= 16) canaries.add(`the cookie ${name}`, value)
    }
    for (const [name, value] of delivered(text)) canaries.add(name, value)
    return response
  }
  return {
    answers,
    stop() {
      globalThis.fetch = original
    },
  }
}

function* delivered(text: string): Iterable<readonly [name: string, value: string]> {
  for (const [, name = '', value = ''] of text.matchAll(
    /"(accessToken|refreshToken|csrfToken|challenge|secret|deviceToken)":"([^"]*)"/g,
  )) {
    yield [name, value]
  }
  for (const [, list = ''] of text.matchAll(/"(?:codes|recoveryCodes)":\[([^\]]*)\]/g)) {
    for (const [, code = ''] of list.matchAll(/"([^"]*)"/g)) yield ['a recovery code', code]
  }
}

/** Everything of an answer but what it is there to deliver. */
export function besidesDeliveries({ status, headers, text, url }: RecordedAnswer): string {
  const others = headers.filter(([name]) => name !== 'set-cookie' && name !== 'x-csrf-token')
  const body = text.replace(deliveries, '').replace(ownFields, '')
  return `${new URL(url).pathname} ${status}\n${others.map((header) => header.join(': ')).join('\n')}\n${body}`
}
