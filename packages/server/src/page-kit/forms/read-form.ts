import { AccessError } from '@latchkey/graphql'
import { type HttpRequest, isHttpError } from '@latchkey/http'

/** More than the fields of a form have. */
const formBytes = 8_192

/** The bodies of forms that have arrived: a body can be read once. */
const received = new WeakMap<HttpRequest, Promise<string | null>>()

/** Waits for the body of a form, which its sender may delay. Errors are reported by `readForm`. */
export async function receiveForm(request: HttpRequest, limitBytes: number = formBytes): Promise<void> {
  if (isForm(request)) await textOf(request, limitBytes).catch(() => undefined)
}

/**
 * Returns the fields of a posted form, or `null` when the body is not a form, is larger than the limit or repeats a name.
 *
 * @throws AccessError `RATE_LIMITED` when its address has taken more than its share.
 */
export async function readForm(request: HttpRequest): Promise<ReadonlyMap<string, string> | null> {
  const text = isForm(request) ? await textOf(request, formBytes) : null
  if (text === null) return null
  const entries = [...new URLSearchParams(text)]
  const fields = new Map(entries)
  return fields.size === entries.length ? fields : null
}

/** Returns a posted form as it was sent, or `null` as above. */
export async function readFormText(request: HttpRequest): Promise<string | null> {
  return isForm(request) ? textOf(request, formBytes) : null
}

function isForm(request: HttpRequest): boolean {
  const [type = ''] = (request.headers.get('content-type') ?? '').split(';')
  return type.trim().toLowerCase() === 'application/x-www-form-urlencoded'
}

function textOf(request: HttpRequest, limitBytes: number): Promise<string | null> {
  const known = received.get(request)
  if (known) return known
  const text = readText(request, limitBytes)
  received.set(request, text)
  return text
}

async function readText(request: HttpRequest, limitBytes: number): Promise<string | null> {
  try {
    return await request.body(limitBytes)
  } catch (error) {
    if (!isHttpError(error)) throw error
    if (error.code === 'HTTP_RATE_LIMITED') throw new AccessError('RATE_LIMITED', { cause: error })
    return null
  }
}
