import { AccessError } from '@latchkey/graphql'
import { type HttpRequest, isHttpError } from '@latchkey/http'

/** More than the fields of a form have. */
const formBytes = 8_192

/**
 * Returns the fields of a posted form, or `null` when the body is not a form, is larger than the limit or repeats a name.
 *
 * @throws AccessError `RATE_LIMITED` when its address has taken more than its share.
 */
export async function readForm(
  request: HttpRequest,
  limitBytes: number = formBytes,
): Promise<ReadonlyMap<string, string> | null> {
  const [type = ''] = (request.header('content-type') ?? '').split(';')
  if (type.trim().toLowerCase() !== 'application/x-www-form-urlencoded') return null
  const text = await request.body(limitBytes).catch((error: unknown) => {
    if (isHttpError(error) && error.code === 'TURN_REFUSED') throw new AccessError('RATE_LIMITED', { cause: error })
    if (isHttpError(error)) return null
    throw error
  })
  if (text === null) return null
  const entries = [...new URLSearchParams(text)]
  const fields = new Map(entries)
  return fields.size === entries.length ? fields : null
}
