import { startDuration } from '@latchkey/core/internal'
import { type HttpRequest, isHttpError } from '@latchkey/http'
import type { RequestParams } from 'graphql-http'
import { chooseDocument, type DocumentParams, type TrustedDocumentsOptions } from '../documents/choose-document.ts'
import { AccessError } from '../errors.ts'
import { checkCharset, isRead } from './check-request.ts'

/**
 * A body that is sent together with its head arrives much sooner; a later body can be delayed by its sender for any
 * time.
 */
const lateAfterMs = 250

/** The JSON of a POST, `null` for a GET, and whether it arrived so late that the identity is read again. */
export interface ArrivedBody {
  readonly body: unknown
  readonly isLate: boolean
}

/**
 * Reads the body of a request, up to the limit.
 *
 * @throws AccessError `BAD_REQUEST`, `PAYLOAD_TOO_LARGE`, `UNSUPPORTED_MEDIA_TYPE` if the bytes do not match the
 * charset, `RATE_LIMITED` if the address has used more than its share.
 */
export async function readBody(request: HttpRequest, limitBytes: number): Promise<ArrivedBody> {
  if (isRead(request)) return { body: null, isLate: false }
  const elapsed = startDuration()
  const text = await request.body(limitBytes).catch(throwBodyError)
  checkCharset(request, text)
  return { body: parseJson(text, 'The request body is not valid JSON.'), isLate: elapsed() > lateAfterMs }
}

/** The checked parameters of a request, with the text of its document. */
export interface ReadParams {
  readonly params: RequestParams
  /** Whether the document is a trusted document. */
  readonly isTrusted: boolean
}

/**
 * Returns the checked parameters of a request: from the URL of a GET, from the body of a POST.
 *
 * @throws AccessError `BAD_REQUEST`, and the errors of `chooseDocument`.
 */
export function readParams(
  request: HttpRequest,
  body: unknown,
  trusted: TrustedDocumentsOptions | undefined,
): ReadParams {
  return checkParams(isRead(request) ? paramsOfUrl(request.target) : paramsOfBody(body), trusted)
}

/**
 * Checks the types of the parameters, and returns them with the text of their document.
 *
 * @throws AccessError `BAD_REQUEST`, and the errors of `chooseDocument`.
 */
export function checkParams(given: GivenParams, trusted: TrustedDocumentsOptions | undefined): ReadParams {
  const { operationName, variables, extensions } = given
  const { query, isTrusted } = chooseDocument(given, trusted)
  if (!isAbsent(operationName) && typeof operationName !== 'string') {
    throw malformed('"operationName" must be a string.')
  }
  const params = {
    query,
    operationName: operationName ?? null,
    variables: checkMap('variables', variables),
    extensions: checkMap('extensions', extensions),
  }
  return { params, isTrusted }
}

interface GivenParams extends DocumentParams {
  readonly operationName?: unknown
  readonly variables?: unknown
}

function paramsOfUrl(target: string): GivenParams {
  const queryAt = target.indexOf('?')
  const search = new URLSearchParams(queryAt < 0 ? '' : target.slice(queryAt + 1))
  const read = (name: string): string | undefined => {
    const [value, another] = search.getAll(name)
    if (another !== undefined) throw malformed(`"${name}" appears more than once in the URL.`)
    return value
  }
  const readJson = (name: string): unknown => parseJson(read(name) || 'null', `"${name}" is not valid JSON.`)
  return {
    query: read('query'),
    documentId: read('documentId'),
    operationName: read('operationName'),
    variables: readJson('variables'),
    extensions: readJson('extensions'),
  }
}

function paramsOfBody(body: unknown): GivenParams {
  if (!isMap(body)) throw malformed('The request body must be a JSON object.')
  return body
}

/** A body that was already read is a mistake of the server, not of the client. */
function throwBodyError(error: unknown): never {
  const code = isHttpError(error) ? error.code : null
  if (code === 'HTTP_BODY_TOO_LARGE') throw new AccessError('PAYLOAD_TOO_LARGE')
  if (code === 'HTTP_BODY_INVALID') throw malformed('The request body is not valid UTF-8.')
  if (code === 'HTTP_BODY_ABORTED') throw malformed('The request body is incomplete.')
  if (code === 'HTTP_RATE_LIMITED') throw new AccessError('RATE_LIMITED', { retryAfterSeconds: 5 })
  throw error
}

function parseJson(text: string, message: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw malformed(message)
  }
}

function checkMap(name: string, value: unknown): Record<string, unknown> | null {
  if (isAbsent(value)) return null
  if (!isMap(value)) throw malformed(`"${name}" must be a JSON object.`)
  return value
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined
}

function malformed(message: string): AccessError {
  return new AccessError('BAD_REQUEST', { message })
}
