/** Codes that the client adds to those of the service. */
type ClientErrorCode = 'NETWORK' | 'STEP_UP_CANCELLED'

/**
 * A request that failed: refused by the service with its `code`, or `NETWORK` where no answer of the service arrived, or
 * `STEP_UP_CANCELLED`. After `NETWORK` a mutation may have run.
 */
export class AuthError extends Error {
  /** The code of the service, `NETWORK` or `STEP_UP_CANCELLED`. */
  readonly code: string
  /** The status of the response; 0 without a response. */
  readonly status: number
  /** The argument that was refused: `input.email`. */
  readonly field?: string
  readonly retryAfterSeconds: number | null
  /** The `X-Request-Id` of the response, for the operator's log. */
  readonly requestId: string | null

  constructor(code: string, message: string, response?: Response, field?: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'AuthError'
    this.code = code
    this.status = response?.status ?? 0
    if (field !== undefined) this.field = field
    this.retryAfterSeconds = Number(response?.headers.get('retry-after')) || null
    this.requestId = response?.headers.get('x-request-id') ?? null
  }
}

/** Returns the error of a request that no answer of the service arrived to. */
export function networkError(cause: unknown, response?: Response): AuthError {
  const code: ClientErrorCode = 'NETWORK'
  return new AuthError(code, 'The service could not be reached.', response, undefined, { cause })
}

/** Returns the error of a request whose step-up was cancelled. */
export function cancelledError(response: Response): AuthError {
  const code: ClientErrorCode = 'STEP_UP_CANCELLED'
  return new AuthError(code, 'The proof that this needs was not given.', response)
}

/** Whether the service has not decided: no answer, too busy, or broken. */
export function isUnanswered(error: unknown): boolean {
  const { status = 0 } = error as Partial<AuthError>
  return status < 400 || status === 429 || status >= 500
}

/** Whether an error is one of this package, of whichever copy of it. */
export function isAuthError(error: unknown): error is AuthError {
  return (error as Partial<Error> | null)?.name === 'AuthError'
}
