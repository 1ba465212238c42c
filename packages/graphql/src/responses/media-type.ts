/** A media type or range with its parameters, names and type in lower case (RFC 9110 §8.3.1). */
export interface MediaType {
  readonly type: string
  readonly parameters: readonly (readonly [name: string, value: string])[]
}

const typeForm = /^[!#$%&'*+.^_`|~\w-]+\/[!#$%&'*+.^_`|~\w-]+$/
const parameterForm = /^([!#$%&'*+.^_`|~\w-]+)=(?:([!#$%&'*+.^_`|~\w-]+)|"((?:[^"\\]|\\.)*)")$/

/** Returns a media type, or `null` if the text is not valid. Empty parameters are legal and ignored. */
export function parseMediaType(text: string): MediaType | null {
  const [type = '', ...rest] = splitUnquoted(text, ';')
  if (!typeForm.test(type)) return null
  const parameters = rest.filter((part) => part !== '').map(parseParameter)
  return parameters.every((parameter) => parameter !== null) ? { type: type.toLowerCase(), parameters } : null
}

/**
 * Returns the members of a list, for example of `Accept`. Malformed members are ignored, so they allow no media type.
 */
export function parseMediaTypes(text: string): readonly MediaType[] {
  return splitUnquoted(text, ',').flatMap((part) => parseMediaType(part) ?? [])
}

/** Whether there is no `charset`, or each `charset` is UTF-8. */
export function isUtf8({ parameters }: MediaType): boolean {
  return parameters.every(([name, value]) => name !== 'charset' || /^utf-?8$/i.test(value))
}

/** Whether each `charset` is UTF-8 or has the same bytes for ASCII; some clients send it without need. */
export function isLikeAscii({ parameters }: MediaType): boolean {
  return parameters.every(([name, value]) => name !== 'charset' || /^(?:utf-?8|iso-8859-1|us-ascii)$/i.test(value))
}

function parseParameter(text: string): readonly [string, string] | null {
  const [, name, token, quoted] = parameterForm.exec(text) ?? []
  const value = token ?? quoted?.replace(/\\(.)/g, '$1')
  return name === undefined || value === undefined ? null : [name.toLowerCase(), value]
}

/** Separators within a quoted string are part of it, and an escaped quote does not close it (RFC 9110 §5.6.4). */
function splitUnquoted(text: string, separator: ',' | ';'): readonly string[] {
  const parts: string[] = []
  let start = 0
  let quoted = false
  for (let index = 0; index < text.length; index++) {
    if (quoted && text[index] === '\\') index++
    else if (text[index] === '"') quoted = !quoted
    else if (text[index] === separator && !quoted) {
      parts.push(text.slice(start, index).trim())
      start = index + 1
    }
  }
  return [...parts, text.slice(start).trim()]
}
