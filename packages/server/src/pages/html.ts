const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

declare const brand: unique symbol
/** Markup that is safe to send. Only the `html` tag creates it, from literals and escaped values. */
export interface Html {
  readonly [brand]: true
  toString(): string
}

class SafeHtml {
  readonly #text: string
  constructor(text: string) {
    this.#text = text
  }
  toString(): string {
    return this.#text
  }
}

/** Returns markup: every value is escaped for text and quoted attributes, unless it is `Html`. */
export function html(literals: TemplateStringsArray, ...values: readonly (string | number | Html)[]): Html {
  const parts = literals.map(
    (literal, index) => literal + (index < values.length ? escapeHtml(values[index] ?? '') : ''),
  )
  return new SafeHtml(parts.join('')) as SafeHtml & Html
}

function escapeHtml(value: string | number | Html): string {
  if (value instanceof SafeHtml) return value.toString()
  return String(value).replace(/[&<>"']/g, (character) => escapes[character] ?? '')
}
