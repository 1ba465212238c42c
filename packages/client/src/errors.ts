/** The codes of errors of the client itself. */
type ClientErrorCode = 'NETWORK' | 'STEP_UP_CANCELLED' | 'CSRF_REJECTED'

/**
 * A request that failed: refused by the service with its `code`, or `NETWORK` if no response of the service arrived, or
 * `STEP_UP_CANCELLED`. After `NETWORK` a mutation may have run.
 */
export class AuthError extends Error {
  /** The code of the service, `NETWORK` or `STEP_UP_CANCELLED`. */
  declare readonly code: string
  /** The status of the response; 0 without a response. */
  declare readonly status: number
  /** The argument that was refused: `input.email`. */
  declare readonly field?: string
  declare readonly retryAfterSeconds: number | null
  /** The `X-Request-Id` of the response, for the operator's log. */
  declare readonly requestId: string | null

  constructor(code: string, message: string, response?: Response, cause?: { readonly field?: string } | null) {
    super(message, { cause })
    const { status = 0, headers } = response ?? {}
    Object.assign(this, {
      ...{ name: 'AuthError', code, status, ...(cause?.field && { field: cause.field }) },
      retryAfterSeconds: Number(headers?.get('retry-after')) || null,
      requestId: headers?.get('x-request-id') ?? null,
    })
  }
}

/** Returns the error of the client itself with this code. */
export function clientError(code: ClientErrorCode, response?: Response, cause?: object): AuthError {
  return new AuthError(code, code, response, cause)
}

/** Throws `NETWORK` for an error of the platform, unless the caller has aborted the request by this signal. */
export function rejectMissed(error: Error, signal?: AbortSignal): never {
  throw error.name === 'AuthError' || signal?.aborted ? error : clientError('NETWORK', undefined, error)
}

/** Whether the service has not decided: no answer, too busy, or broken. */
export function isUnanswered({ status = 0 }: Partial<AuthError>): boolean {
  return status < 400 || status === 429 || status > 499
}
