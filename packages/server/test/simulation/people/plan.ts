import { type Attempt, type Rejection, type SignInResult, unknownAttempt } from '@latchkey/accounts'
import type { Claims, Credential, Yield } from '../deeds/deed.ts'
import type { Board } from '../service/board.ts'
import type { Service } from '../service/service.ts'
import type { Choices } from '../world/choices.ts'
import type { Challenge, Held, Person } from './person.ts'

/** What somebody is about to do. */
export interface Plan {
  readonly what: string
  readonly claims: Claims
  /** Asks the service. A text is the code of a refusal. */
  readonly ask: (service: Service) => Promise<Yield | string>
  /** Shows the same secret in another place; null: there is none. */
  readonly alike?: () => Plan | null
}

export interface Scene {
  readonly choices: Choices
  readonly people: readonly Person[]
  readonly now: () => number
  /** What is published to streams; null: there are none. */
  readonly board: Board | null
  /** Whether it happens in another place than where somebody was last. */
  readonly isElsewhere?: boolean
}

/** Something that people do now and then; null: not now. */
export type Habit = (scene: Scene, person: Person) => Plan | null

/** Somebody who makes no mistake: nothing seldom happens. */
export const carefully = (scene: Scene): Scene => ({
  ...scene,
  choices: { ...scene.choices, chance: (percent) => percent >= 50 && scene.choices.chance(percent) },
})

/** The id of an account that is there. */
export const idOf = ({ id, name }: Person): string => id ?? `acc_without_${name}`

export const attemptOf = ({ address }: Person): Attempt => ({ ...unknownAttempt, address })

export function pick<Item>({ choices }: Pick<Scene, 'choices'>, items: readonly Item[]): Item | undefined {
  return items.length === 0 ? undefined : items[choices.below(items.length)]
}

/** The credential that somebody uses: mostly the latest, and elsewhere another one. */
export function pickHeld(scene: Scene, { credentials: all }: Person, kind?: Credential['kind']): Held | undefined {
  const credentials = kind === undefined ? all : all.filter(({ credential }) => credential.kind === kind)
  if (scene.isElsewhere && credentials.length > 1) return pick(scene, credentials.slice(0, -1))
  return scene.choices.chance(30) ? pick(scene, credentials) : credentials.at(-1)
}

/** Remembers an access token beside the one before it. */
export function renewAccess(held: Held, accessToken: string): void {
  if (held.accessToken !== accessToken) held.formerAccessToken = held.accessToken
  held.accessToken = accessToken
}

/** Remembers what a sign-in has issued, in place of another credential or beside all. */
export function keep(person: Person, result: SignInResult | Rejection, replaced?: Credential): Yield | string {
  if (!result.ok) return 'credentials'
  if (result.status !== 'signed-in') return ask(person, { text: result.challenge })
  person.id ??= result.account.id
  return { credential: hold(person, result.credentials, replaced) }
}

/** Remembers a question for a second factor. */
export function ask(person: Person, challenge: Challenge): Yield {
  person.challenges.push(challenge)
  return { isChallenged: true, challenge: challenge.text }
}

type Issued = Extract<SignInResult, { readonly status: 'signed-in' }>['credentials']

export function hold(person: Person, issued: Issued, replaced?: Credential): Credential {
  const isSession = issued.delivery === 'session'
  const key = isSession ? issued.session.key : issued.family.key
  const credential: Credential = {
    key,
    kind: isSession ? 'session' : 'family',
    account: person.account,
    secret: isSession ? issued.credential : issued.refreshToken,
    ...(isSession && { lineage: replaced?.lineage ?? key }),
  }
  const held: Held = {
    credential,
    refreshTokens: isSession ? [] : [issued.refreshToken],
    accessToken: isSession ? null : issued.accessToken,
  }
  person.credentials.push(held)
  return credential
}
