import { type SignInTransition, signInTransitions } from '@latchkey/accounts/internal'
import { afterAll, describe, expect, test } from 'vitest'
import { newPassword } from '../support/bench.ts'
import { bringingOf, nextTo } from '../support/sign-in-rows.ts'
import { createScene, type Held, readHeld, type Scene, useSites } from '../support/sign-in-scene.ts'
import { comeTo, isSignedIn, showStep } from '../support/sign-in-steps.ts'
import { copyOf, newCookies, outcomeOf, refreshBy, type Visitor } from '../support/visitor.ts'
import { isOpen, isRestricted, type Shown, ways } from '../support/ways.ts'

// Every state and event of the table of sign-ins, tried from outside: by operations with each delivery, and by the pages. A
// row that is added to the table is tried here by itself, once sign-in-rows.ts says how it is brought about.

// Who acts as another account has not signed in to it: those rows are tried in impersonation.test.ts. Callbacks of providers come
// to routes of the application: those rows are tried in provider-rows.test.ts of @latchkey/accounts.
const signIns = signInTransitions.filter(({ on }) => on !== 'impersonation' && on !== 'provider')

const openSites = useSites()
afterAll(() => openSites.close())

const titled = (row: SignInTransition) => [`${row.from} at ${row.on}, ${row.when}: ${row.to}`, row] as const

const namesOf = (cookies: readonly string[]) => cookies.map((line) => line.split('=', 1)[0])

interface Tried {
  readonly shown: Shown
  readonly before: Held
  readonly old: Visitor
  readonly reasons: readonly unknown[]
  readonly hasEnded: boolean
}

/** Comes to the state of a row, makes its condition true, and shows what it names. */
async function tryRow(scene: Scene, row: SignInTransition): Promise<Tried> {
  const { site, way, visitor, account, shows } = scene
  const { from, on } = row
  const bringing = bringingOf(row)
  const challenge = await comeTo(scene, from, on)
  if (on === 'totp' || on === 'recovery-code') shows.code = scene.newCode(on)
  if (on === 'email-code') shows.mailed = await scene.askForMail()
  if (on === 'passkey') shows.ceremony = await way.startPasskey(visitor, { challenge })
  const hasEnded = bringing.endsSession === true && isSignedIn(from)
  let before: Held | null = null
  const fulfil = async (): Promise<void> => {
    await bringing.fulfil?.(scene, row)
    before = await readHeld(scene)
  }
  if (hasEnded) {
    // What is wrong is refused after the last read of the account, and this is where it changes in the next request.
    const wrong = { ...shows, password: 'wrong', code: wrongCode(shows.code), ceremony: null }
    const reads = await site.countCalls('accounts.get', () =>
      showStep({ ...scene, shows: wrong }, on, { challenge, from }),
    )
    site.before('accounts.get', reads, fulfil)
  } else await fulfil()
  const [old, told] = [copyOf(shows.visitor, site.visitor()), site.events.length]
  const shown = await showStep(scene, on, { challenge, from })
  const said = site.events.slice(told).filter(({ type }) => type.endsWith('failed'))
  if (!before) throw new Error(`${account.id} was not read`)
  return { shown, before, old, reasons: said.map((event) => 'reason' in event && event.reason), hasEnded }
}

const wrongCode = (code: string): string => (code.length === 6 ? nextTo(code) : '0000')

function expectRefused({ way }: Scene, { from, on, when }: SignInTransition, { shown, reasons }: Tried): void {
  const { answer } = shown
  // What has ended does not say what it was for.
  const isStepUp = isSignedIn(from) && when !== 'challenge-ended'
  if (way.isPages) expect(answer.status).toBe(401)
  else expect([...outcomeOf(answer), answer.data]).toEqual([isStepUp ? 403 : 401, 'INVALID_CREDENTIALS', undefined])
  expect(newCookies(answer)).toEqual([])
  const isCeremony = on === 'passkey' && when === 'factor-wrong'
  expect(reasons).toEqual([isCeremony ? expect.stringMatching(/^passkey-/) : when])
}

type Judge = (scene: Scene, row: SignInTransition, tried: Tried) => Promise<void>

async function judgePending({ way, shows }: Scene, _row: SignInTransition, { shown }: Tried): Promise<void> {
  const { answer, challenge } = shown
  expect(challenge).toMatch(/.{40,}/)
  expect(namesOf(answer.cookies)).toEqual(way.isPages ? ['__Host-challenge'] : [])
  const { status, accessToken, refreshToken, csrfToken } =
    Object.values<Record<string, unknown>>(answer.data ?? {})[0] ?? {}
  if (way.isPages) expect(answer.headers.get('location')).toBe('/second-factor?return_to=%2Faccount')
  else expect([status, accessToken, refreshToken, csrfToken]).toEqual(['SECOND_FACTOR_REQUIRED', null, null, null])
  expect(await isOpen(way, shows.visitor)).toBe(false)
}

const cookiesOf = { SESSION: ['__Host-session'], TOKEN: ['__Host-refresh'], NATIVE: [] } as const

async function judgeSignedIn(scene: Scene, _row: SignInTransition, { shown, before }: Tried): Promise<void> {
  const { way, shows } = scene
  expect(namesOf(newCookies(shown.answer)).filter((name) => name !== '__Host-device')).toEqual(cookiesOf[way.delivery])
  expect(await isOpen(way, shows.visitor)).toBe(true)
  expect((await readHeld(scene)).open).toHaveLength(before.open.length + 1)
}

/** Asked of what an account does that is signed in before and after it: nothing changes. */
const judgeEnrollment =
  (isOverdue: boolean): Judge =>
  async (scene, _row, { shown, before }) => {
    const { way, shows } = scene
    expect(way.saysRestricted(shown.answer)).toBe(isOverdue)
    expect(newCookies(shown.answer)).toEqual([])
    expect(await readHeld(scene)).toEqual(before)
    expect(await isOpen(way, shows.visitor)).toBe(true)
  }

/** What is seen of each state; what is seen of one row alone stands under its title. */
const judges: Readonly<Record<string, Judge>> = {
  async 'first-factor-proven'(scene, row, tried) {
    const to = tried.shown.challenge === null ? 'signed-in' : 'second-factor-pending'
    const next = signIns.filter(({ from }) => from === row.to)
    expect(next.map((one) => one.to)).toContain(to)
    await (to === 'signed-in' ? judgeSignedIn : judgePending)(scene, row, tried)
  },
  async anonymous({ way, shows }, _row, { shown: { answer, challenge } }) {
    expect(way.isPages ? answer.status : answer.data).toEqual(way.isPages ? 200 : { resetPassword: true })
    expect([challenge, await isOpen(way, shows.visitor)]).toEqual([null, false])
  },
  'second-factor-pending': judgePending,
  async 'anonymous at reset, factor-before-password: second-factor-pending'(scene, _row, { shown, before }) {
    const { way, account, shows, newCode } = scene
    const { answer, challenge } = shown
    if (way.isPages) expect(answer.headers.get('location')).toBe('/second-factor?return_to=%2Faccount')
    else expect(outcomeOf(answer)).toEqual([401, 'STEP_UP_REQUIRED'])
    expect([(await readHeld(scene)).account, await isOpen(way, shows.visitor)]).toEqual([before.account, false])
    await way.showCode(shows.visitor, newCode('totp'), { challenge })
    expect(await isOpen(way, shows.visitor)).toBe(true)
    const again = await way.signIn(scene.site.visitor(), account.email, newPassword)
    expect(again.challenge).not.toBeNull()
  },
  'signed-in': judgeSignedIn,
  'signed-in at enrollment, nothing-more: signed-in': judgeEnrollment(false),
  restricted: judgeEnrollment(true),
  async 'stepped-up'(scene, row, { shown, before, old }) {
    const { way, shows, site } = scene
    expect(namesOf(newCookies(shown.answer))).toEqual(cookiesOf[way.delivery])
    const { open } = await readHeld(scene)
    expect(open).toHaveLength(before.open.length)
    expect(open).not.toEqual(before.open)
    expect(await isOpen(way, copyOf(old, site.visitor()))).toBe(false)
    expect(outcomeOf(await refreshBy(way.delivery, old))).toEqual([401, 'UNAUTHENTICATED'])
    expect(await isOpen(way, shows.visitor)).toBe(true)
    expect(await isRestricted(way, shows.visitor)).toBe(row.from === 'restricted')
  },
  async refused(scene, row, tried) {
    const { way, shows } = scene
    expectRefused(scene, row, tried)
    const after = await readHeld(scene)
    const { factors } = bringingOf(row).spends?.(row) ? after : tried.before
    expect(after).toEqual({ ...tried.before, factors })
    expect(await isOpen(way, shows.visitor)).toBe(isSignedIn(row.from) && !tried.hasEnded)
    expect(await isRestricted(way, shows.visitor)).toBe(row.from === 'restricted' && !tried.hasEnded)
  },
}

describe.each(ways.map((way) => [way.name, way] as const))('by %s', (_name, way) => {
  test.each(signIns.map(titled))('%s', async (title, row) => {
    const { options, scene: of } = bringingOf(row)
    const scene = await createScene(await openSites.with(options), way, of?.(row))
    const judge = judges[title] ?? judges[row.to]
    if (!judge) throw new Error(`say here what is seen of the state ${row.to}`)
    await judge(scene, row, await tryRow(scene, row))
  })
})
