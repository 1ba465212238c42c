import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { inspect } from 'node:util'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createBench, password } from '../support/bench.ts'
import { outcomeOf } from '../support/visitor.ts'

const channel = 'latchkey:event'
const until: (() => void)[] = []
afterEach(() => {
  for (const undo of until.splice(0)) undo()
  vi.restoreAllMocks()
})

function listen(listener: (event: { readonly type: string }) => void): void {
  const heard = (event: unknown) => listener(event as { readonly type: string })
  subscribe(channel, heard)
  until.push(() => unsubscribe(channel, heard))
}
const listenToConsole = () => vi.spyOn(console, 'error').mockImplementation(() => {})
const noListener = { observe: { onEvent: undefined } } as never

describe('an event', () => {
  test('reaches the listener and the diagnostics channel, once each', async () => {
    const heard: string[] = []
    listen(({ type }) => heard.push(type))
    const { events, signedIn } = createBench()
    await signedIn()
    expect(events.map(({ type }) => type)).toEqual(['session.created'])
    expect(heard).toEqual(['session.created'])
  })

  test('has a single type per package, and its time', async () => {
    const { events, visitor, signedIn, clock } = createBench()
    await signedIn()
    await visitor().ask('{ viewer { id } }')
    await visitor().ask('{ secretPlan }')
    expect(new Set(events.map(({ type }) => type))).toEqual(
      new Set(['session.created', 'access.denied', 'access.failed']),
    )
    for (const { at } of events) expect(at).toBe(clock.time)
  })

  test.each([
    [
      'throws',
      () => {
        throw new Error('the log is full')
      },
    ],
    ['rejects', async () => Promise.reject(new Error('the log is full'))],
  ])('changes no response and crashes no process if its listener %s', async (_what, onEvent) => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    until.push(() => process.off('unhandledRejection', unhandled))
    const { insert, visitor } = createBench({ options: { observe: { onEvent } } })
    const { email } = await insert()
    expect((await visitor().signIn(email, password)).status).toBe(200)
    expect(outcomeOf(await visitor().signIn(email, 'wrong'))).toEqual([401, 'INVALID_CREDENTIALS'])
    expect((await visitor().ask('{ secretPlan }')).status).toBe(500)
    expect((await visitor().get('/readyz')).status).toBe(200)
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(unhandled).not.toHaveBeenCalled()
  })
})

describe('a failure', () => {
  test('without a listener is printed with its id and its cause; a refusal is not', async () => {
    const printed = listenToConsole()
    const { visitor } = createBench({ options: noListener })
    await visitor().ask('{ viewer { id } }')
    expect(printed).not.toHaveBeenCalled()
    const answer = await visitor().ask('{ secretPlan }')
    const id = answer.errors[0]?.extensions.id
    expect(printed).toHaveBeenCalledOnce()
    const [words, cause] = printed.mock.calls[0] ?? []
    expect(words).toContain(id)
    expect(cause).toMatchObject({ message: 'the database at 10.0.0.7 said: select * from plans' })
  })

  test('is printed by its name if the mailer fails without a listener, without the address and the link', async () => {
    const printed = listenToConsole()
    const send = vi.fn(async ({ to, text }: { to: string; text: string }) => {
      throw Object.assign(new Error(`550 <${to}> does not want: ${text}`), { code: 'EENVELOPE' })
    })
    const { server, visitor } = createBench({
      options: { observe: { onEvent: undefined }, mails: { mailer: { send } } } as never,
    })
    const input = { email: 'ada@example.com', password, name: 'Ada' }
    const signUp = 'mutation ($input: SignUpInput!) { signUp(input: $input) { accepted } }'
    expect((await visitor().ask(signUp, { input })).data).toEqual({ signUp: { accepted: true } })
    await server.close()
    expect(send).toHaveBeenCalledOnce()
    expect(printed).toHaveBeenCalledOnce()
    const [line = '', ...others] = printed.mock.calls[0] ?? []
    expect(JSON.parse(String(line).slice('latchkey: '.length))).toMatchObject({
      type: 'mail.failed',
      purpose: 'verify-address',
      failure: 'EENVELOPE',
    })
    expect(others).toEqual([expect.stringContaining('events.test')])
    expect([line, ...others].join()).not.toMatch(/@example\.com|token=/)
  })

  test('is not printed with a listener, of the server or of the channel', async () => {
    const printed = listenToConsole()
    await createBench().visitor().ask('{ secretPlan }')
    const heard: string[] = []
    listen(({ type }) => heard.push(type))
    await createBench({ options: noListener }).visitor().ask('{ secretPlan }')
    expect(heard).toEqual(['access.failed'])
    expect(printed).not.toHaveBeenCalled()
  })

  test('shows its cause by name only', async () => {
    const { events, visitor } = createBench({
      around: async (call, run) => {
        if (call === 'records.get') throw new Error('10.0.0.7 is down')
        return run()
      },
    })
    await visitor().post('/verify', { token: `verify_${'A'.repeat(22)}.${'A'.repeat(43)}` })
    const [event] = events
    expect(event).toMatchObject({ type: 'service.failed', during: 'page' })
    expect(JSON.stringify(event) + inspect(event) + JSON.stringify({ ...event })).not.toContain('10.0.0.7')
    expect(event?.type === 'service.failed' && event.cause).toMatchObject({ message: '10.0.0.7 is down' })
  })
})
