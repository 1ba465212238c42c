import type { Message } from '@latchkey/accounts'
import type { MailKind, SignInSuccess } from '@latchkey/accounts/internal'
import type { Bench } from '../bench.ts'

export const newEmail = 'new@example.com'

/** The mails to an address, once all are sent. */
export async function mailsTo({ accounts, outbox }: Bench, to: string): Promise<readonly Message[]> {
  await accounts.settled()
  return outbox.filter((mail) => mail.to === to)
}

/** The token of the latest mail of a kind to an address. */
export async function tokenTo(bench: Bench, to: string, kind: MailKind): Promise<string> {
  const mail = (await mailsTo(bench, to)).findLast((one) => one.kind === kind)
  if (!mail?.url) throw new Error(`no mail ${kind} has a link`)
  return new URL(mail.url).searchParams.get('token') ?? ''
}

/** Asks for another address, and returns the tokens of both mails. */
export async function askForChange(
  bench: Bench,
  { identity }: Pick<SignInSuccess, 'identity'>,
  to = newEmail,
): Promise<{ readonly confirm: string; readonly undo: string }> {
  const account = await bench.store.get(identity.subject)
  await bench.accounts.requestEmailChange({ identity, newEmail: to })
  return {
    confirm: await tokenTo(bench, to, 'confirm-email-change'),
    undo: await tokenTo(bench, account?.email ?? '', 'email-change-notice'),
  }
}

/** Another address that an account has got, and the tokens with which that is undone. */
export async function changeAddress(bench: Bench, signedIn: Pick<SignInSuccess, 'identity'>, to = newEmail) {
  const from = (await bench.store.get(signedIn.identity.subject))?.email ?? ''
  const { confirm, undo } = await askForChange(bench, signedIn, to)
  const changed = await bench.accounts.confirmEmailChange({ token: confirm })
  if (!changed.ok) throw new Error('the change was refused')
  return { undo, undoLater: await tokenTo(bench, from, 'email-changed'), confirm }
}

/** Tokens that are none, made from one that is. */
export const hostileTokens: readonly (readonly [string, (good: string) => unknown])[] = [
  ['nothing', () => ''],
  ['half of it', (good) => good.slice(0, good.length / 2)],
  ['another secret', (good) => good.replace(/.{3}$/, (end) => (end === 'AAA' ? 'BBB' : 'AAA'))],
  ['another purpose', (good) => good.replace(/^[a-z]+_/, 'reset_')],
  ['upper case', (good) => good.toUpperCase()],
  ['white space around it', (good) => ` ${good} `],
  ['two in one', (good) => `${good},${good}`],
  ['a number', () => 7],
  ['an object', (good) => ({ token: good })],
  ['an array', (good) => [good]],
  ['null', () => null],
  ['a text of 100 kB', () => 'x'.repeat(100_000)],
]

/** The latest identity of a session. */
export async function identityOf(bench: Bench, credential: string): Promise<SignInSuccess['identity'] | null> {
  return bench.accounts.identifySession(await bench.sessions.read(credential))
}

/** The cookie of a sign-in. */
export function cookieOf({ credentials }: SignInSuccess): string {
  if (credentials.delivery !== 'session') throw new Error('no session was opened')
  return credentials.credential
}
