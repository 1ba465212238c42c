import { afterAll, describe, expect, test } from 'vitest'
import { failuresOfApp } from '../support/bench.ts'
import { operations } from '../support/factor-bench.ts'
import { createScene, readHeld, type Scene, useSites } from '../support/sign-in-scene.ts'
import { type Answer, newCookies, outcomeOf } from '../support/visitor.ts'
import { isOpen, operating, respond, type Way, ways } from '../support/ways.ts'

const sites = useSites()
afterAll(() => sites.close())

type Write = (scene: Scene) => Promise<string> | string

/** What has six digits is a code of the app, and counts as a wrong one. */
const wrong: readonly (readonly [what: string, write: Write])[] = [
  ['wrong', ({ codeIn }) => String((Number(codeIn(0)) + 1) % 1_000_000).padStart(6, '0')],
  ['two minutes old', ({ codeIn }) => codeIn(-4)],
  ['that of the step after the next', ({ codeIn }) => codeIn(2)],
  [
    'one that was accepted before',
    async ({ site, account, codeIn }) => {
      await site.parts.totp.verify(account.id, codeIn(0))
      return codeIn(0)
    },
  ],
  [
    'older than one that was accepted',
    async ({ site, account, codeIn }) => {
      await site.parts.totp.verify(account.id, codeIn(1))
      return codeIn(0)
    },
  ],
  ['of another account', async ({ site, way }) => (await createScene(site, way)).newCode('totp')],
]

const noCodes: readonly (readonly [what: string, write: Write])[] = [
  ['five digits', ({ codeIn }) => codeIn(0).slice(1)],
  ['seven digits', ({ codeIn }) => `${codeIn(0)}0`],
  ['letters', () => 'abcdef'],
  ['empty', () => ''],
  ['4 kB', () => '1'.repeat(4000)],
  ['digits in circles', ({ codeIn }) => codeIn(0).replace(/\d/g, (digit) => '⓪①②③④⑤⑥⑦⑧⑨'.charAt(Number(digit)))],
  ['a recovery code that is none', () => '0000-0000-0000-0000'],
  [
    'a recovery code of another account',
    async ({ site, way }) => (await createScene(site, way)).newCode('recovery-code'),
  ],
]

function inFullWidth(code: string): string {
  return code.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)))
}

const hostile = [
  ...wrong.map(([what, write]) => [what, write, 1] as const),
  ...noCodes.map(([what, write]) => [what, write, 0] as const),
]

/** What is shown at once. */
const atOnce: Readonly<Record<string, (scene: Scene) => readonly string[]>> = {
  'the same code of the app': ({ newCode }) => [newCode('totp')],
  'the same recovery code': ({ newCode }) => [newCode('recovery-code')],
  'ten recovery codes, each of them right': ({ newCode }) => Array.from({ length: 10 }, () => newCode('recovery-code')),
}

const countFailures = ({ site, account }: Scene) => failuresOfApp(site.stores, account.id)

/** What an unknown challenge is answered with: every refusal is the same. */
async function expectRefused(scene: Scene, answer: Answer, code: string): Promise<void> {
  const { way, site } = scene
  expect(newCookies(answer)).toEqual([])
  if (way.isPages) return expect(answer.status).toBe(code === '' ? 400 : 401)
  expect(outcomeOf(answer)).toEqual([401, 'INVALID_CREDENTIALS'])
  expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="graphql"')
  expect(answer.text).toBe((await way.showCode(site.visitor(), '000000', { challenge: null })).answer.text)
}

async function begin(way: Way): Promise<{ scene: Scene; challenge: string | null }> {
  const scene = await createScene(await sites.with(), way)
  const { visitor, account, shows } = scene
  scene.site.advance(60)
  return { scene, challenge: (await way.signIn(visitor, account.email, shows.password)).challenge }
}

describe.each(ways.map((way) => [way.name, way] as const))('by %s, a code', (_name, way) => {
  test.each(hostile)('is refused alike if it is %s, and starts no session', async (_what, write, counted) => {
    const { scene, challenge } = await begin(way)
    const { visitor, newCode } = scene
    const code = await write(scene)
    const [before, failures] = [await readHeld(scene), (await countFailures(scene)) ?? 0]
    const { answer } = await way.showCode(visitor, code, { challenge })
    await expectRefused(scene, answer, code)
    expect(await readHeld(scene)).toEqual(before)
    expect(await countFailures(scene)).toBe(failures + counted)
    expect(await isOpen(way, visitor)).toBe(false)
    scene.site.advance(30)
    await way.showCode(visitor, newCode('totp'), { challenge })
    expect(await isOpen(way, visitor)).toBe(true)
    expect(await countFailures(scene)).toBe(0)
  })

  test.each<[string, Write]>([
    ['spaces', ({ codeIn }) => ` ${codeIn(0).slice(0, 3)} ${codeIn(0).slice(3)} `],
    ['a dash and marks of direction', ({ codeIn }) => `\u200f${codeIn(0).slice(0, 3)}-${codeIn(0).slice(3)}\u200f`],
    ['full-width digits', ({ codeIn }) => inFullWidth(codeIn(0))],
    ['full-width digits, a recovery code', ({ newCode }) => inFullWidth(newCode('recovery-code'))],
  ])('with %s is accepted', async (_what, write) => {
    const { scene, challenge } = await begin(way)
    const { visitor } = scene
    await way.showCode(visitor, await write(scene), { challenge })
    expect(await isOpen(way, visitor)).toBe(true)
  })

  test.each(Object.entries(atOnce))(
    'signs in once if it is sent fifty times at once for a challenge: %s',
    async (_what, codesOf) => {
      const { scene, challenge } = await begin(way)
      const { site } = scene
      const [codes, before] = [codesOf(scene), await readHeld(scene)]
      const visitors = Array.from({ length: 50 }, () => site.visitor())
      const codeAt = (index: number): string => codes[index % codes.length] ?? ''
      const shown = await Promise.all(
        visitors.map((visitor, index) => way.showCode(visitor, codeAt(index), { challenge })),
      )
      const open = await Promise.all(visitors.map((visitor) => isOpen(way, visitor)))
      expect(open.filter(Boolean)).toHaveLength(1)
      for (const [index, { answer }] of shown.entries()) {
        if (!open[index]) await expectRefused(scene, answer, codeAt(index))
      }
      expect((await readHeld(scene)).open).toHaveLength(before.open.length + 1)
    },
  )

  test('is not accepted for a challenge that was answered before, even if it is right', async () => {
    const { scene, challenge } = await begin(way)
    const { site, visitor, newCode, authenticator } = scene
    const ceremony = await way.startPasskey(visitor, { challenge })
    await way.showCode(visitor, newCode('totp'), { challenge })
    expect(await isOpen(way, visitor)).toBe(true)
    const before = await readHeld(scene)
    const thief = site.visitor()
    for (const code of [newCode('totp'), newCode('recovery-code')]) {
      await expectRefused(scene, (await way.showCode(thief, code, { challenge })).answer, code)
    }
    const { answer } = await way.finishPasskey(thief, await respond(ceremony, authenticator), { challenge })
    expect([answer.status, newCookies(answer)]).toEqual([401, []])
    expect(await readHeld(scene)).toEqual(before)
    expect(await isOpen(way, thief)).toBe(false)
  })
})

describe.each(operating)('by %s, a code', (_name, way) => {
  test('is invalid input if it is a number, and counts for no limit', async () => {
    const { scene, challenge } = await begin(way)
    const { visitor, codeIn } = scene
    for (let tries = 0; tries < 6; tries++) {
      const answer = await visitor.ask(operations.verify, { input: { challenge, code: Number(codeIn(0)) } })
      expect(outcomeOf(answer)).toEqual([400, 'BAD_USER_INPUT'])
    }
    expect(await countFailures(scene)).toBe(0)
    await way.showCode(visitor, codeIn(0), { challenge })
    expect(await isOpen(way, visitor)).toBe(true)
  })
})
