import { GraphQLError, Kind } from 'graphql'
import type { Access } from '../access-contract.ts'
import { AccessError, type AccessErrorDetails, isAccessError, UnavailableError } from '../errors.ts'
import { isGraphqlError } from '../graphql-error.ts'
import { rowOfDeclared } from '../responses/declared-errors.ts'
import { ownValue, pickDetails } from '../responses/error-details.ts'
import { type ErrorRow, isAccessErrorCode, setRow, toRetryAfter } from '../responses/error-table.ts'

export interface PresentedErrorsOptions {
  readonly errors: Access['errors']
  /** Returns the refusal for an error of the application, or `null`. */
  readonly translateError: (error: unknown) => AccessError | null
  /** Reports an error that is hidden from the client, and returns the id for the client. */
  readonly report: (cause: unknown, code: FailureCode, path: string | null) => string
}

/** The codes of failures of the service. */
export type FailureCode = 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'

/**
 * Returns the errors of an answer as the client may see them. An `AccessError`, and a `GraphQLError` with a built-in or
 * declared code, is meant for the client. An invalid argument is `BAD_USER_INPUT`. All other errors keep their path and
 * lose their message; an id leads to them in the log. Errors with the same origin share an id.
 */
export function showErrors(errors: readonly GraphQLError[], options: PresentedErrorsOptions): readonly GraphQLError[] {
  if (errors.length === 0) return errors
  const seen = new Map<unknown, Shown>()
  return errors.map((error) => {
    const original = unwrap(error)
    const shown = seen.get(original) ?? judge(error, original, options)
    seen.set(original, shown)
    return locate(error, shown)
  })
}

/** Like `showErrors`, for an error outside of fields. */
export function showThrown(error: unknown, options: PresentedErrorsOptions): GraphQLError {
  const original = error instanceof Error ? error : new Error('A value was thrown that is no error', { cause: error })
  const [shown] = showErrors([new GraphQLError(original.message, { originalError: original })], options)
  return shown ?? new GraphQLError(original.message)
}

/** An error as clients see it. `AccessError` and `GraphQLError` have this shape. */
interface Shown {
  /** The row of a declared code. */
  readonly row?: ErrorRow | null
  readonly message: string
  readonly extensions: Readonly<Record<string, unknown>>
}

function judge(error: GraphQLError, original: unknown, options: PresentedErrorsOptions): Shown {
  const meant =
    findMeant(error, options) ?? readMeant(translate(original, options), options) ?? readArgumentError(original)
  // A wrong secret is answered with the same bytes for every reason.
  if (meant?.extensions.code === 'INVALID_CREDENTIALS') return new AccessError('INVALID_CREDENTIALS')
  return meant ?? hide(error, original, options)
}

function hide({ path }: GraphQLError, original: unknown, { report }: PresentedErrorsOptions): Shown {
  const code = isUnavailable(original) ? 'SERVICE_UNAVAILABLE' : 'INTERNAL_SERVER_ERROR'
  const { message } = new AccessError(code)
  return { message, extensions: { code, id: report(original, code, path?.join('.') ?? null) } }
}

/** A wrapper copies the `extensions` of the wrapped error, so only errors with extensions of their own count. */
function findMeant(error: Error, options: PresentedErrorsOptions): Shown | null {
  if (!isGraphqlError(error)) return readMeant(error, options)
  const { originalError, extensions } = error
  if (!originalError) return readMeant(error, options)
  const isTakenOver = 'extensions' in originalError && originalError.extensions === extensions
  return (isTakenOver ? null : readMeant(error, options)) ?? findMeant(originalError, options)
}

/** The message of an internal error is never sent, even if its code was set on purpose. */
function readMeant(original: unknown, { errors }: PresentedErrorsOptions): Shown | null {
  if (!(isAccessError(original) || isGraphqlError(original))) return null
  const { message, extensions } = original
  const code = ownValue(extensions, 'code')
  if (typeof code !== 'string' || code === 'INTERNAL_SERVER_ERROR') return null
  const declared = errors.get(code)
  const isBuiltIn = isAccessErrorCode(code)
  if (!declared && !isBuiltIn) return null
  const names = [...(isBuiltIn ? builtInDetails : []), ...(declared?.expose ?? [])]
  return {
    message,
    extensions: { code, ...pickDetails(extensions, names), ...(isAccessError(original) && ownDetails(original)) },
    ...(declared && { row: rowOfDeclared(declared) }),
  }
}

const builtInDetails = ['field', 'retryAfterSeconds', 'challenge', 'factors', 'maxAgeSeconds']

/** Clients act on these details, so errors of other services, which may have our codes, cannot set them. */
function ownDetails({ extensions }: AccessError): Shown['extensions'] {
  const { reason, policy } = extensions
  return {
    ...(reasons.has(reason) && { reason }),
    ...(policy !== undefined && { policy }),
    ...pickDetails(extensions, ['scopes']),
  }
}

const reasons: ReadonlySet<unknown> = new Set<AccessErrorDetails['reason']>([
  'enrollment-required',
  'impersonated',
  'api-key',
  'own-pages',
])

/** Sets the seconds of the body to the seconds of the header, or removes them if they are not a number. */
function withRetryAfter(extensions: Shown['extensions']): Shown['extensions'] {
  if (extensions.retryAfterSeconds === undefined) return extensions
  const { retryAfterSeconds, ...others } = extensions
  const seconds = toRetryAfter(retryAfterSeconds)
  return seconds === null ? others : { ...others, retryAfterSeconds: seconds }
}

/** If the translation throws, the original error is reported. */
function translate(original: unknown, { translateError }: PresentedErrorsOptions): AccessError | null {
  try {
    return translateError(original)
  } catch {
    return null
  }
}

/**
 * The executor finds variables that are null although only their default is allowed. GraphQL's message has the type,
 * the value, and the message of the scalar.
 */
function readArgumentError(original: unknown): Shown | null {
  if (!(original instanceof GraphQLError)) return null
  const kind = original.nodes?.[0]?.kind
  return kind !== undefined && kind !== Kind.FIELD ? new AccessError('BAD_USER_INPUT', { message: unusable }) : null
}

const unusable = 'The value of an argument does not match its type.'

/** By code, so that it also works with two copies of the store package. */
const storeCode = /^STORE_[A-Z_]+$/

function isUnavailable(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > 4) return false
  if (storeCode.test(String((error as { readonly code?: unknown }).code))) return true
  return error instanceof UnavailableError || isUnavailable(error.cause, depth + 1)
}

function unwrap(error: GraphQLError): unknown {
  const { originalError } = error
  return isGraphqlError(originalError) ? unwrap(originalError) : (originalError ?? error)
}

function locate({ nodes, source, positions, path }: GraphQLError, { message, extensions, row }: Shown): GraphQLError {
  const located = new GraphQLError(message, { nodes, source, positions, path, extensions: withRetryAfter(extensions) })
  if (row) setRow(located, row)
  return located
}
