import { lookActingWith } from '../people/acting.ts'
import { listKeysWith, useKeyWith } from '../people/api-keys.ts'
import { lookAsAppWith, redeemWith, refreshAsAppWith } from '../people/apps.ts'
import { spareOf } from '../people/codes.ts'
import { leave, verifyWith } from '../people/coming-and-going.ts'
import { confirmTotp, startTotp } from '../people/factors.ts'
import { signInByMailWith } from '../people/mailed-codes.ts'
import { confirmWith, isAskedByNobodyElse, linksTo, resetWith } from '../people/mails.ts'
import { beginWith, signInByPasskeyWith } from '../people/passkeys.ts'
import type { Held, PasskeyResponse, Person } from '../people/person.ts'
import { carefully, type Plan, type Scene } from '../people/plan.ts'
import { signInByProviderWith } from '../people/providers.ts'
import { refreshWith } from '../people/refreshes.ts'
import { answerWithApp, answerWithCode } from '../people/second-steps.ts'
import { listWith, lookWith, signInTrustedWith, signInWith, signOutWith } from '../people/sessions.ts'

/**
 * What shows the state of an account: whatever was ever issued is presented once more, the password, and the second factor.
 * Late, when no refresh token may be repeated any more, used ones are presented.
 */
export function* finalPlans(scene: Scene, person: Person, isLate = false): Generator<Plan> {
  for (const held of [...person.credentials]) yield* showFirstParty(scene, person, held, isLate)
  for (const held of [...person.apps]) yield* showApp(held, isLate)
  for (const held of latestOpen(person)) yield listWith(held)
  yield* showBriefAccess(person)
  for (const held of person.acting) yield lookActingWith(held)
  for (const held of person.keys) yield useKeyWith(person, held)
  if (person.keys.length > 0) for (const held of latestOpen(person)) yield listKeysWith(held)
  yield* showCodes(person)
  yield* showSecondStep(person, () => answerWithCode(person, spareOf(person)))
  if (person.totp !== null) yield* showSecondStep(person, () => answerWithApp(scene, person))
  yield* showFormerCodes(scene, person)
  yield* showOtherWays(scene, person)
  yield* showOnce(scene, person)
  yield* showSignUp(scene, person)
}

/** The link of a sign-up, once the account that it has created is deleted. */
function* showSignUp(scene: Scene, person: Person): Generator<Plan> {
  const link = linksTo(person, '/verify').at(-1)
  if (!link) return
  yield* of(leave(scene, person))
  yield verifyWith(person, link)
}

/** The user of the provider if it was ever linked, codes by mail, and passkeys. */
function* showOtherWays(scene: Scene, person: Person): Generator<Plan> {
  for (const asked of person.askedCodes.slice(-2)) yield* of(signInByMailWith(person, asked))
  if (person.hasLinked) yield signInByProviderWith(scene, person)
  yield* showPasskeys(person)
}

/** What they have signed, which counts once, and the latest that they tried to register. */
function* showPasskeys(person: Person): Generator<Plan> {
  const { tried, responses } = person.passkeys
  const latest = (): PasskeyResponse[] => responses.slice(-1)
  for (const response of latest()) yield signInByPasskeyWith(person, response)
  for (const passkey of tried.slice(-1)) yield beginWith(person, passkey)
  if (tried.length > 0) for (const response of latest()) yield signInByPasskeyWith(person, response)
}

/** Access of applications that ends with the latest session of its lineage. */
function* showBriefAccess(person: Person): Generator<Plan> {
  const brief = person.apps.at(-1)
  const lineage = brief?.credential.lineage
  const latest = person.credentials.findLast(({ credential }) => credential.lineage === lineage)
  if (!brief || lineage === undefined || !latest) return
  yield signOutWith(person, latest)
  yield lookAsAppWith(brief)
}

/** Recovery codes that were removed or replaced, also once there is an app again. */
function* showFormerCodes(scene: Scene, person: Person): Generator<Plan> {
  const [secondFactor] = person.formerCodes
  if (secondFactor === undefined) return
  if (person.totp === null) for (const plan of [startTotp, confirmTotp]) yield* of(plan(carefully(scene), person))
  yield* showSecondStep(person, () => answerWithCode(person, secondFactor))
}

/** The password, and what answers if a second factor is asked for. */
function* showSecondStep(person: Person, answer: () => Plan | null): Generator<Plan> {
  const asked = person.challenges.length
  yield signInWith(person, person.passwords.at(-1) ?? '')
  if (person.challenges.length > asked) yield* of(answer())
}

function* of(plan: Plan | null): Generator<Plan> {
  if (plan) yield plan
}

/** What shows whether the latest is still accepted, and changes nothing. */
export function* firstLooks(person: Person): Generator<Plan> {
  for (const held of person.credentials.slice(-2)) yield lookWith(held)
  for (const held of person.apps.slice(-2)) yield lookAsAppWith(held)
  for (const held of person.acting.slice(-2)) yield lookActingWith(held)
  for (const held of person.keys.slice(-2)) yield useKeyWith(person, held)
  for (const held of latestOpen(person)) yield listWith(held)
}

/** The latest credential that was not refused: another one shows no list. */
const latestOpen = ({ credentials }: Person): readonly Held[] =>
  credentials.filter(({ isOpen }) => isOpen !== false).slice(-1)

/** What counts once, or until something else is used. */
function* showOnce(scene: Scene, person: Person): Generator<Plan> {
  for (const device of person.devices.slice(-2)) yield signInTrustedWith(person, device)
  const confirms = linksTo(person, '/confirm-email-change').filter((link) => isAskedByNobodyElse(scene, person, link))
  for (const link of confirms.slice(-2)) yield confirmWith(person, link)
  for (const link of linksTo(person, '/reset').slice(-2)) yield resetWith(person, link)
}

/** A code that was redeemed before revokes what it gave. */
function* showCodes(person: Person): Generator<Plan> {
  const before = [...person.apps]
  for (const code of person.codes.slice(-2)) yield redeemWith(person, code)
  if (person.codes.length > 0) for (const held of before) yield lookAsAppWith(held)
}

function* showFirstParty(scene: Scene, person: Person, held: Held, isLate: boolean): Generator<Plan> {
  yield lookWith(held)
  const used = isLate || scene.choices.chance(50) ? refreshWith(person, held, held.refreshTokens.at(-2)) : null
  if (used) yield used
  if (used && isLate) return
  if (held.formerAccessToken) yield lookWith({ ...held, accessToken: held.formerAccessToken })
  const refreshed = refreshWith(person, held, held.refreshTokens.at(-1))
  if (refreshed) yield refreshed
  const repeated = held.refreshTokens.length > 2 ? refreshWith(person, held, held.refreshTokens.at(-3)) : null
  if (!repeated) return
  yield repeated
  yield lookWith(held)
}

function* showApp(held: Held, isLate: boolean): Generator<Plan> {
  yield lookAsAppWith(held)
  const used = isLate ? refreshAsAppWith(held, held.refreshTokens.at(-2)) : null
  if (used) return yield used
  if (held.formerAccessToken) yield lookAsAppWith({ ...held, accessToken: held.formerAccessToken })
  const refreshed = refreshAsAppWith(held, held.refreshTokens.at(-1))
  if (refreshed) yield refreshed
}
