import { setTimeout } from 'node:timers/promises'
import { createVisitor, keep, nextAddress, seedPassword } from './visitor.ts'

/** What a service has answered so far, by status. */
export type Statuses = Map<number, number>

export interface MixedTraffic {
  readonly statuses: Statuses
  /** Resolves once every visitor has its last answer. */
  stop(): Promise<void>
}

const lists = '{ articles(first: 3) { title comments { text } } }'
const viewer = '{ viewer { email } }'
const refresh = 'mutation { refresh { accessToken refreshToken csrfToken } }'
const reset = 'mutation ($input: RequestPasswordResetInput!) { requestPasswordReset(input: $input) }'

/** What one visitor does again and again. */
type Habit = (url: string, count: (status: number) => void) => Promise<void>

const readers: Habit = async (url, count) => {
  const reader = createVisitor(url)
  count((await reader.signIn('reader@example.com')).status)
  for (let step = 0; step < 20; step++) count((await reader.ask(step % 2 ? viewer : lists)).status)
  count((await reader.ask('mutation { signOut }')).status)
}

const holders: Habit = async (url, count) => {
  const holder = createVisitor(url)
  count((await holder.signIn('author@example.com', 'TOKEN')).status)
  for (let step = 0; step < 10; step++) {
    count((await holder.ask(viewer)).status)
    const { status, data } = await holder.ask(refresh, {}, { 'x-csrf-token': holder.csrfToken ?? '' })
    count(status)
    if (data?.refresh) keep(holder, data.refresh)
  }
}

const guessers: Habit = async (url, count) => {
  const email = `guess${Math.floor(Math.random() * 1e9)}@example.com`
  for (let step = 0; step < 8; step++) {
    const { status } = await createVisitor(url).signIn(email, 'SESSION', `${seedPassword} ${step}`)
    count(status)
  }
}

const askers: Habit = async (url, count) => {
  const email = `unknown${Math.floor(Math.random() * 1e9)}@example.com`
  count((await createVisitor(url).ask(reset, { input: { email } })).status)
  await setTimeout(20)
}

const bodies = ['', '{', '[]', '{"query":1}', '{"query":"{"}', `{"query":"${'{a'.repeat(500)}"}`, '\u0000', 'null']

const senders: Habit = async (url, count) => {
  for (const body of bodies) {
    const headers = {
      'content-type': 'application/json',
      'x-forwarded-for': nextAddress(),
      cookie: `latchkey-session=${Math.random()}; ${'c=1; '.repeat(20)}`,
      authorization: `Bearer ${Math.random()}.a.b`,
    }
    const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body })
    await response.arrayBuffer()
    count(response.status)
  }
}

const pages: Habit = async (url, count) => {
  for (const path of ['/sign-in', '/account', '/verify?token=x', '/nowhere', '/healthz', '/jwks']) {
    const response = await fetch(`${url}${path}`, { redirect: 'manual', headers: { 'x-forwarded-for': nextAddress() } })
    await response.arrayBuffer()
    count(response.status)
  }
}

const habits: readonly Habit[] = [readers, readers, holders, guessers, askers, senders, pages]

/** Lets visitors of all kinds use a service until they are stopped. A request that gets no answer counts as status 0. */
export function startMixedTraffic(url: string): MixedTraffic {
  const statuses: Statuses = new Map()
  let isStopped = false
  const count = (status: number): void => void statuses.set(status, (statuses.get(status) ?? 0) + 1)
  const goOn = async (habit: Habit): Promise<void> => {
    while (!isStopped) {
      await habit(url, count).catch(() => count(0))
      await setTimeout(10)
    }
  }
  const all = habits.map(goOn)
  return {
    statuses,
    async stop() {
      isStopped = true
      await Promise.all(all)
    },
  }
}
