import { describe, expect, test } from 'vitest'
import type { Question, Reply } from './link-process.ts'
import { backends, timeout } from './shared-stores.ts'
import { useFourProcesses } from './use-four-processes.ts'

// Who shows the code of a mail many times at once, at several processes, is judged as at one.

const shows = 50
const cookieName = '__Host-sign-in-code'
const queries = {
  request: 'mutation ($input: RequestSignInCodeInput!) { requestSignInCode(input: $input) { accepted } }',
  signIn: 'mutation ($input: SignInWithCodeInput!) { signInWithCode(input: $input) { status account { id } } }',
  viewer: '{ viewer { id } }',
} as const

const to = (name: keyof typeof queries, input: object, cookie = ''): Question => ({
  ...{ undoDays: 7, query: queries[name], variables: { input }, cookie },
})
const fifty = <T>(make: (index: number) => T): readonly T[] =>
  Array.from({ length: shows }, (_none, index) => make(index))
/** The next code: a wrong one. */
const nextTo = (code: string): string => String((Number(code) + 1) % 100_000_000).padStart(8, '0')

describe.each(backends)('fifty simultaneous requests at four processes on %s', (backend) => {
  const { all, ask, insert, mailsTo } = useFourProcesses(backend)

  /** Asks for a code as a browser of its own, and returns the cookie that it has got. */
  async function request(email: string, index = 0): Promise<string> {
    const { status, cookies } = await ask(to('request', { email }), index)
    expect([status, cookies.length]).toEqual([200, 1])
    return cookies[0] ?? ''
  }

  async function codeTo(email: string): Promise<string> {
    await expect.poll(() => mailsTo(email, 'sign-in-code')).toHaveLength(1)
    const [mail] = mailsTo(email, 'sign-in-code')
    return mail?.kind === 'sign-in-code' ? mail.data.code : ''
  }

  /** An account, the code that was mailed to it, and the cookie of the browser that has asked for it. */
  async function askForCode() {
    const { id, email } = await insert()
    const cookie = await request(email)
    return { id, email, cookie, code: await codeTo(email) }
  }

  const openOf = async (id: string) => (await all().stores.records.listByOwner(id)).items

  function expectRefused(replies: readonly Reply[]): void {
    for (const { status, data, errors, cookies } of replies) {
      const codes = errors.map(({ extensions }) => extensions.code)
      expect([status, data ?? null, codes, cookies]).toEqual([401, null, ['INVALID_CREDENTIALS'], []])
    }
  }

  /** What so many answers since then have kept to themselves. */
  async function keptSince(start: number, count: number): Promise<readonly string[]> {
    const { kept } = all().four
    await expect.poll(() => kept.length).toBe(start + count)
    return kept.slice(start)
  }

  test(
    'one mail code in its own browser signs in one request, once',
    async () => {
      const { id, email, code, cookie } = await askForCode()
      const replies = await all().four.askAll(fifty(() => to('signIn', { email, code }, cookie)))
      const won = replies.filter(({ status }) => status === 200)
      expect(won.map(({ data }) => data.signInWithCode)).toEqual([{ status: 'SIGNED_IN', account: { id } }])
      expectRefused(replies.filter(({ status }) => status !== 200))
      const session = won[0]?.cookies.find((one) => one.startsWith('__Host-session=')) ?? ''
      for (const index of [0, 1, 2, 3])
        expect((await ask(to('viewer', {}, session), index)).data).toEqual({ viewer: { id } })
      expect(await openOf(id)).toHaveLength(1)
      // The code is used, at every process.
      expectRefused(await all().four.askAll(fifty(() => to('signIn', { email, code }, cookie)).slice(0, 8)))
      expect(await openOf(id)).toHaveLength(1)
    },
    timeout,
  )

  test(
    'one mail code in another browser signs in no request, and still works in its own browser',
    async () => {
      const { id, email, code, cookie } = await askForCode()
      const other = await request((await insert()).email, 1)
      const forged = `${cookieName}=mailcode_${'A'.repeat(22)}.${'A'.repeat(43)}`
      const shown = ['', other, forged]
      expectRefused(await all().four.askAll(fifty((index) => to('signIn', { email, code }, shown[index % 3]))))
      expect(await openOf(id)).toEqual([])
      expect((await ask(to('signIn', { email, code }, cookie), 3)).status).toBe(200)
    },
    timeout,
  )

  test(
    'five of fifty wrong codes are compared, then the right code is refused',
    async () => {
      const { id, email, code, cookie } = await askForCode()
      const start = all().four.kept.length
      expectRefused(await all().four.askAll(fifty(() => to('signIn', { email, code: nextTo(code) }, cookie))))
      const reasons = await keptSince(start, shows)
      expect(reasons.filter((reason) => reason === 'factor-wrong')).toHaveLength(5)
      expect(reasons.filter((reason) => reason === 'challenge-ended')).toHaveLength(shows - 5)
      for (const index of [0, 1, 2, 3]) expectRefused([await ask(to('signIn', { email, code }, cookie), index)])
      expect(await openOf(id)).toEqual([])
    },
    timeout,
  )

  test(
    'fifty right codes after four wrong codes, one at each process: one signs in',
    async () => {
      const { id, email, code, cookie } = await askForCode()
      const start = all().four.kept.length
      const four = [0, 1, 2, 3].map(() => to('signIn', { email, code: nextTo(code) }, cookie))
      expectRefused(await all().four.askAll(four))
      const replies = await all().four.askAll(fifty(() => to('signIn', { email, code }, cookie)))
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(await openOf(id)).toHaveLength(1)
      const reasons = await keptSince(start, 4 + shows - 1)
      expect(reasons.slice(0, 4)).toEqual(Array(4).fill('factor-wrong'))
      expect(reasons.slice(4)).toEqual(Array(shows - 1).fill('challenge-ended'))
    },
    timeout,
  )

  test(
    'fifty requests for a code cause three mails, and get the same response',
    async () => {
      const { email } = await insert()
      const start = all().four.kept.length
      const replies = await all().four.askAll(fifty(() => to('request', { email })))
      expect(new Set(replies.map(({ status, data }) => JSON.stringify([status, data]))).size).toBe(1)
      expect(new Set(replies.map(({ cookies }) => cookies[0])).size).toBe(shows)
      expect(new Set(await keptSince(start, shows - 3))).toEqual(new Set(['sign-in-code']))
      await expect.poll(() => mailsTo(email, 'sign-in-code')).toHaveLength(3)
    },
    timeout,
  )
})
