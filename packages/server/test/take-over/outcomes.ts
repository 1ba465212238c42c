import type { Answer } from '../support/visitor.ts'

/** What comes of a try: it is done, a proof is asked for, or it is refused with a code. */
export const outcomes = [
  'reached',
  'open to everyone',
  'there is none',
  'asks for the password',
  'asks for the factor',
  'asks for a code of a mail',
  'UNAUTHENTICATED',
  'INVALID_CREDENTIALS',
  'FORBIDDEN',
  'NOT_FOUND',
  'BAD_USER_INPUT',
] as const
export type Outcome = (typeof outcomes)[number]

/** What reveals nothing, and takes nothing that is secret. */
const open = new Set([
  'csrfToken',
  'signUp',
  'signOut',
  'requestPasswordReset',
  'requestSignInCode',
  'startPasskeySignIn',
  '/sign-up',
  '/sign-out',
  '/passkey/start',
])

/** @throws Error where the answer is none that a user gets. */
export function outcomeOfTry(name: string, answer: Answer): Outcome {
  if (open.has(name)) return 'open to everyone'
  return name.startsWith('/') ? outcomeOfPage(name, answer) : outcomeOfOperation(name, answer)
}

function outcomeOfOperation(name: string, { status, data, errors, text }: Answer): Outcome {
  const [error] = errors
  if (!error && status === 200) {
    const payload = data[name]
    if (name === 'session' && payload === null) return 'UNAUTHENTICATED'
    if (payload?.status === 'SECOND_FACTOR_REQUIRED') return 'asks for the factor'
    return payload === false ? 'NOT_FOUND' : 'reached'
  }
  const { code = null, factors = [] } = { ...error?.extensions }
  if (code === 'STEP_UP_REQUIRED')
    return Array.isArray(factors) && factors.includes('password') ? 'asks for the password' : 'asks for the factor'
  return known(code, `${name}: ${status} ${text}`)
}

const ofStatus: Readonly<Record<number, Outcome>> = {
  200: 'reached',
  400: 'BAD_USER_INPUT',
  401: 'INVALID_CREDENTIALS',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
}

function outcomeOfPage(name: string, { status, headers, text }: Answer): Outcome {
  const location = headers.get('location') ?? ''
  if (status !== 303) return known(ofStatus[status], `${name}: ${status} ${text}`)
  if (location.startsWith('/sign-in-code')) return 'asks for a code of a mail'
  if (location.startsWith('/sign-in')) return 'UNAUTHENTICATED'
  if (location.startsWith('/second-factor')) return 'asks for the factor'
  // Without a factor there are no codes to replace, and the page leads back.
  if (name === '/account/recovery-codes') return 'NOT_FOUND'
  return location.startsWith('/confirm-password') ? 'asks for the password' : 'reached'
}

function known(code: unknown, said: string): Outcome {
  const outcome = outcomes.find((one) => one === code)
  if (!outcome) throw new Error(said)
  return outcome
}
