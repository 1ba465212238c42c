import { type SignInState, type SignInStep, signInTransitions } from '@latchkey/accounts/internal'
import { afterAll, describe, expect, test } from 'vitest'
import { settingOf } from '../support/sign-in-rows.ts'
import { createScene, readHeld, type Scene, useSites } from '../support/sign-in-scene.ts'
import { comeTo, showStep } from '../support/sign-in-steps.ts'
import { type Answer, copyOf, newCookies, type Visitor } from '../support/visitor.ts'
import { isOpen, isRestricted, respond, type Way, ways } from '../support/ways.ts'

// What the table of sign-ins does not know in a state leads nowhere: tried from outside, by operations and by the pages.

const sites = useSites()
afterAll(() => sites.close())

// Who acts as another account has not signed in to it: what that reaches is tried field by field in impersonated-fields.test.ts.
const signIns = signInTransitions.filter(({ on }) => on !== 'impersonation')
const states = [...new Set(signIns.flatMap(({ from, to }) => [from, to]))]
const steps = [...new Set(signIns.map(({ on }) => on))]
const isKnown = (state: SignInState, step: SignInStep): boolean =>
  signInTransitions.some(({ from, on }) => from === state && on === step)
const unknown = states.flatMap((state) =>
  steps.filter((step) => !isKnown(state, step)).map((step) => [state, step] as const),
)

/** Where a scene stands: what is open, and for whom. */
interface Standing {
  readonly challenge: string | null
  /** Who shows the step. */
  readonly visitor: Visitor
  /** Who is signed in. */
  readonly holder: Visitor | null
}

type Reach = (scene: Scene) => Promise<Standing>

/** How each state is reached in which the table has steps that it does not know. */
const reaching: { readonly [State in SignInState]?: Reach } = {
  anonymous: async ({ visitor }) => ({ challenge: null, visitor, holder: null }),
  // It ends with the request that shows the first factor.
  'first-factor-proven': async ({ visitor }) => ({ challenge: null, visitor, holder: null }),
  async 'second-factor-pending'(scene) {
    return { challenge: await begin(scene, 'second-factor-pending'), visitor: scene.visitor, holder: null }
  },
  async 'signed-in'(scene) {
    return { challenge: await begin(scene, 'signed-in'), visitor: scene.visitor, holder: scene.visitor }
  },
  // Who has stepped up is signed in: what is over is the credential before, and the challenge.
  async 'stepped-up'(scene) {
    const { site, way, visitor } = scene
    const challenge = await begin(scene, 'signed-in')
    const before = copyOf(visitor, site.visitor())
    expect((await way.showCode(visitor, scene.newCode('totp'), { challenge })).answer.status).toBeLessThan(400)
    return { challenge, visitor: before, holder: visitor }
  },
  async restricted(scene) {
    const { way, visitor } = scene
    await comeTo(scene, 'restricted', 'password')
    // There is no challenge to answer: the password alone is a fresh proof.
    const { challenge } = await way.askForProof(visitor)
    expect([null, 'insufficient_user_authentication']).toContain(challenge)
    scene.shows.ceremony = await way.startPasskey(visitor, { challenge: null })
    await beginRegistration(scene)
    return { challenge: null, visitor, holder: visitor }
  },
  async refused(scene) {
    const { way, visitor } = scene
    const challenge = await begin(scene, 'second-factor-pending')
    for (let tries = 0; tries < 5; tries++) await way.showCode(visitor, 'nonsense', { challenge })
    return { challenge, visitor, holder: null }
  },
}

/** Comes to a state, and begins a ceremony there. */
async function begin(scene: Scene, state: SignInState): Promise<string | null> {
  const challenge = await comeTo(scene, state, 'totp')
  scene.shows.ceremony = await scene.way.startPasskey(scene.visitor, { challenge })
  return challenge
}

/** Makes a passkey whose registration is never finished. */
async function beginRegistration({ site, account: { id, email }, authenticator }: Scene): Promise<void> {
  const { options } = await site.parts.passkeys.startRegistration({ id, name: email, displayName: email })
  await authenticator.create(options as never)
}

/** The steps that a user takes. */
const shown = new Set<SignInStep>(['password', 'email-code', 'totp', 'recovery-code', 'passkey'])

/** Shows the step in every form that there is for it. */
async function showAll(scene: Scene, state: SignInState, step: SignInStep, standing: Standing): Promise<Answer[]> {
  const { way, shows, account, authenticator } = scene
  const { challenge, visitor } = standing
  shows.visitor = visitor
  // What no user shows is asked of every request.
  if (!shown.has(step)) return [(await way.goOn(visitor)).answer]
  if (step === 'totp' || step === 'recovery-code') shows.code = scene.newCode(step)
  if (step === 'email-code') shows.mailed = await scene.askForMail()
  if (state === 'first-factor-proven') {
    shows.ceremony = await way.startPasskey(visitor, { challenge: null })
    const response = await respond(shows.ceremony, authenticator)
    const factors = {
      password: { password: shows.password },
      passkey: { response },
      'email-code': shows.mailed && { mailed: shows.mailed },
    }
    const factor = factors[step as keyof typeof factors]
    return [(await way.signInWith(visitor, account.email, shows.password, factor ?? { code: shows.code })).answer]
  }
  // By itself it begins a sign-in anew, in whatever state.
  if (step === 'email-code' && shows.mailed) return showInPlace(scene, shows.mailed.code, standing)
  if (step !== 'password') return [(await showStep(scene, step, { challenge, from: state })).answer]
  return showInPlace(scene, shows.password, standing)
}

/** Shows a text in the place of a code, and in that of the password. */
async function showInPlace({ way }: Scene, text: string, { challenge, visitor }: Standing): Promise<Answer[]> {
  const asCode = await way.showCode(visitor, text, { challenge })
  return [asCode.answer, (await way.confirmPassword(visitor, text)).answer]
}

/** Nothing is said, or the page says where to begin. */
function expectNothing({ isPages }: Way, answer: Answer, isHolder: boolean): void {
  const said = answer.text.slice(0, 300)
  if (answer.status === 303) {
    expect([isPages, answer.headers.get('location')], said).toEqual([
      true,
      expect.stringMatching(/^\/(sign-in|second-factor)\?/),
    ])
  } else expect(isHolder ? [400, 401, 403] : [400, 401], said).toContain(answer.status)
  expect(answer.data ?? null, said).toBeNull()
  // The password that stands beside it is that of a sign-in, whose challenge is no credential.
  expect(
    newCookies(answer).filter((line) => !line.startsWith('__Host-challenge=')),
    said,
  ).toEqual([])
}

test('every state and every step of the table is tried, in a row of it or as unknown to it', () => {
  const known = new Set(signIns.map(({ from, on }) => `${from} ${on}`))
  expect(known.size + unknown.length).toBe(states.length * steps.length)
  expect(unknown.length).toBeGreaterThan(0)
})

describe.each(ways.map((way) => [way.name, way] as const))('by %s', (_name, way) => {
  test.each(unknown)('a user who is %s is refused by %s', async (state, step) => {
    const reach = reaching[state]
    if (!reach) throw new Error(`say here how this state is reached: ${state}`)
    const { options, scene: of } = settingOf(state)
    const scene = await createScene(await sites.with(options), way, of?.({ on: step }))
    const standing = await reach(scene)
    const { visitor, holder } = standing
    const before = await readHeld(scene)
    const answers = await showAll(scene, state, step, standing)
    if (visitor === holder && !shown.has(step))
      expect(answers.map((answer) => [answer.status, newCookies(answer)])).toEqual([[200, []]])
    else for (const answer of answers) expectNothing(way, answer, visitor === holder)
    expect(await readHeld(scene)).toEqual(before)
    expect(await isOpen(way, visitor)).toBe(visitor === holder)
    if (holder) expect(await isOpen(way, holder)).toBe(true)
    expect(await isRestricted(way, visitor)).toBe(state === 'restricted')
  })

  test('a step that is refused leaves the challenge unchanged', async () => {
    const scene = await createScene(await sites.with(), way)
    const { visitor, newCode } = scene
    const challenge = await begin(scene, 'second-factor-pending')
    for (const step of steps.filter((one) => !isKnown('second-factor-pending', one))) {
      await showAll(scene, 'second-factor-pending', step, { challenge, visitor, holder: null })
    }
    await way.showCode(visitor, newCode('totp'), { challenge })
    expect(await isOpen(way, visitor)).toBe(true)
  })
})
