import { decodeBase64url } from '@latchkey/bytes'

/** Secrets that occurred, by what they are. */
export interface Canaries {
  /** Remembers a secret, and the parts of it that are secret alone. */
  add(name: string, secret: string | null | undefined): void
  readonly count: number
  readonly names: readonly string[]
  /** Returns the names of those that stand in a text in any form, with the form. */
  findIn(text: string): readonly string[]
}

export function createCanaries(): Canaries {
  const forms = new Map<string, string>()
  const codes = new Map<string, string>()
  const names = new Set<string>()
  return {
    add(name, secret) {
      if (!secret) return
      names.add(name)
      if (/^\d{6}$/.test(secret)) return void codes.set(secret, name)
      for (const [form, text] of formsOf(secret)) forms.set(text, `${name}, ${form}`)
    },
    get count() {
      return forms.size + codes.size
    },
    get names() {
      return [...names]
    },
    findIn(text) {
      const found = [...forms].filter(([form]) => text.includes(form)).map(([, name]) => name)
      const numbers = new Set(codes.size > 0 ? text.match(/(?<![\w.])\d{6}(?![\w]|\.\d)/g) : [])
      return [...found, ...[...codes].filter(([code]) => numbers.has(code)).map(([, name]) => `${name}, as it is`)]
    },
  }
}

/** A text in every form that something may write it in. */
function formsOf(secret: string): ReadonlyMap<string, string> {
  const forms = new Map<string, string>()
  const whole = Buffer.from(secret, 'utf8')
  forms.set('as it is', secret)
  forms.set('in a URL', encodeURIComponent(secret))
  forms.set('in a form', new URLSearchParams({ s: secret }).toString().slice(2))
  forms.set('in JSON', JSON.stringify(secret).slice(1, -1))
  addBytes(forms, 'whole', whole)
  // `<key>.<secret>`: the key names a record, and may be shown.
  const last = secret.split(/[.~!]/).at(-1) ?? ''
  if (last !== secret && last.length >= 16) {
    forms.set('its secret part', last)
    addBytes(forms, 'its secret part', Buffer.from(last, 'utf8'))
    const bytes = decodeBase64url(last)
    if (bytes) addBytes(forms, 'the bytes of its secret part', Buffer.from(bytes))
  }
  return forms
}

function addBytes(forms: Map<string, string>, what: string, bytes: Buffer): void {
  forms.set(`${what}, in hex`, bytes.toString('hex'))
  forms.set(`${what}, in HEX`, bytes.toString('hex').toUpperCase())
  forms.set(`${what}, as bytes`, bytes.toString('latin1'))
  for (const [index, text] of base64Of(bytes).entries()) {
    forms.set(`${what}, in base64 (${index})`, text)
    forms.set(`${what}, in base64url (${index})`, text.replaceAll('+', '-').replaceAll('/', '_'))
  }
}

/** Within base64 of more than this, it begins at one of three places: what neighbours have no part in. */
function base64Of(bytes: Buffer): readonly string[] {
  return [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replaceAll('=', '')
    const first = Math.ceil((before * 8) / 6)
    const last = Math.floor(((before + bytes.length) * 8) / 6)
    return text.slice(first, last)
  })
}
