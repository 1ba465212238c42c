import { newPassword, password } from '../support/bench.ts'
import type { Person, Town } from './town.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute

const signUp = 'mutation ($input: SignUpInput!) { signUp(input: $input) { accepted } }'
const verify = 'mutation ($input: VerifyEmailInput!) { verifyEmail(input: $input) }'
const refreshToken = 'mutation ($input: RefreshInput) { refresh(input: $input) { accessToken expiresIn refreshToken } }'
const requestReset = 'mutation ($input: RequestPasswordResetInput!) { requestPasswordReset(input: $input) }'
const reset = 'mutation ($input: ResetPasswordInput!) { resetPassword(input: $input) }'
const sessions = '{ sessions { id kind createdAt lastUsedAt expiresAt current } }'

/** What visitors do now and then. Each draws on the choices of the world only. */
export type Habit = (town: Town, person: Person) => Promise<unknown>

/** Signs up, follows the link of the mail after a while, and signs in. */
export const arrive: Habit = async (town, person) => {
  const { visitor, email, name } = person
  await town.does(person, 'signs up', visitor.ask(signUp, { input: { email, password, name } }))
  const token = await mailedToken(town, person)
  await town.world.pass((1 + town.world.choose(90)) * minute, 10 * minute)
  await town.does(person, 'verifies', visitor.ask(verify, { input: { token, password } }))
  await signIn(town, person)
}

const lookAs =
  (what: string): Habit =>
  (town, person) =>
    town.does(person, what, person.visitor.ask('{ viewer { id email } }'))
const look = lookAs('looks')

const list: Habit = (town, person) => town.does(person, 'lists', person.visitor.ask(sessions))

const signIn: Habit = (town, person) => {
  person.visitor.bearer = null
  return town.does(person, 'signs in', person.visitor.signIn(person.email, person.password, person.delivery))
}

const mistype: Habit = (town, { email, ...person }) =>
  town.does({ ...person, email }, 'mistypes', person.visitor.signIn(email, 'not the password of anyone'))

async function refreshAs(what: string, town: Town, person: Person): Promise<void> {
  const { visitor, delivery } = person
  visitor.bearer = null
  const input = delivery === 'NATIVE' ? { refreshToken: visitor.refreshToken } : null
  const { data } = await town.does(person, what, visitor.ask(refreshToken, { input }))
  visitor.bearer = data?.refresh?.accessToken ?? null
  visitor.refreshToken = data?.refresh?.refreshToken ?? visitor.refreshToken
}

const refresh: Habit = (town, person) => refreshAs('refreshes', town, person)

/** Returns after longer than a refresh token lives. */
export const comeBack: Habit = (town, person) => refreshAs('is back', town, person)

/** Two tabs refresh with one token at the same time, and the browser keeps what comes last. */
const refreshTwice: Habit = async (town, person) => {
  await Promise.all([refresh(town, person), refresh(town, person)])
  await look(town, person)
}

/** Never idles for long: a session stays, and an access token does not. */
const work: Habit = async (town, person) => {
  await signIn(town, person)
  for (const _pause of [1, 2, 3]) {
    await town.world.pass(25 * minute, 5 * minute)
    await lookAs('works')(town, person)
  }
}

/** Leaves the window open for longer than a session idles. */
const lunch: Habit = async (town, person) => {
  await signIn(town, person)
  await town.world.pass(2 * hour, 10 * minute)
  await lookAs('has lunched')(town, person)
}

/** More requests than the limit of a minute, and one after it. */
const hurry: Habit = async (town, person) => {
  for (const _request of [1, 2, 3, 4, 5, 6]) await look(town, person)
  await town.world.pass(minute, 10 * second)
  await look(town, person)
}

const signOut: Habit = async (town, person) => {
  await town.does(person, 'signs out', person.visitor.ask('mutation { signOut }'))
  person.visitor.bearer = null
}

/** Asks for more mails than are sent in an hour, and follows the last link, perhaps too late. */
const forget: Habit = async (town, person) => {
  const { visitor, email } = person
  for (let mails = town.world.choose(5); mails >= 0; mails--) {
    await town.does(person, 'forgets', visitor.ask(requestReset, { input: { email } }))
    await town.world.pass(20 * second)
  }
  const token = await mailedToken(town, person)
  await town.world.pass(town.world.choose(80) * minute, 10 * minute)
  const next = person.password === password ? newPassword : password
  const { data } = await town.does(person, 'resets', visitor.ask(reset, { input: { token, newPassword: next } }))
  if (data?.resetPassword === true) person.password = next
}

export const habits: readonly Habit[] = [
  look,
  list,
  signIn,
  mistype,
  refresh,
  refreshTwice,
  work,
  lunch,
  hurry,
  signOut,
  forget,
]

/** Mails are sent up to two seconds after the answer. */
async function mailedToken({ world, diary }: Town, { email }: Person): Promise<string> {
  await world.pass(3 * second, 500)
  const link = diary.mails.findLast(({ to, url }) => to === email && url !== null)?.url
  return new URL(link ?? 'https://example.com').searchParams.get('token') ?? ''
}
