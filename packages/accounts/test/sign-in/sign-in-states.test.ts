import { readFileSync } from 'node:fs'
import type { SignInRefusal } from '@latchkey/accounts/internal'
import { signInTransitions } from '@latchkey/accounts/internal'
import { describe, expect, test } from 'vitest'
import { countHashes, createBench, email, invalidCredentials, password } from '../bench.ts'

/** The table as a diagram: one arrow for each step from a state to another, with the conditions under which it is taken. */
function drawStates(): string {
  const arrows = new Map<string, string[]>()
  for (const { from, on, when, to } of signInTransitions) {
    const arrow = `${idOf(from)} --> ${idOf(to)} : ${on}`
    arrows.set(arrow, [...(arrows.get(arrow) ?? []), when])
  }
  const lines = [...arrows].map(([arrow, conditions]) => `  ${arrow} [${conditions.join(', ')}]`)
  return ['stateDiagram-v2', '  [*] --> anonymous', ...lines].join('\n')
}

const idOf = (state: string): string => state.replaceAll('-', '_')

test('the documentation shows the table that drives the sign-in', () => {
  const page = readFileSync(new URL('../../../../docs/sign-in.md', import.meta.url), 'utf8')
  const [, diagram] = /```mermaid\n([^`]*)\n```/.exec(page) ?? []
  expect(diagram).toBe(drawStates())
})

describe('the table of sign-in states', () => {
  test('has no transition to a signed-in state without a first factor', () => {
    const into = (state: string) => signInTransitions.filter(({ to }) => to === state).map(({ from }) => from)
    // Who is signed in stays so.
    expect(new Set(into('signed-in'))).toEqual(new Set(['first-factor-proven', 'second-factor-pending', 'signed-in']))
    expect(new Set(into('second-factor-pending'))).toEqual(new Set(['first-factor-proven', 'anonymous']))
    expect(new Set(into('first-factor-proven'))).toEqual(new Set(['anonymous']))
    expect(new Set(into('restricted'))).toEqual(new Set(['signed-in']))
    expect(new Set(into('stepped-up'))).toEqual(new Set(['signed-in', 'restricted']))
  })

  test('has no sign-in by the link of a mail, and requires the second factor of an account without a password', () => {
    const rows = signInTransitions.filter(({ on }) => on === 'reset')
    expect(rows.map(({ from, when, to }) => [from, when, to])).toEqual([
      ['anonymous', 'factor-before-password', 'second-factor-pending'],
      ['anonymous', 'nothing-more', 'anonymous'],
    ])
  })

  test('requires a second factor or a remembered device before it signs in', () => {
    const rows = signInTransitions.filter(({ from }) => from === 'first-factor-proven')
    expect(rows.map(({ when, to }) => [when, to])).toEqual([
      ['device-remembered', 'signed-in'],
      ['second-factor-required', 'second-factor-pending'],
      ['nothing-more', 'signed-in'],
    ])
  })

  test('cannot be changed by its readers', () => {
    expect(() => Object.assign(signInTransitions, { 0: null })).toThrow(TypeError)
    expect(() => Object.assign(signInTransitions[0] ?? {}, { to: 'signed-in' })).toThrow(TypeError)
  })
})

describe('a sign-in', () => {
  test.each([
    ['unknown-account', null, password],
    ['no-password', { passwordHash: null }, password],
    ['wrong-password', {}, 'another password'],
    ['unverified', { status: 'unverified' }, password],
    ['disabled', { status: 'disabled' }, password],
    ['locked', { status: 'locked' }, password],
    ['second-factor-required', {}, password],
  ] as const)(
    'a sign-in is refused after one hash and opens no session: %s',
    async (reason: SignInRefusal, change, shown) => {
      const bench = createBench()
      const account = change && (await bench.insert(change))
      if (reason === 'second-factor-required') await bench.store.replace(account?.id ?? '', {}, { enrolled: ['totp'] })
      const hashes = await countHashes(async () => {
        const signIn = bench.accounts.signIn({ email, password: shown, delivery: 'session' })
        expect(await signIn).toEqual(invalidCredentials)
      })
      expect(hashes).toBe(1)
      expect(bench.events.at(-1)).toMatchObject({ type: 'sign-in.failed', reason })
      expect(account ? await bench.sessions.list(account.id) : []).toEqual([])
    },
  )

  test('throws for an account with a status that this release does not know', async () => {
    const bench = createBench()
    const { id } = await bench.insert({ status: 'frozen' as never })
    const signIn = bench.accounts.signIn({ email, password, delivery: 'session' })
    await expect(signIn).rejects.toThrow('anonymous has no way on at password')
    expect(await bench.sessions.list(id)).toEqual([])
  })

  test('a reset does not open a locked account', async () => {
    const bench = createBench()
    const { id } = await bench.insert()
    await bench.accounts.requestPasswordReset({ email })
    const token = await bench.mailedToken()
    await bench.store.replace(id, {}, { status: 'locked' })
    const reset = bench.accounts.resetPassword({ token, newPassword: 'seven kettles hum along' })
    expect(await reset).toEqual({ ok: false, reason: 'link-invalid' })
    const sent = bench.outbox.length
    await bench.accounts.requestPasswordReset({ email })
    await bench.accounts.settled()
    expect(bench.outbox).toHaveLength(sent)
    expect(await bench.store.get(id)).toMatchObject({ status: 'locked', epoch: 0 })
  })
})
