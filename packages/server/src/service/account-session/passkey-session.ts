import type { Accounts, Rejection, SignInResult } from '@latchkey/accounts'
import type { PasskeyRequest, SecondStepInput } from '@latchkey/accounts/internal'
import type { HttpRequest } from '@latchkey/http'
import type { ResponseHeaders } from '@latchkey/http/internal'
import { createCredential, parseCredential } from '@latchkey/store'
import type { ServiceCookies } from '../../options/sessions/service-cookies.ts'
import type { PresentedCredentials } from './presented-credentials.ts'

/** The parts that bind a sign-in by any passkey to the browser that starts it. */
export interface PasskeySessionParts {
  readonly base: { readonly response: Pick<ResponseHeaders, 'setCookie'> }
  readonly request: HttpRequest
  /** Reads what else the request carried. */
  readonly read: () => PresentedCredentials
  readonly accounts: Pick<Accounts, 'startPasskeySignIn' | 'finishPasskeySignIn'>
  readonly cookies: Pick<ServiceCookies, 'passkey'>
}

type Sender = Pick<SecondStepInput, 'identity' | 'attempt'>

const kind = 'passkey'

/** The binding of no challenge. */
const unbound = ''

/** Starts a sign-in. Applications outside browsers are not bound: their proof would travel with the challenge. */
export async function startPasskeySignIn(
  { base, request, read, accounts, cookies }: PasskeySessionParts,
  challenge: string | null,
  sender: Sender,
): Promise<PasskeyRequest | Rejection<'invalid-credentials'>> {
  if (challenge !== null || !read().fromBrowser) return accounts.startPasskeySignIn({ ...sender, challenge })
  const shown = cookies.passkey.read(request)
  // Other tabs have started with the same cookie, and must still be able to finish.
  const binding = shown !== null && parseCredential(kind, shown) ? shown : createCredential(kind).text
  const started = await accounts.startPasskeySignIn({ ...sender, binding })
  if (started.ok) base.response.setCookie(cookies.passkey.write(binding))
  return started
}

export function finishPasskeySignIn(
  { request, read, accounts, cookies }: PasskeySessionParts,
  shown: { readonly response: unknown; readonly challenge: string | null },
  input: SecondStepInput,
): Promise<SignInResult> {
  const cookie = cookies.passkey.read(request)
  return accounts.finishPasskeySignIn({ ...shown, ...input, binding: read().fromBrowser ? (cookie ?? unbound) : null })
}
