import { type AccountsEvent, allowNativeDelivery, createAttemptLimits, type Message } from '@latchkey/accounts'
import { createMemoryCounterStore } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { email, newPassword, password } from '../bench.ts'
import { challengeOf, type Enrolled } from '../factors/factors-bench.ts'
import { changeAddress, newEmail, tokenTo } from '../own-account/mailed-links.ts'
import { createProvidersBench, issuer, type ProvidersBench } from '../providers/providers-bench.ts'

const secrets = [{ id: '2026-01', bytes: new Uint8Array(32).fill(5) }] as const
const wrongPassword = 'herons never read at dusk'
const session = { delivery: 'session' } as const
const support = 'support@example.com'

/** An account with a password, an authenticator app and recovery codes. The second wrong password in a row disables the first. */
interface Scene extends ProvidersBench {
  readonly id: string
  readonly app: Enrolled
}

async function createScene(): Promise<Scene> {
  const limits = createAttemptLimits({
    counters: createMemoryCounterStore(),
    lockouts: createMemoryCounterStore(),
    secrets,
    passwordFailures: 2,
    perAddress: 1000,
    perAccount: 1000,
    perAccountOfStrangers: 1000,
  })
  const bench = createProvidersBench({
    options: {
      signIn: { attemptLimits: limits, emailCode: {}, nativeDelivery: allowNativeDelivery },
      impersonation: { mayImpersonate: ({ roles }) => roles.includes('ADMIN') },
    },
  })
  const account = await bench.insert()
  const app = await bench.enrollTotp(account)
  bench.advance(60)
  return { ...bench, id: account.id, app }
}

const byPassword = ({ tryPassword }: Scene) => challengeOf(tryPassword())
const byCode = async ({ accounts, outbox }: Scene) => {
  const { challenge } = await accounts.requestSignInCode({ email })
  await accounts.settled()
  const code = /^\d{8}$/m.exec(outbox.pop()?.text ?? '')?.[0] ?? ''
  return challengeOf(accounts.signInWithCode({ email, code, challenge, ...session }))
}
const byProvider = async (scene: Scene) => {
  await scene.link(scene.id)
  return challengeOf(scene.byProvider())
}
const byStepUp = async ({ accounts, app: { identity } }: Scene) => {
  const { challenge } = await accounts.startStepUp({ identity, kinds: ['totp', 'recovery-code'] })
  return challenge ?? ''
}

/** Shows wrong codes, five of them in answer to each challenge. */
async function guessCodes(scene: Scene, times: number, challenges: (scene: Scene) => Promise<string> = byPassword) {
  const { identity } = scene.app
  for (let shown = 0, challenge = ''; shown < times; shown++) {
    if (shown % 5 === 0) challenge = await challenges(scene)
    await scene.accounts.verifySecondFactor({ challenge, code: '000000', identity, ...session })
  }
}

async function guessTwice(guess: () => Promise<unknown>): Promise<void> {
  for (let guessed = 0; guessed < 2; guessed++) await guess()
}

const firstCode = ({ app: { codes } }: Scene) => codes[0] ?? ''
const appCode = ({ app: { secret }, codeOf }: Scene) => codeOf(secret)

async function reset({ accounts, mailedToken, outbox }: Scene): Promise<void> {
  await accounts.requestPasswordReset({ email })
  const token = await mailedToken()
  outbox.length = 0
  await accounts.resetPassword({ token, newPassword })
}

async function undoChange(scene: Scene): Promise<void> {
  const { undo } = await changeAddress(scene, scene.app)
  await scene.accounts.settled()
  scene.outbox.length = 0
  await scene.accounts.undoEmailChange({ token: undo })
}

async function resetAfterUndo(scene: Scene): Promise<string> {
  await undoChange(scene)
  const token = await tokenTo(scene, email, 'choose-password')
  scene.outbox.length = 0
  const result = await scene.accounts.resetPassword({ token, newPassword })
  if (!result.ok || result.status !== 'second-factor-required') throw new Error('no second factor was asked for')
  return result.challenge
}

async function adopt({ accounts, insert, link, mailedToken, outbox }: Scene): Promise<void> {
  const { id } = await insert({ email: support, status: 'unverified' })
  await link(id)
  await accounts.signUp({ email: support, password, name: 'A Reader' })
  const token = await mailedToken()
  outbox.length = 0
  await accounts.verifyEmail({ token })
}

async function actAs(scene: Scene): Promise<void> {
  await scene.insert({ email: support, roles: ['ADMIN'] })
  const { identity } = await scene.signIn({ email: support })
  await scene.accounts.startImpersonation({ identity, accountId: scene.id, reason: 'Ticket 4711' })
}

async function refreshTwice({ accounts, insert, signIn, advance }: Scene): Promise<void> {
  await insert({ email: support })
  const { credentials } = await signIn({ email: support, delivery: 'native' })
  const token = 'refreshToken' in credentials ? credentials.refreshToken : null
  for (let used = 0; used < 2; used++) {
    await accounts.refresh({ token, channel: 'native' })
    advance(60)
  }
}

/** The kind of a mail, and the first factor before wrong codes. */
function nameOf({ kind, data }: Message): string {
  return 'first' in data ? `${kind}: ${data.first}` : kind
}

/** A way to take something from an owner, its event, and its mails. A mail goes to the owner unless the row names another address. */
type Way = readonly [
  what: string,
  event: AccountsEvent['type'],
  mails: readonly (string | readonly [kind: string, to: string])[],
  take: (scene: Scene) => Promise<unknown>,
]

const guesses: readonly Way[] = [
  [
    'too many wrong passwords at sign-ins',
    'password.disabled',
    ['account-locked'],
    ({ accounts }) => guessTwice(() => accounts.signIn({ email, password: wrongPassword, ...session })),
  ],
  [
    'too many wrong passwords of who is signed in',
    'password.disabled',
    ['account-locked'],
    ({ accounts, app: { identity } }) =>
      guessTwice(() => accounts.confirmPassword({ identity, currentPassword: wrongPassword })),
  ],
  [
    'too many wrong passwords before a new one',
    'password.disabled',
    ['account-locked'],
    ({ accounts, app: { identity } }) =>
      guessTwice(() => accounts.changePassword({ identity, currentPassword: wrongPassword, newPassword })),
  ],
  [
    'too many wrong codes of mails',
    'password.disabled',
    ['account-locked'],
    ({ accounts }) => guessTwice(() => accounts.signInWithCode({ email, code: '00000000', challenge: '', ...session })),
  ],
  [
    'five wrong codes after the password',
    'second-factor.failed',
    ['codes-guessed: password'],
    (scene) => guessCodes(scene, 5),
  ],
  [
    'five wrong codes after a code of a mail',
    'second-factor.failed',
    ['codes-guessed: mail'],
    (scene) => guessCodes(scene, 5, byCode),
  ],
  [
    'five wrong codes after a provider',
    'second-factor.failed',
    ['codes-guessed: provider'],
    (scene) => guessCodes(scene, 5, byProvider),
  ],
  [
    'a hundred wrong codes after the password',
    'factor.disabled',
    ['codes-guessed: password', 'factor-disabled'],
    (scene) => guessCodes(scene, 100),
  ],
  [
    'a hundred wrong codes of who is signed in',
    'factor.disabled',
    ['factor-disabled'],
    (scene) => guessCodes(scene, 100, byStepUp),
  ],
  [
    'a hundred wrong codes to remove the app',
    'factor.disabled',
    ['factor-disabled'],
    async ({ accounts, app: { identity } }) => {
      for (let shown = 0; shown < 100; shown++) await accounts.disableTotp({ identity, code: '000000' })
    },
  ],
  [
    'a hundred wrong codes to get recovery codes',
    'factor.disabled',
    ['factor-disabled'],
    async ({ accounts, app: { identity } }) => {
      for (let shown = 0; shown < 100; shown++) await accounts.regenerateRecoveryCodes({ identity, code: '000000' })
    },
  ],
]

const recoveryCodes: readonly Way[] = [
  [
    'a recovery code that signs in',
    'recovery-code.used',
    ['recovery-code-used'],
    async (scene) =>
      scene.accounts.verifySecondFactor({ challenge: await byPassword(scene), code: firstCode(scene), ...session }),
  ],
  [
    'a recovery code of who is signed in',
    'recovery-code.used',
    ['recovery-code-used'],
    async (scene) => {
      const { identity } = scene.app
      const challenge = await byStepUp(scene)
      await scene.accounts.verifySecondFactor({ challenge, code: firstCode(scene), identity, ...session })
    },
  ],
  [
    'a recovery code that removes the app',
    'factor.removed',
    ['factor-removed', 'recovery-code-used'],
    (scene) => scene.accounts.disableTotp({ identity: scene.app.identity, code: firstCode(scene) }),
  ],
  [
    'two recovery codes for one challenge, of which one signs in',
    'recovery-code.used',
    ['recovery-code-used', 'recovery-code-used'],
    async (scene) => {
      const challenge = await byPassword(scene)
      const show = (code: string) => scene.accounts.verifySecondFactor({ challenge, code, ...session })
      const shown = await Promise.all(scene.app.codes.slice(0, 2).map(show))
      expect(shown.map(({ ok }) => ok).sort()).toEqual([false, true])
    },
  ],
]

const mailboxes: readonly Way[] = [
  ['a reset by mail', 'password.reset', ['password-changed'], reset],
  [
    'a reset by mail of an account that a provider signs in to',
    'provider.unlinked',
    ['password-changed', 'provider-unlinked'],
    async (scene) => {
      await scene.link(scene.id)
      await reset(scene)
    },
  ],
  [
    'an undone change of the address',
    'email-change.undone',
    ['choose-password', ['email-changed', newEmail]],
    undoChange,
  ],
  [
    'a reset by mail that waits for the app',
    'password.reset',
    ['password-changed'],
    async (scene) =>
      scene.accounts.verifySecondFactor({
        challenge: await resetAfterUndo(scene),
        code: appCode(scene),
        ...session,
      }),
  ],
  [
    'a reset by mail that wrong codes end',
    'second-factor.failed',
    ['codes-guessed: mail'],
    (scene) => guessCodes(scene, 5, resetAfterUndo),
  ],
  // Nobody could sign in to it before.
  ['a sign-up that confirms an imported account', 'email.verified', [['choose-password', support]], adopt],
]

const administrators: readonly Way[] = [
  [
    'a reset of the factors, also by a command',
    'factor.removed',
    ['factor-removed', 'provider-unlinked'],
    async ({ accounts, link, id }) => {
      await link(id)
      await accounts.resetFactors({ id })
    },
  ],
  [
    'a lock, also by a command',
    'account.locked',
    ['account-locked'],
    ({ accounts, id }) => accounts.lockAccount({ id }),
  ],
  ['who acts as the account', 'impersonation.started', ['impersonated'], actAs],
]

const owners: readonly Way[] = [
  [
    'a change of the password',
    'password.changed',
    ['password-changed'],
    ({ accounts, app: { identity } }) => accounts.changePassword({ identity, currentPassword: password, newPassword }),
  ],
  [
    'the removal of the app',
    'factor.removed',
    ['factor-removed'],
    (scene) => scene.accounts.disableTotp({ identity: scene.app.identity, code: appCode(scene) }),
  ],
  [
    'new recovery codes',
    'factor.added',
    ['factor-added'],
    (scene) => scene.accounts.regenerateRecoveryCodes({ identity: scene.app.identity, code: appCode(scene) }),
  ],
  [
    'the removal of a passkey',
    'factor.removed',
    ['factor-removed'],
    async (scene) => {
      const { id, identity } = await scene.addPasskey(scene.app as never)
      await scene.accounts.settled()
      scene.outbox.length = 0
      await scene.accounts.removePasskey({ identity, id })
    },
  ],
  [
    'the removal of a provider',
    'provider.unlinked',
    ['provider-unlinked'],
    async (scene) => {
      await scene.link(scene.id)
      const [link] = await scene.accounts.linkedProviders(scene.id)
      await scene.accounts.unlinkProvider({ identity: scene.app.identity, id: link?.id ?? '' })
    },
  ],
  [
    'a change of the address',
    'email-change.confirmed',
    [['confirm-email-change', newEmail], 'email-change-notice', 'email-changed', ['email-changed', newEmail]],
    (scene) => changeAddress(scene, scene.app),
  ],
]

/** Each with the reason why its owner gets no mail. */
const untold: readonly Way[] = [
  // It is how others than its owner close an account for good; `lockAccount` is how its owner is told.
  ['an account that is disabled', 'account.disabled', [], ({ accounts, id }) => accounts.disable({ id })],
  // Sessions end, and everything by which the owner signs in remains.
  ['other roles', 'role.changed', [], ({ accounts, id }) => accounts.setRoles({ id, roles: ['AUTHOR'] })],
  ['sessions that an administrator ends', 'sessions.ended', [], ({ accounts, id }) => accounts.endSessions({ id })],
  // A client that has lost an answer looks the same, and the device signs in again.
  ['a refresh token that is shown again', 'family.reused', [], refreshTwice],
  // The owner has signed out at the provider.
  [
    'sessions that a provider ends',
    'session.ended',
    [],
    async (scene) => {
      await scene.insert({ id: 'acc_other', email: support })
      await scene.link('acc_other', '43')
      await scene.byProvider({ subject: '43' })
      await scene.accounts.endProviderSessions({ issuer, subject: '43', sid: null })
    },
  ],
  // Whoever has tried the codes is signed in, and four are a slip: a hundred are a mail.
  ['wrong codes of who is signed in', 'second-factor.failed', [], (scene) => guessCodes(scene, 5, byStepUp)],
  // A passkey cannot be guessed: its owner shows the wrong one.
  [
    'five refused passkeys after the password',
    'second-factor.failed',
    [],
    async (scene) => {
      await scene.addPasskey(scene.app as never)
      await scene.accounts.settled()
      scene.outbox.length = 0
      const challenge = await byPassword(scene)
      for (let shown = 0; shown < 5; shown++)
        await scene.accounts.finishPasskeySignIn({ challenge, response: {}, ...session })
    },
  ],
  ['four wrong codes after the password', 'second-factor.failed', [], (scene) => guessCodes(scene, 4)],
]

describe.each([
  ['guesses', guesses],
  ['recovery codes', recoveryCodes],
  ['a mailbox', mailboxes],
  ['administrators', administrators],
  ['signed-in users', owners],
  ['others without a mail', untold],
] as const)('a loss by %s', (_by, ways) => {
  test.each(ways)('sends a mail, or has a reason for no mail: %s, %s, %j', async (_what, event, mails, take) => {
    const scene = await createScene()
    await scene.accounts.settled()
    scene.outbox.length = 0
    scene.events.length = 0
    await take(scene)
    await scene.accounts.settled()
    expect(scene.events.map(({ type }) => type)).toContain(event)
    const expected = mails.map((mail) => (typeof mail === 'string' ? [mail, email] : mail))
    expect(scene.outbox.map((mail) => [nameOf(mail), mail.to]).sort()).toEqual([...expected].sort())
  })
})
