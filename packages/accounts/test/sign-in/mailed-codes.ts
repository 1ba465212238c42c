import type { Attempt } from '@latchkey/accounts'
import { type Bench, email, type StrangersAccounts } from '../bench.ts'

/** The option that lets people sign in by a code of a mail. */
export const byCode = { signIn: { emailCode: {} } } as const

type Asking = Pick<Bench, 'accounts' | 'outbox'>

/** Asks for a code, and reads the mail where there is one. */
export async function askForCode(
  { accounts, outbox }: Asking,
  { address = email, ...given }: { readonly address?: string; readonly attempt?: Attempt } = {},
): Promise<{ readonly challenge: string; readonly code: string }> {
  const { challenge } = await accounts.requestSignInCode({ email: address, ...given })
  await accounts.settled()
  const mail = outbox.at(-1)
  return { challenge, code: mail?.kind === 'sign-in-code' ? mail.data.code : '' }
}

type CodeInput = Partial<Parameters<StrangersAccounts['signInWithCode']>[0]>

/** Shows a code by a session cookie, for the account of all tests. */
export function showCode(
  { accounts }: Pick<Bench, 'accounts'>,
  shown: CodeInput & { readonly code: string; readonly challenge: string | null },
): ReturnType<StrangersAccounts['signInWithCode']> {
  return accounts.signInWithCode({ email, delivery: 'session', ...shown })
}

/** The next code: a wrong one. */
export function nextTo(code: string): string {
  return String((Number(code) + 1) % 100_000_000).padStart(8, '0')
}
