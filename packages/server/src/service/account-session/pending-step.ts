import type { HttpRequest } from '@latchkey/http'
import type { ServiceCookies } from '../../options/sessions/service-cookies.ts'

/** A sign-in or a step-up that needs a second factor. */
export interface PendingStep {
  readonly challenge: string
  /** The kinds of factors that can answer. They only decide what the page shows. */
  readonly factors: readonly string[]
  /** Whether the first step was a password. It only decides a text of the page. */
  readonly byPassword?: boolean
}

/** Kinds of factors never contain it, and cookies allow it. */
const separator = '!'

/** Marks a step after a password. It is not a kind of second factor. */
const passwordMark = 'password'

/** Returns the cookie value between two pages. A URL would expose it to logs and other sites. */
export function writePendingStep({ challenge, factors, byPassword = false }: PendingStep): string {
  return [...(byPassword ? [passwordMark] : []), ...factors, challenge].join(separator)
}

export function readPendingStep(request: HttpRequest, { challenge: cookie }: ServiceCookies): PendingStep | null {
  const value = cookie.read(request)
  if (value === null) return null
  const parts = value.split(separator)
  const challenge = parts.pop() ?? ''
  return challenge === '' ? null : { challenge, factors: parts, byPassword: parts.includes(passwordMark) }
}
