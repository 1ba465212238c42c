import { isAuthError } from './is-auth-error.ts'

const sentences: Readonly<Record<string, string>> = {
  INVALID_CREDENTIALS: 'That does not match. Check it and try again.',
  NETWORK: 'The service cannot be reached. Check your connection and try again.',
  NOT_FOUND: 'It is not there. Perhaps it is a draft of somebody else.',
  FORBIDDEN: 'Your role does not allow this. Nothing has changed.',
  UNAUTHENTICATED: 'Sign in to go on.',
}

/** Returns a sentence that tells the user about a failure. */
export function explain(failure: Error): string {
  if (!isAuthError(failure)) return 'That did not work. Try again.'
  const { code, retryAfterSeconds, message } = failure
  if (retryAfterSeconds) return `Too many attempts. Try again in ${readableTime(retryAfterSeconds)}.`
  return sentences[code] ?? message
}

function readableTime(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} seconds`
  return `${Math.ceil(seconds / 60)} minutes`
}
