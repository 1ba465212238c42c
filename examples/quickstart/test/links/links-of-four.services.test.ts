import { randomUUID } from 'node:crypto'
import type { StoredAccount } from '@latchkey/accounts'
import { describe, expect, test } from 'vitest'
import type { Question, Reply } from './link-process.ts'
import { backends, timeout } from './shared-stores.ts'
import { password, passwordHash, useFourProcesses } from './use-four-processes.ts'

// Who follows the link of a mail many times at once, at several processes, has followed it once.

const shows = process.env.TEST_TIER === '3' ? 50 : 16

const queries = {
  signUp: 'mutation ($input: SignUpInput!) { signUp(input: $input) { accepted } }',
  signIn: 'mutation ($input: SignInInput!) { signIn(input: $input) { accessToken } }',
  verify: 'mutation ($input: VerifyEmailInput!) { verifyEmail(input: $input) }',
  requestReset: 'mutation ($input: RequestPasswordResetInput!) { requestPasswordReset(input: $input) }',
  reset: 'mutation ($input: ResetPasswordInput!) { resetPassword(input: $input) }',
  requestChange: 'mutation ($input: RequestEmailChangeInput!) { requestEmailChange(input: $input) }',
  confirm: 'mutation ($input: ConfirmEmailChangeInput!) { confirmEmailChange(input: $input) }',
  undo: 'mutation ($input: UndoEmailChangeInput!) { undoEmailChange(input: $input) }',
  viewer: '{ viewer { email } }',
} as const

const on =
  (undoDays: 0 | 7) =>
  (name: keyof typeof queries, input?: object, bearer: string | null = null): Question => ({
    ...{ undoDays, query: queries[name], variables: input ? { input } : {}, bearer },
  })
const to = on(7)
const everyShow = <T>(make: (index: number) => T): readonly T[] =>
  Array.from({ length: shows }, (_none, index) => make(index))
const drawAddress = (): string => `ada-${randomUUID()}@example.com`
const newPasswordOf = (index: number): string => `seven kettles hum along ${index}`

describe.each(backends)('many simultaneous requests at four processes on %s', (backend) => {
  const { all, ask, insert, mailsTo } = useFourProcesses(backend)

  /** The tokens of so many mails. */
  async function tokensTo(address: string, kind: string, count = 1): Promise<readonly string[]> {
    await expect.poll(() => mailsTo(address, kind)).toHaveLength(count)
    return mailsTo(address, kind).map(({ url }) => new URL(url ?? '').searchParams.get('token') ?? '')
  }
  const tokenTo = async (address: string, kind: string): Promise<string> => (await tokensTo(address, kind))[0] ?? ''

  async function signIn(email: string, shown: string, index = 0): Promise<Reply> {
    return ask(to('signIn', { email, password: shown, delivery: 'TOKEN' }), index)
  }

  const refusals = ({ errors }: Reply) => errors.map(({ extensions: { code, field } }) => [code, field])

  /** Asks all at once, and returns the one who was not refused. */
  async function findWinner(questions: readonly Question[]): Promise<number> {
    const replies = await all().four.askAll(questions)
    const won = replies.flatMap(({ errors }, index) => (errors.length === 0 ? [index] : []))
    expect(won).toHaveLength(1)
    expectRefused(replies.filter((_reply, index) => index !== won[0]))
    // The link is used, at every process and for any of them.
    expectRefused(await all().four.askAll(questions.slice(0, 8)))
    return won[0] ?? -1
  }

  function expectRefused(replies: readonly Reply[]): void {
    for (const reply of replies) {
      expect([reply.status, reply.data ?? null, ...refusals(reply)]).toEqual([
        200,
        null,
        ['BAD_USER_INPUT', 'input.token'],
      ])
    }
  }

  const stored = (id: string) => all().stores.accounts.get(id)

  /** Each process signs in by the password of the winner, and none by that of another one. */
  async function expectPasswordOf(email: string, winner: number): Promise<void> {
    for (let index = 0; index < 4; index++) {
      expect((await signIn(email, newPasswordOf(winner), index)).errors).toEqual([])
      const loser = (winner + 1 + index) % shows
      expect((await signIn(email, newPasswordOf(loser), index)).status).toBe(401)
    }
  }

  async function resetByOne(account: Pick<StoredAccount, 'id' | 'email'>, token: string): Promise<void> {
    const before = await stored(account.id)
    const winner = await findWinner(everyShow((index) => to('reset', { token, newPassword: newPasswordOf(index) })))
    expect(await stored(account.id)).toMatchObject({ epoch: (before?.epoch ?? 0) + 1, status: 'active' })
    await expectPasswordOf(account.email, winner)
    await expect.poll(() => mailsTo(account.email, 'password-changed')).toHaveLength(1)
  }

  test(
    'the link of a sign-up opens the account once, with its password',
    async () => {
      const email = drawAddress()
      await ask(to('signUp', { email, password, name: 'Ada' }))
      const token = await tokenTo(email, 'verify-address')
      await findWinner(everyShow(() => to('verify', { token, password })))
      expect(await all().stores.accounts.getByEmail(email)).toMatchObject({ name: 'Ada', status: 'active', epoch: 0 })
      expect((await signIn(email, password, 2)).errors).toEqual([])
      expect(mailsTo(email, 'choose-password')).toEqual([])
    },
    timeout,
  )

  test(
    'links of three sign-ups with one address open one account, with the name and password of its link',
    async () => {
      const email = drawAddress()
      const people = [0, 1, 2].map((nth) => ({ email, name: `Ada ${nth}`, password: newPasswordOf(nth) }))
      const tokens: string[] = []
      for (const person of people) {
        await ask(to('signUp', person))
        const mails = () => all().four.mails.filter((mail) => mail.to === email)
        await expect.poll(mails).toHaveLength(tokens.length + 1)
        tokens.push(new URL(mails().at(-1)?.url ?? '').searchParams.get('token') ?? '')
      }
      const winner = await findWinner(
        everyShow((index) => to('verify', { token: tokens[index % 3], password: newPasswordOf(index % 3) })),
      )
      const account = await all().stores.accounts.getByEmail(email)
      expect(account).toMatchObject({ name: `Ada ${winner % 3}`, epoch: 0 })
      for (const nth of [0, 1, 2]) {
        const { status } = await signIn(email, newPasswordOf(nth), nth)
        expect(status).toBe(nth === winner % 3 ? 200 : 401)
      }
    },
    timeout,
  )

  test(
    'the link of a sign-up without its password opens one account, and the mail to choose a password sets one',
    async () => {
      const email = drawAddress()
      await ask(to('signUp', { email, password, name: 'Ada' }))
      const token = await tokenTo(email, 'verify-address')
      await findWinner(everyShow(() => to('verify', { token })))
      const account = await all().stores.accounts.getByEmail(email)
      expect(account).toMatchObject({ status: 'active', passwordHash: null })
      await resetByOne({ id: account?.id ?? '', email }, await tokenTo(email, 'choose-password'))
    },
    timeout,
  )

  test(
    'the link of a reset sets the password once',
    async () => {
      const account = await insert()
      const { data } = await signIn(account.email, password)
      await ask(to('requestReset', { email: account.email }))
      await resetByOne(account, await tokenTo(account.email, 'reset-password'))
      const open = to('viewer', undefined, data.signIn.accessToken)
      for (const index of [0, 1, 2, 3]) expect((await ask(open, index)).status).toBe(401)
    },
    timeout,
  )

  test(
    'links of three resets of one account set the password once, and the other links are then invalid',
    async () => {
      const account = await insert()
      for (const index of [0, 1, 2]) await ask(to('requestReset', { email: account.email }), index)
      const tokens = await tokensTo(account.email, 'reset-password', 3)
      const winner = await findWinner(
        everyShow((index) => to('reset', { token: tokens[index % 3], newPassword: newPasswordOf(index) })),
      )
      expect(await stored(account.id)).toMatchObject({ epoch: account.epoch + 1 })
      await expectPasswordOf(account.email, winner)
    },
    timeout,
  )

  test(
    'the link of an invitation sets the password once',
    async () => {
      const email = drawAddress()
      await all().four.invite(email)
      const account = await all().stores.accounts.getByEmail(email)
      await resetByOne({ id: account?.id ?? '', email }, await tokenTo(email, 'choose-password'))
    },
    timeout,
  )

  /** An account that has asked for another address, and the tokens of both mails. */
  async function askForChange(undoDays: 0 | 7 = 7) {
    const account = await insert()
    const { data } = await signIn(account.email, password)
    const elsewhere = await signIn(account.email, password)
    const newEmail = drawAddress()
    await ask(on(undoDays)('requestChange', { newEmail }, data.signIn.accessToken))
    const tokens = [await tokenTo(newEmail, 'confirm-email-change')]
    tokens.push(await tokenTo(account.email, 'email-change-notice'))
    const [confirm = '', other = ''] = tokens
    const bearer: string = data.signIn.accessToken
    return { account, newEmail, bearer, elsewhere: elsewhere.data.signIn.accessToken as string, confirm, other }
  }
  type Change = Awaited<ReturnType<typeof askForChange>>

  /** The account has the new address, once: what has asked goes on, and everything else has ended. */
  async function expectChanged({ account, newEmail, bearer, elsewhere }: Change): Promise<void> {
    expect(await stored(account.id)).toMatchObject({ email: newEmail, epoch: account.epoch + 1, passwordHash })
    for (const index of [0, 1, 2, 3]) {
      expect((await ask(to('viewer', undefined, bearer), index)).data.viewer).toEqual({ email: newEmail })
      expect((await ask(to('viewer', undefined, elsewhere), index)).status).toBe(401)
    }
    expect((await signIn(account.email, password)).status).toBe(401)
    expect((await signIn(newEmail, password)).status).toBe(200)
    for (const address of [account.email, newEmail]) {
      await expect.poll(() => mailsTo(address, 'email-changed')).toHaveLength(1)
    }
  }

  /** The account has its address, nothing opens it, and one mail lets its owner choose a password. */
  async function expectUndone({ account, newEmail, bearer }: Change): Promise<void> {
    const { email, id } = account
    expect(await stored(id)).toMatchObject({ email, passwordHash: null })
    expect(await all().stores.accounts.getByEmail(newEmail)).toBeNull()
    for (const index of [0, 1, 2, 3]) {
      expect((await ask(to('viewer', undefined, bearer), index)).status).toBe(401)
      expect((await signIn(email, password, index)).status).toBe(401)
    }
    await resetByOne(account, await tokenTo(email, 'choose-password'))
  }

  test(
    'the link of a change of address makes it once',
    async () => {
      const change = await askForChange()
      await findWinner(everyShow(() => to('confirm', { token: change.confirm })))
      await expectChanged(change)
    },
    timeout,
  )

  test(
    'a change with two confirmations is confirmed once at the old address, then made once at the new address',
    async () => {
      const change = await askForChange(0)
      await findWinner(everyShow(() => on(0)('confirm', { token: change.other })))
      expect(await stored(change.account.id)).toMatchObject({ email: change.account.email, epoch: 3 })
      await findWinner(everyShow(() => on(0)('confirm', { token: change.confirm })))
      await expectChanged(change)
    },
    timeout,
  )

  test(
    'a change with two confirmations is confirmed once at each address, and made once',
    async () => {
      const change = await askForChange(0)
      const tokens = [change.confirm, change.other]
      const replies = await all().four.askAll(
        everyShow((index) => on(0)('confirm', { token: tokens[(index >> 2) & 1] })),
      )
      const won = replies.flatMap(({ errors }, index) => (errors.length === 0 ? [(index >> 2) & 1] : []))
      expect(won.toSorted()).toEqual([0, 1])
      expectRefused(replies.filter(({ errors }) => errors.length > 0))
      await expectChanged(change)
    },
    timeout,
  )

  test(
    'the notice of a change of address undoes it once before the confirmation',
    async () => {
      const change = await askForChange()
      await findWinner(everyShow(() => to('undo', { token: change.other })))
      expect(await stored(change.account.id)).toMatchObject({ epoch: change.account.epoch + 1 })
      expectRefused([await ask(to('confirm', { token: change.confirm }), 3)])
      await expectUndone(change)
    },
    timeout,
  )

  test(
    'either mail that undoes a change of address undoes it once after the confirmation',
    async () => {
      const change = await askForChange()
      expect((await ask(to('confirm', { token: change.confirm }))).errors).toEqual([])
      const tokens = [change.other, await tokenTo(change.account.email, 'email-changed')]
      await findWinner(everyShow((index) => to('undo', { token: tokens[(index >> 2) & 1] })))
      expect(await stored(change.account.id)).toMatchObject({ epoch: change.account.epoch + 2 })
      await expectUndone(change)
    },
    timeout,
  )

  test(
    'simultaneous links that confirm and undo a change leave the account with its address',
    async () => {
      const change = await askForChange()
      const questions = everyShow((index) =>
        (index >> 2) & 1 ? to('undo', { token: change.other }) : to('confirm', { token: change.confirm }),
      )
      const replies = await all().four.askAll(questions)
      const won = replies.flatMap(({ data }) => (data ? Object.keys(data) : []))
      expect(won.filter((field) => field === 'undoEmailChange')).toHaveLength(1)
      expect(won.filter((field) => field === 'confirmEmailChange').length).toBeLessThanOrEqual(1)
      expectRefused(replies.filter(({ errors }) => errors.length > 0))
      await expectUndone(change)
    },
    timeout,
  )
})
