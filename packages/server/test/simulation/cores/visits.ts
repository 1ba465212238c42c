import type { SignInResult } from '@latchkey/accounts'
import type { Endings } from '../explorer/scenario.ts'
import { attempt, email, type Process, password } from './process.ts'

export type Identity = Parameters<Process['accounts']['confirmPassword']>[0]['identity']

/** Creates the account of the owner, and returns its id. */
export async function openAccount({ accounts }: Process): Promise<string> {
  const account = await accounts.create({ email, password, name: 'Ada', roles: ['READER'], attempt })
  if (!account) throw new Error('no account was created')
  return account.id
}

export const signIn = ({ accounts }: Process, shown = password): Promise<SignInResult> =>
  accounts.signIn({ email, password: shown, delivery: 'session', attempt })

export const signInForTokens = ({ accounts }: Process, shown = password): Promise<SignInResult> =>
  accounts.signIn({ email, password: shown, delivery: 'token', attempt })

export const refresh = ({ accounts }: Process, token: string) => accounts.refresh({ token, channel: 'cookie', attempt })

/** What a browser or application keeps of an answer: a session's credential, or a refresh token. */
export function keptOf(answer: unknown): string | null {
  const { credentials } = (answer ?? {}) as { readonly credentials?: { credential?: string; refreshToken?: string } }
  return credentials?.credential ?? credentials?.refreshToken ?? null
}

/** Returns what is kept, and fails if nothing is. */
export function keep(answer: unknown): string {
  const kept = keptOf(answer)
  if (kept === null) throw new Error(`nothing to keep: ${JSON.stringify(answer)}`)
  return kept
}

/** Whether a service lets someone in with a session's credential or a refresh token. A token is used by it. */
export async function letsIn(process: Process, kept: string): Promise<boolean> {
  if (kept.startsWith('rt_')) return (await refresh(process, kept)).ok
  return (await process.accounts.identifyCredential(kept)) !== null
}

export async function identityOf({ accounts }: Process, credential: string): Promise<Identity> {
  const identified = await accounts.identifyCredential(credential)
  if (!identified) throw new Error('the session is not open')
  return identified.facts
}

/** Returns those of the passwords that sign in. */
export async function findPasswords(process: Process, passwords: readonly string[]): Promise<readonly string[]> {
  const found: string[] = []
  for (const shown of passwords) if ((await signIn(process, shown)).ok) found.push(shown)
  return found
}

/** Returns what was answered, by caller. */
export function answersOf(endings: Endings): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(endings).flatMap(([name, { as, answer }]) => (as === 'answered' ? [[name, answer]] : [])),
  )
}

/** Returns the callers that were answered `ok: true`. */
export function winnersOf(endings: Endings): readonly string[] {
  const isOk = ([, answer]: [string, unknown]): boolean => (answer as { readonly ok?: boolean } | null)?.ok === true
  return Object.entries(answersOf(endings))
    .filter(isOk)
    .map(([name]) => name)
}

/** Whether no process was killed, and no store failed. */
export function allAnswered(endings: Endings): boolean {
  return Object.values(endings).every(({ as }) => as === 'answered')
}

/** Returns the sentences whose condition holds. */
export function sentences(...found: readonly (readonly [isFound: boolean, sentence: string])[]): readonly string[] {
  return found.filter(([isFound]) => isFound).map(([, sentence]) => sentence)
}
