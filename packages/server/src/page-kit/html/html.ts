import { escapeHtml } from '@latchkey/http'

declare const brand: unique symbol
/** Markup that is safe to send. Only the functions of this file create it, from literals and escaped values. */
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

/** A value in markup. The parts of a list are joined without a separator. */
export type HtmlValue = string | number | Html | readonly Html[]

/** Returns markup: every value is escaped for text and quoted attributes, unless it is `Html`. */
export function html(literals: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const parts = literals.map((literal, index) => literal + (index < values.length ? toMarkup(values[index] ?? '') : ''))
  return safe(parts.join(''))
}

/** No markup. */
export const nothing: Html = html``

/** Returns text as markup, unescaped: for style sheets and scripts, which the sources of this package hold. */
export function trusted(text: string): Html {
  return safe(text)
}

/** Returns a sentence whose words in braces are replaced by values. Both are escaped. */
export function fill(text: string, values: Readonly<Record<string, HtmlValue>>): Html {
  const parts = text.split(/\{(\w+)\}/)
  return safe(parts.map((part, index) => toMarkup(index % 2 === 0 ? part : (values[part] ?? ''))).join(''))
}

function safe(text: string): Html {
  return new SafeHtml(text) as SafeHtml & Html
}

function toMarkup(value: HtmlValue): string {
  if (value instanceof SafeHtml) return value.toString()
  if (Array.isArray(value)) return value.map(toMarkup).join('')
  return escapeHtml(String(value))
}
