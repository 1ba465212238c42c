import type { After, Core } from './core.ts'
import { attempt, type Process, password } from './process.ts'
import {
  answersOf,
  type Identity,
  identityOf,
  keep,
  keptOf,
  letsIn,
  openAccount,
  refresh,
  sentences,
  signIn,
  signInForTokens,
} from './visits.ts'

interface Devices {
  readonly id: string
  readonly session: string
  readonly other: string
  readonly token: string
  readonly identity: Identity
}

async function openDevices(process: Process): Promise<Devices> {
  const id = await openAccount(process)
  const session = keep(await signIn(process))
  const other = keep(await signIn(process))
  const token = keep(await signInForTokens(process))
  return { id, session, other, token, identity: await identityOf(process, session) }
}

const stepUp = ({ accounts }: Process, { identity }: Devices) =>
  accounts.confirmPassword({ identity, currentPassword: password, attempt })

/** Returns what is open of what was open before, and of what has replaced it. */
async function findOpen({ given, endings, process }: After<Devices>, isMeant = (_name: string): boolean => true) {
  const answers = Object.entries(answersOf(endings)).map(([name, answer]) => [name, keptOf(answer)] as const)
  const all = [['session', given.session], ['other', given.other], ...answers, ['token', given.token]] as const
  const open: string[] = []
  for (const [name, kept] of all) {
    if (kept !== null && isMeant(name) && (await letsIn(process, kept))) open.push(name)
  }
  return open
}

/** A session and a token are replaced while the owner revokes all of them. */
export const replacedWhileRevoked: Core<Devices> = {
  prepare: openDevices,
  callers: {
    'step-up': stepUp,
    refresh: (process, { token }) => refresh(process, token),
    revocation: ({ accounts }, { identity }) => accounts.revokeAllSessions({ identity, exceptCurrent: false, attempt }),
  },
  async judge(after) {
    const { given, endings, process } = after
    const isRevoked = endings.revocation?.as === 'answered'
    const open = await findOpen(after)
    const identity = { subject: given.id }
    await process.accounts.revokeAllSessions({ identity, exceptCurrent: false, attempt })
    const left = await findOpen(after)
    return sentences(
      [isRevoked && open.length > 0, `revoked, and open: ${open.join()}`],
      [left.length > 0, `revoked once more, and open: ${left.join()}`],
      [!(await signIn(process)).ok, 'the owner cannot sign in'],
    )
  },
}

/** A session is replaced while it revokes all others, and another device uses its token. */
export const replacedWhileOthersRevoked: Core<Devices> = {
  ...replacedWhileRevoked,
  callers: {
    'step-up': stepUp,
    refresh: (process, { token }) => refresh(process, token),
    revocation: ({ accounts }, { identity }) => accounts.revokeAllSessions({ identity, attempt }),
  },
  async judge(after) {
    const { endings, process } = after
    const isRevoked = Number(answersOf(endings).revocation ?? 0) > 0
    const others = await findOpen(after, (name) => ['other', 'refresh', 'token'].includes(name))
    const own = await findOpen(after, (name) => ['session', 'step-up'].includes(name))
    return sentences(
      [isRevoked && others.length > 0, `revoked, and open: ${others.join()}`],
      [own.length > 1, 'a session and its replacement are open'],
      [!(await signIn(process)).ok, 'the owner cannot sign in'],
    )
  },
}

/** Two requests of one session replace it, and it is revoked from another device. */
export const replacedTwice: Core<Devices> = {
  prepare: openDevices,
  callers: {
    'step-up': stepUp,
    'second step-up': stepUp,
    revocation: ({ accounts }, { id, identity }) =>
      accounts.revokeSession({ subject: id, key: identity.key ?? '', attempt }),
  },
  async judge(after) {
    const { endings, process } = after
    const isRevoked = endings.revocation?.answer === true
    const own = await findOpen(after, (name) => name === 'session' || name.endsWith('step-up'))
    return sentences(
      [isRevoked && own.length > 0, `revoked, and open: ${own.join()}`],
      [own.length > 1, 'a session was replaced twice'],
      [(await findOpen(after, (name) => name === 'other')).length === 0, 'another session has ended'],
      [!(await signIn(process)).ok, 'the owner cannot sign in'],
    )
  },
}
