import type { After, Core } from './core.ts'
import { attempt, type Process, password } from './process.ts'
import {
  answersOf,
  findPasswords,
  type Identity,
  identityOf,
  keep,
  keptOf,
  letsIn,
  openAccount,
  sentences,
  signIn,
  signInForTokens,
  winnersOf,
} from './visits.ts'

interface Open {
  readonly id: string
  /** The credential of a session that was open before. */
  readonly session: string
  readonly identity: Identity
}

async function openSession(process: Process): Promise<Open> {
  const id = await openAccount(process)
  const session = keep(await signIn(process))
  return { id, session, identity: await identityOf(process, session) }
}

/** Returns those of what callers got, and of what was open, that still let in. */
async function findOpen(
  { given, endings, process }: After<Open>,
  names?: readonly string[],
): Promise<readonly string[]> {
  const open: string[] = []
  const kept = Object.entries(answersOf(endings)).map(([name, answer]) => [name, keptOf(answer)] as const)
  for (const [name, credential] of [['before', given.session] as const, ...kept]) {
    if (names && !names.includes(name)) continue
    if (credential !== null && (await letsIn(process, credential))) open.push(name)
  }
  return open
}

/** Nothing but sign-ins, which change nothing that another one reads. */
export const signInsAlone: Core<null> = {
  prepare: async (process) => {
    await openAccount(process)
    return null
  },
  callers: { A: (process) => signIn(process), B: (process) => signIn(process), C: (process) => signIn(process) },
  async judge({ endings, process }) {
    const refused: string[] = []
    for (const [name, answer] of Object.entries(answersOf(endings))) {
      const kept = keptOf(answer)
      if (kept === null || !(await letsIn(process, kept))) refused.push(name)
    }
    return sentences([refused.length > 0, `not signed in: ${refused.join()}`])
  },
}

/** Someone signs in twice while an administrator closes the account. */
function closing(close: 'disable' | 'lockAccount', reopen: 'enable' | 'unlockAccount'): Core<Open> {
  return {
    prepare: openSession,
    callers: {
      session: (process) => signIn(process),
      tokens: (process) => signInForTokens(process),
      closing: ({ accounts }, { id }) => accounts[close]({ id, attempt }),
    },
    async judge(after) {
      const { given, endings, process } = after
      const isClosed = endings.closing?.as === 'answered'
      const open = await findOpen(after)
      const isLetIn = (await signIn(process)).ok
      const late = winnersOf(endings).filter((name) => endings[name]?.after.includes('closing'))
      const again = await process.accounts[close]({ id: given.id, attempt })
      const left = await findOpen(after)
      const reopened = await process.accounts[reopen]({ id: given.id, attempt })
      return sentences(
        [isClosed && open.length > 0, `closed, and open: ${open.join()}`],
        [isClosed && isLetIn, 'closed, and signs in'],
        [isClosed && late.length > 0, `signed in after it was closed: ${late.join()}`],
        [again?.status === 'active' || left.length > 0, `closed once more, and open: ${left.join()}`],
        [reopened?.status !== 'active' || !(await signIn(process)).ok, 'reopened, and does not sign in'],
        [(await findOpen(after)).length > 0, 'reopened, and what was closed is open'],
      )
    },
  }
}

export const disabledMeanwhile = closing('disable', 'enable')
export const lockedMeanwhile = closing('lockAccount', 'unlockAccount')

const next = { change: 'seven kettles hum along', other: 'nine ladders lean on walls' }
const change =
  (newPassword: string) =>
  ({ accounts }: Process, { identity }: Open) =>
    accounts.changePassword({ identity, currentPassword: password, newPassword, attempt })

/** Someone signs in with the old password, for a session and for tokens, while the owner changes it. */
export const changedMeanwhile: Core<Open> = {
  prepare: openSession,
  callers: {
    change: change(next.change),
    session: (process) => signIn(process),
    tokens: (process) => signInForTokens(process),
  },
  judge: judgeChange,
}

/** Two changes of the password, and a sign-in with the old one. */
export const changedTwice: Core<Open> = {
  prepare: openSession,
  callers: {
    change: change(next.change),
    other: change(next.other),
    session: (process) => signIn(process),
  },
  judge: judgeChange,
}

async function judgeChange(after: After<Open>) {
  const { endings, process } = after
  const winners = winnersOf(endings)
  const [change, ...more] = winners.filter((name): name is keyof typeof next => Object.hasOwn(next, name))
  const working = await findPasswords(process, [password, ...Object.values(next)])
  const isChanged = !working.includes(password)
  const old = await findOpen(after, ['before', 'session', 'tokens'])
  const late = winners.filter((name) => !Object.hasOwn(next, name) && endings[name]?.after.includes(change ?? ''))
  const credential = change ? keptOf(endings[change]?.answer) : null
  return sentences(
    [more.length > 0, 'two changes win'],
    [working.length !== 1, `${working.length} passwords sign in`],
    [change !== undefined && !working.includes(next[change]), 'an acknowledged password does not sign in'],
    [change !== undefined && isChanged && old.length > 0, `changed, and open: ${old.join()}`],
    [late.length > 0, `signed in with the old password later: ${late.join()}`],
    [credential !== null && !(await letsIn(process, credential)), 'who has changed it is signed out'],
  )
}
