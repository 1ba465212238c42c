import { isHttpError } from './errors.ts'
import type { HttpResponse } from './http-response.ts'

/** Returns the response to an error of a handler. It contains only the status of the error. */
export function responseToFailure(error: unknown): HttpResponse {
  return { status: isHttpError(error) ? error.status : 500, headers: [], body: null }
}

/** Hands over what is the server's fault. A refused body is the client's and would only fill the log. */
export function reportFailure(error: unknown, onError: ((error: unknown) => void) | undefined): void {
  if (responseToFailure(error).status < 500) return
  try {
    // biome-ignore lint/suspicious/noConsole: the last resort, an error without a listener must not be lost
    const report = onError ?? console.error
    report(error)
  } catch {
    // A log that fails must not end the process, which an unhandled rejection does.
  }
}
