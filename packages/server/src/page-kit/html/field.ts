import { type Html, html, nothing } from './html.ts'

/** A field of a form: a label, an input, and the problem with it. */
export interface Field {
  readonly name: string
  /**
   * Its id in the page.
   * @default `name`
   */
  readonly id?: string
  readonly label: string
  readonly type?: 'text' | 'email' | 'password'
  /** Tokens of HTML §4.10.18.7.1, by which password managers know the field. */
  readonly autocomplete: string
  readonly value?: string
  readonly hint?: string | Html
  readonly isOptional?: boolean
  /** Whether the element with the id `problem` describes a problem with this field. The field has the focus then. */
  readonly isWrong?: boolean
  /** The field has the focus when the page is opened. */
  readonly isFirst?: boolean
  readonly inputmode?: 'numeric' | 'text'
}

/** Returns a field with its label. */
export function field(options: Field): Html {
  const { name, id = name, label, type = 'text', autocomplete, value, hint, inputmode } = options
  const described = [options.isWrong ? 'problem' : null, hint === undefined ? null : `${id}-hint`].filter(Boolean)
  return html`<label for="${id}">${label}</label>
<input id="${id}" name="${name}" type="${type}" autocomplete="${autocomplete}"${optional('inputmode', inputmode)}${optional('value', value)}${
    type === 'password'
      ? nothing
      : html` autocapitalize="${autocomplete === 'name' ? 'words' : 'none'}" spellcheck="false"`
  }${options.isOptional ? nothing : html` required`}${options.isWrong ? html` aria-invalid="true"` : nothing}${optional(
    'aria-describedby',
    described.length > 0 ? described.join(' ') : undefined,
  )}${options.isWrong || options.isFirst ? html` autofocus` : nothing}>
${hint === undefined ? nothing : html`<p class="hint" id="${id}-hint">${hint}</p>\n`}`
}

/** Returns the message about a problem. Screen readers announce it at once. */
export function problem(text: string | null): Html {
  return text === null ? nothing : html`<p class="problem" id="problem" role="alert">${text}</p>\n`
}

/** Returns a field that is not shown. */
export function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}">\n`
}

function optional(name: string, value: string | undefined): Html {
  return value === undefined ? nothing : html` ${name}="${value}"`
}
